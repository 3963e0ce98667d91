import { matchesGlob } from 'node:path'

// Three groups of test files, as globs below test/. `npm run test:unit` runs the unit tests, `npm test` all files that start no
// process, `npm run test:all` all files but slow/ and spark/. `no-processes.ts` lets no process start in the first two.

/** Test files that start processes: real `platbook` commands, services, readers of untrusted files, killed runs. */
export const STARTS_PROCESSES = [
  // Real `platbook` processes, nightly runs, benches.
  'bench/**',
  'cli/**',
  'mutations/copies.test.ts',
  'pipelines/**',
  'slow/**',
  'spark/**',
  // Other files that start processes.
  'api/{enrichments,hostile-lists,open-connections}.test.ts',
  'cluster/stage-processes.test.ts',
  'enrich/{enrich,jobs,read-input,safety,sample,spool-input}.test.ts',
  'events/documents.test.ts',
  'ingest/kill.test.ts',
  'notify/notify.test.ts',
  'publish/{disk-full,publish,suppressed}.test.ts',
  'replicate/**',
  'state/{allowances,event-log}.test.ts',
  'store/s3.test.ts',
  'warehouse/open.test.ts',
  'threads.test.ts',
  'webhooks/processes.test.ts',
]

/** Test files that are not unit tests: they start processes, make whole runs, or take longer than a second. */
export const NOT_UNIT = [
  ...STARTS_PROCESSES,
  // Whole loads, link runs and SQL models.
  'ingest/{bad-input,failed-files,formats,held,ingest,order,quarantine,sample}.test.ts',
  'normalize/run/**',
  'cluster/{link,models}/**',
  'link/*.test.ts',
  'link/ids/**',
  'link/incremental/incremental.test.ts',
  'link/model/{model-checks,random-pairs,repeats}.test.ts',
  'sql/**',
  // Longer than a second.
  'api/{account,bad-input,billing,errors,events,examples,finished-lists,internal,keys,multipart,openapi,phone}.test.ts',
  'api/{refusals,routes,server,snapshots,stop,suppressions,test-keys,uploads,webhooks-create,webhooks-limits}.test.ts',
  'cluster/spark/spark-connect.test.ts',
  'enrich/{report,threads}.test.ts',
  'events/archive.test.ts',
  'generate/{counties,layouts}.test.ts',
  'ingest/compile.test.ts',
  'link/compare/conflicts.test.ts',
  'link/explain/explain-pair.test.ts',
  'link/oracle/**',
  'link/records/{bad-input,names}.test.ts',
  'link/score/upper-bounds.test.ts',
  'lookup/{open,oracle,page-of,sample-shards,shards,suppressed}.test.ts',
  'publish/purge.test.ts',
  'scenarios/publish-scenarios.test.ts',
  'state/keys.test.ts',
  'webhooks/{connect,deliver,deliver-together,sender}.test.ts',
]

/** Test files that `npm run test:postgres` repeats with the state in PostgreSQL. */
export const KEEPS_STATE = [
  'api/{account,billing,finished-lists,idempotency,internal,keys}.test.ts',
  'api/{webhooks-change,webhooks-create,webhooks-limits}.test.ts',
  'enrich/jobs.test.ts',
  'events/ledger.test.ts',
  'pipelines/{release,schedule}.test.ts',
  'state/{access-events,accounts,allowances,copy-state,keys,link-models,operator-decisions,postgres}.test.ts',
  'state/{run-ledger,schedule-ledger,suppressions,transaction,usage-report}.test.ts',
  'webhooks/**/*.test.ts',
]

/** Whether the test file `path`, relative to test/, may start processes. */
export const startsProcesses = (path: string): boolean =>
  STARTS_PROCESSES.some((glob) => matchesGlob(path, glob))

/** Whether the test file `path`, relative to test/, is a unit test. */
export const isUnitTest = (path: string): boolean => !NOT_UNIT.some((glob) => matchesGlob(path, glob))
