import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { DiskSpace } from '../enrich/jobs/disk-space.ts'
import { Jobs } from '../enrich/jobs/jobs.ts'
import type { InputLimits } from '../enrich/read/read-input.ts'
import type { Log } from '../log.ts'
import { readManifest } from '../lookup/format/manifest.ts'
import type { State } from '../state/open.ts'
import type { Meter } from './meter.ts'
import type { Served } from './served.ts'

export interface OpenJobs {
  readonly config: Config
  readonly served: Served
  readonly state: State
  readonly meter: Meter
  readonly now: Clock
  readonly log: Log
  readonly newTraceId: () => string
  /** Limits for reading an input file. */
  readonly limits: InputLimits
  readonly space: DiskSpace
}

/** Opens the background enrichments of this process. They read the live or the test snapshot and are billed at their end. */
export function openJobs(options: OpenJobs): Jobs {
  const { config, served, state, meter, now, log, limits, space } = options
  const { paths } = config
  return new Jobs({
    db: state.db,
    folder: join(paths.out, 'enrichments'),
    now,
    log,
    async snapshot({ request }) {
      const { serving } = request.is_test ? served.test : served.live
      if (serving === null) return null
      return { ...serving, personCount: readManifest(serving.folder).rows['people'] ?? 0 }
    },
    async snapshotFolder(version, { request }) {
      const folder = join(request.is_test ? paths.testSnapshots : paths.snapshots, version)
      return (await stat(folder).catch(() => null)) === null ? null : folder
    },
    suppressions: () => state.suppressions.list(),
    limits,
    jobLimits: {
      openJobs: config.ENRICHMENT_OPEN_JOBS,
      storedBytes: config.ENRICHMENT_STORED_MB * 2 ** 20,
      smallRows: config.ENRICHMENT_SMALL_ROWS,
    },
    space,
    keptFor: config.ENRICHMENT_KEEP_DAYS * 86_400_000,
    async onEnded({ account_id, api_key_id, created_at, request }, billed) {
      const at = now().getTime()
      const { taken = request.max_billable } = request
      if (taken !== null) meter.giveRowsBack(account_id, taken - billed, created_at)
      if (billed === 0) return
      state.events.record({
        event_ts: at,
        trace_id: options.newTraceId(),
        api_key_id,
        http_method: 'POST',
        route: '/v1/enrichments',
        status_code: 200,
        duration_ms: Math.max(0, at - created_at),
        billable: (await state.accounts.get(account_id)).kind === 'live',
        billed,
      })
    },
  })
}
