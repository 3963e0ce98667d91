import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { DataPaths } from '../config.ts'
import { Jobs } from '../enrich/jobs.ts'
import type { InputLimits } from '../enrich/read-input.ts'
import type { Log } from '../log.ts'
import { readManifest } from '../lookup/manifest.ts'
import type { State } from '../state/open.ts'
import type { Meter } from './meter.ts'
import type { Located } from './snapshots.ts'

export interface OpenJobs {
  readonly paths: Pick<DataPaths, 'out' | 'snapshots'>
  /** The snapshot that lookups are answered from. */
  readonly serving: () => Located | null
  readonly state: State
  readonly meter: Meter
  readonly now: Clock
  readonly log: Log
  readonly newTraceId: () => string
  /** How much of a list is read. */
  readonly limits: InputLimits
  /** Days that a job and its result are kept once it has ended. */
  readonly keepDays: number
}

/** Lists enriched in the background of this process, on the published snapshots; each is billed when it is done. */
export function openJobs({
  paths,
  serving,
  state,
  meter,
  now,
  log,
  newTraceId,
  limits,
  keepDays,
}: OpenJobs): Jobs {
  return new Jobs({
    db: state.db,
    folder: join(paths.out, 'enrichments'),
    now,
    log,
    async snapshot() {
      const served = serving()
      return served === null
        ? null
        : { ...served, personCount: readManifest(served.folder).rows['people'] ?? 0 }
    },
    async snapshotFolder(version) {
      const folder = join(paths.snapshots, version)
      return (await stat(folder).catch(() => null)) === null ? null : folder
    },
    suppressions: () => state.suppressions.list(),
    limits,
    keptFor: keepDays * 86_400_000,
    onEnded({ account_id, api_key_id, created_at, request }, billed) {
      const at = now().getTime()
      if (request.max_billable !== null)
        meter.giveRowsBack(account_id, request.max_billable - billed, created_at)
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
