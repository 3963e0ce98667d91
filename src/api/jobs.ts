import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { DataPaths } from '../config.ts'
import type { DiskSpace } from '../enrich/jobs/disk-space.ts'
import { type Job, type JobLimits, Jobs } from '../enrich/jobs/jobs.ts'
import type { InputLimits } from '../enrich/read/read-input.ts'
import type { Log } from '../log.ts'
import { readManifest } from '../lookup/format/manifest.ts'
import type { State } from '../state/open.ts'
import type { Meter } from './meter.ts'
import type { Located } from './snapshots.ts'

export interface OpenJobs {
  readonly paths: Pick<DataPaths, 'out' | 'snapshots' | 'testSnapshots'>
  /** Returns the snapshot that lookups read: the test one (`isTest`) or the live one. */
  readonly serving: (isTest: boolean) => Located | null
  readonly state: State
  readonly meter: Meter
  readonly now: Clock
  readonly log: Log
  readonly newTraceId: () => string
  /** Limits for reading a list. */
  readonly limits: InputLimits
  readonly jobLimits: JobLimits
  readonly space: DiskSpace
  /** Days for which a job and its result are kept after its end. */
  readonly keepDays: number
}

/** Opens the background enrichments of this process. They read the published snapshots (for test keys, the made-up one) and are billed at their end. */
export function openJobs({
  paths,
  serving,
  state,
  meter,
  now,
  log,
  newTraceId,
  limits,
  jobLimits,
  space,
  keepDays,
}: OpenJobs): Jobs {
  const snapshotsOf = ({ request }: Job): string => (request.is_test ? paths.testSnapshots : paths.snapshots)
  return new Jobs({
    db: state.db,
    folder: join(paths.out, 'enrichments'),
    now,
    log,
    async snapshot({ request }) {
      const served = serving(request.is_test)
      return served === null
        ? null
        : { ...served, personCount: readManifest(served.folder).rows['people'] ?? 0 }
    },
    async snapshotFolder(version, job) {
      const folder = join(snapshotsOf(job), version)
      return (await stat(folder).catch(() => null)) === null ? null : folder
    },
    suppressions: () => state.suppressions.list(),
    limits,
    jobLimits,
    space,
    keptFor: keepDays * 86_400_000,
    onEnded({ account_id, api_key_id, created_at, request }, billed) {
      const at = now().getTime()
      const { taken = request.max_billable } = request
      if (taken !== null) meter.giveRowsBack(account_id, taken - billed, created_at)
      if (billed === 0) return
      state.events.record({
        event_ts: at,
        trace_id: newTraceId(),
        api_key_id,
        http_method: 'POST',
        route: '/v1/enrichments',
        status_code: 200,
        duration_ms: Math.max(0, at - created_at),
        billable: state.accounts.get(account_id).kind === 'live',
        billed,
      })
    },
  })
}
