import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { Clock } from '../src/clock.ts'
import type { Config } from '../src/config.ts'
import { AppError } from '../src/errors.ts'
import { normaliserVersion } from '../src/ingest/dictionaries.ts'
import type { FailedFile, HeldLoad } from '../src/ingest/held.ts'
import { ingest, type IngestReport, type SourceReport } from '../src/ingest/ingest.ts'
import { readSources, type ReadSources } from '../src/ingest/sources.ts'
import { link, type LinkReport } from '../src/link/link.ts'
import { LINKAGE_VERSION } from '../src/linkage/link-night.ts'
import type { Log } from '../src/log.ts'
import type { OnProgress } from '../src/progress.ts'
import { publish } from '../src/publish/publish.ts'
import { currentSnapshot } from '../src/lookup/current.ts'
import { problemText, readManifest, SCHEMA_VERSION } from '../src/lookup/manifest.ts'
import { verifySnapshot } from '../src/lookup/verify.ts'
import { buildModels, loadModels, modelsVersion } from '../src/warehouse/models.ts'
import { openWarehouse } from '../src/warehouse/open.ts'
import { forgetSnapshotRows, recordSnapshotRows } from '../src/warehouse/snapshot-rows.ts'
import { execute, query } from '../src/warehouse/query.ts'
import { openState } from '../src/state/open.ts'
import { type Released, releaseNews } from './release.ts'

export const STEPS = ['ingest', 'link', 'publish'] as const
export type Step = (typeof STEPS)[number]

export interface NightContext {
  readonly config: Config
  readonly sourceFolders: string[]
  readonly steps: readonly Step[]
  /** Link and publish although nothing is new. */
  readonly full: boolean
  /** Learn a new link model, and link everything by it. */
  readonly train?: boolean
  readonly now: Clock
  readonly signal: AbortSignal
  readonly log: Log
  readonly progress: OnProgress
}

export interface NightReport {
  readonly sources: SourceReport[]
  /** Files in landing that no source reads. */
  readonly unclaimed: string[]
  /** Loads that wait for a decision, and files that could not be loaded; null when the run did not ingest. */
  readonly held: readonly HeldLoad[] | null
  readonly failed: readonly FailedFile[] | null
  readonly link: LinkReport | null
  readonly published: boolean
  /** The snapshot that is current afterwards. */
  readonly version: string | null
  /** What was wrong with the snapshot that was current before, in words; null when it was as published. */
  readonly damage: string | null
  /** What subscribers are told of; null when all of the snapshot had been released. */
  readonly released: Released | null
  readonly seconds: number
  /** 0 done, 3 done without files that are held or failed. */
  readonly exitCode: 0 | 3
}

/**
 * Loads what is new, links it, publishes it. May be killed anywhere and run again: each source's load is one
 * transaction, and a stamp says what the last finished link and publication were made from.
 */
export async function runNight(context: NightContext): Promise<NightReport> {
  const started = performance.now()
  const { config, log, steps } = context
  const definitions = await readSources(context.sourceFolders)
  const warehouse = await openWarehouse(config.paths.warehouse, {
    memoryLimit: config.DUCKDB_MEMORY_LIMIT,
    threads: config.DUCKDB_THREADS,
  })
  const { db } = warehouse
  try {
    await execute(db, 'create table if not exists ledger.stamps (step varchar, stamp varchar)')
    // Beside the loads: reading a snapshot takes as long as its size.
    const standing = standingSnapshot(config.paths.snapshots, steps.includes('publish'))
    standing.catch(() => undefined)
    const ingested = steps.includes('ingest')
      ? await ingestLanding(db, definitions, context)
      : { sources: [], unclaimed: [], held: null, failed: null, changed: false, exitCode: 0 as const }
    const beside = [await warehouse.connect()]
    const linked = steps.includes('link') ? await linkLoaded(context, db, beside) : null
    const { version, damage } = await standing
    if (damage !== null) log.warn({ reason: damage }, 'the current snapshot is not usable: published anew')
    const published = steps.includes('publish') ? await publishLinked(context, db, beside, version) : null
    const released = steps.includes('publish') ? await releaseCurrent(context) : null
    const seconds = Math.round(performance.now() - started) / 1000
    log.info(
      {
        seconds,
        changed: ingested.changed,
        linked: linked !== null,
        published: published !== null,
        version: published ?? version,
      },
      'night done',
    )
    return {
      sources: ingested.sources,
      unclaimed: ingested.unclaimed,
      held: ingested.held,
      failed: ingested.failed,
      link: linked,
      published: published !== null,
      version: published ?? version,
      damage,
      released,
      seconds,
      exitCode: ingested.exitCode,
    }
  } finally {
    await warehouse.close()
  }
}

/** Links what is loaded, unless it is what was linked last; then builds `published.*` of it. */
async function linkLoaded(
  { config, now, log, signal, progress, full, train = false }: NightContext,
  db: DuckDBConnection,
  beside: readonly DuckDBConnection[],
): Promise<LinkReport | null> {
  const loaded = [
    await loadedStamp(db),
    await modelsVersion(),
    await normaliserVersion(),
    LINKAGE_VERSION,
  ].join(' ')
  if (!full && !train && (await stampOf(db, 'link')) === loaded) return null
  // The same files by another model are other people: killed from here on, the next night publishes them.
  if (full || train) await execute(db, `delete from ledger.stamps where step in ('link', 'publish')`)
  const modelFile = config.paths.linkModel
  const reportFile = join(config.paths.out, 'link-report.html')
  const linked = await link({ db, now, log, signal, progress, full, train, modelFile, reportFile, beside })
  await buildModels(db, await loadModels(), { layers: ['published'], log, signal, progress, beside })
  await setStamp(db, 'link', loaded)
  return linked
}

/** Publishes what is linked, unless the snapshot that is there (`version`) was made of it. The new version; null for none. */
async function publishLinked(
  { config, now, log, signal, progress, full }: NightContext,
  db: DuckDBConnection,
  [beside]: readonly DuckDBConnection[],
  version: string | null,
): Promise<string | null> {
  const linked = await stampOf(db, 'link')
  if (linked === null) return null
  if (!full && version !== null && (await stampOf(db, 'publish')) === `${linked} ${version}`) return null
  const { snapshots } = config.paths
  const sources = await loadedSources(db)
  const keep = config.SNAPSHOT_KEEP_COUNT
  if (full) await forgetSnapshotRows(db)
  const published = await publish({ db, beside, snapshots, now, log, signal, progress, keep, sources })
  await recordSnapshotRows(db, published.version, published.rows, now())
  await setStamp(db, 'publish', `${linked} ${published.version}`)
  return published.version
}

interface Standing {
  /** The current snapshot's version; null where publishing anew mends what a service cannot read. */
  readonly version: string | null
  /** What is wrong with it. */
  readonly damage: string | null
}

/** The current snapshot as this Platbook can use it. `isVerified`: every file is compared with the manifest. */
async function standingSnapshot(snapshots: string, isVerified: boolean): Promise<Standing> {
  try {
    const current = await currentSnapshot(snapshots)
    if (current === null) return { version: null, damage: null }
    if (readManifest(current.folder).schema_version !== SCHEMA_VERSION)
      return { version: null, damage: `${current.version} was made by another version of Platbook` }
    const problems = isVerified ? await verifySnapshot(current.folder) : []
    if (problems.length === 0) return { version: current.version, damage: null }
    return { version: null, damage: `${current.version} is damaged: ${problemText(problems)}` }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'bad_snapshot')) throw error
    return { version: null, damage: error.message }
  }
}

// Also where nothing was published: the night before may have been killed between the two.
async function releaseCurrent({ config, now, log }: NightContext): Promise<Released | null> {
  const snapshot = await currentSnapshot(config.paths.snapshots)
  if (snapshot === null) return null
  const state = openState(config.paths.state, { now, log })
  try {
    return await releaseNews({
      state,
      snapshot,
      eventStates: config.EVENT_STATES,
      newsDays: config.EVENT_NEWS_DAYS,
      now,
      log,
    })
  } finally {
    await state.close()
  }
}

async function ingestLanding(
  db: DuckDBConnection,
  { sources, bad }: ReadSources,
  { config, now, log, signal, progress }: NightContext,
): Promise<IngestReport> {
  const started = performance.now()
  let reading = 0
  const report = await ingest({
    db,
    sources,
    badDefinitions: bad,
    landing: config.paths.landing,
    now,
    log,
    signal,
    progress: ({ file, rows, seconds }) => {
      reading += seconds
      progress({ step: 'ingest', detail: file, rows, seconds })
    },
  })
  const seconds = (performance.now() - started) / 1000 - reading
  progress({ step: 'ingest', detail: 'hashing, staging and commits', rows: 0, seconds })
  return report
}

const Stamp = z.object({ stamp: z.string().nullable() })

async function stampOf(db: DuckDBConnection, step: Step): Promise<string | null> {
  const rows = await query(db, 'select stamp from ledger.stamps where step = $step', Stamp, { step })
  return rows[0]?.stamp ?? null
}

async function setStamp(db: DuckDBConnection, step: Step, stamp: string): Promise<void> {
  await execute(db, 'delete from ledger.stamps where step = $step', { step })
  await execute(db, 'insert into ledger.stamps values ($step, $stamp)', { step, stamp })
}

const LoadedSource = z.object({
  source_id: z.string(),
  files: z.int(),
  rows: z.int(),
  newest_on: z.string().nullable(),
})

/** What each source has given so far, for the manifest. */
async function loadedSources(db: DuckDBConnection): Promise<z.output<typeof LoadedSource>[]> {
  return query(
    db,
    `select source_id, count(*)::integer as files, sum(loaded_rows)::integer as rows, max(as_of_on) as newest_on
     from ledger.files where status = 'loaded' group by source_id order by source_id`,
    LoadedSource,
  )
}

/**
 * What the warehouse holds, in a few letters: changes whenever a file is loaded or staged anew, or content that is
 * there already comes again with another date.
 */
async function loadedStamp(db: DuckDBConnection): Promise<string> {
  const [row] = await query(
    db,
    `select string_agg(part, ',' order by part) as stamp
     from (
       select distinct sha256 || ':' || as_of_on::varchar as part
       from ledger.files where status in ('loaded', 'repeated')
       union all
       select file_id || ':' || loaded_at::varchar from ledger.files where status = 'loaded'
     ) as parts`,
    Stamp,
  )
  return createHash('sha256')
    .update(row?.stamp ?? '')
    .digest('hex')
}
