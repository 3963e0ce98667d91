import { matchesGlob } from 'node:path'

/**
 * Test files, as globs below test/, that are not unit tests: they start processes, make whole runs, or take longer than two
 * seconds. `npm run test:unit` runs all other files. `npm test` runs all files; in a unit test it lets no process start
 * (`no-processes.ts`).
 */
export const NOT_UNIT = [
  // Real `platbook` processes, nightly runs, benches.
  'bench/**',
  'cli/**',
  'mutations/copies.test.ts',
  'pipelines/**',
  'slow/**',
  // Other files that start processes.
  'api/{enrichments,hostile-lists,open-connections}.test.ts',
  'enrich/{enrich,jobs,read-input,safety,sample,spool-input}.test.ts',
  'events/documents.test.ts',
  'ingest/kill.test.ts',
  'notify/notify.test.ts',
  'publish/{disk-full,publish,suppressed}.test.ts',
  'state/{allowances,event-log}.test.ts',
  'warehouse/open.test.ts',
  'webhooks/processes.test.ts',
  // Whole loads, link runs and SQL models.
  'ingest/{bad-input,failed-files,formats,held,ingest,order,quarantine,sample}.test.ts',
  'normalize/run/**',
  'link/*.test.ts',
  'link/ids/**',
  'link/incremental/incremental.test.ts',
  'link/model/{model-checks,random-pairs,repeats}.test.ts',
  'sql/**',
  // Longer than two seconds.
  'api/{bad-input,errors,events,examples,keys,multipart,refusals,snapshots,suppressions,uploads}.test.ts',
  'enrich/threads.test.ts',
  'threads.test.ts',
  'link/explain/explain-pair.test.ts',
  'link/oracle/**',
  'link/records/{bad-input,names}.test.ts',
  'lookup/{oracle,page-of}.test.ts',
  'webhooks/deliver-together.test.ts',
]

/** Whether the test file `path`, relative to test/, is a unit test. */
export const isUnitTest = (path: string): boolean => !NOT_UNIT.some((glob) => matchesGlob(path, glob))
