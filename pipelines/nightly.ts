import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { type Clock, dayOf } from '../src/clock.ts'
import type { Config } from '../src/config.ts'
import { AppError, messageOf } from '../src/errors.ts'
import type { FailedFile, HeldLoad } from '../src/ingest/held.ts'
import { ingest, type IngestReport, type SourceReport } from '../src/ingest/ingest.ts'
import { fillZips } from '../src/ingest/reference.ts'
import { readSources } from '../src/ingest/sources.ts'
import { link, type LinkReport } from '../src/link/link.ts'
import type { LinkByModel } from '../src/link/link-records.ts'
import { normalize, type NormalizeReport } from '../src/normalize/run/normalize.ts'
import { keepIdentities } from '../src/link/ids/kept-identities.ts'
import type { RefusedModel } from '../src/link/model/check-model.ts'
import type { Log } from '../src/log.ts'
import type { OnProgress } from '../src/progress.ts'
import { publish, type Published, type SuppressionOptions } from '../src/publish/publish.ts'
import { requireNotFetched } from '../src/replicate/status.ts'
import { currentSnapshot } from '../src/lookup/format/current.ts'
import { problemText, readManifest, versionFault } from '../src/lookup/format/manifest.ts'
import { suppressedIn, verifySnapshot } from '../src/lookup/index.ts'
import { buildModels, type BuildTables, loadModels } from '../src/warehouse/models.ts'
import { saysDiskFull } from '../src/warehouse/disk-full.ts'
import { statementFault } from '../src/warehouse/faults.ts'
import { openWarehouse, type Warehouse } from '../src/warehouse/open.ts'
import { createSnapshotRows, forgetSnapshotRows, recordSnapshotRows } from '../src/warehouse/snapshot-rows.ts'
import { query } from '../src/warehouse/query.ts'
import type { Uploaded } from '../src/replicate/upload.ts'
import { openState, type State } from '../src/state/open.ts'
import { AFTER_REFUSAL, type LinkModelDecision, LinkModels, refusalText } from '../src/state/link-models.ts'
import type { SourceDecision } from '../src/state/source-decisions.ts'
import { RunLedger, type StepEnd } from '../src/state/run-ledger.ts'
import { lateSources } from '../src/ingest/late.ts'
import { isNotifying, noteConditions, noteGoodRun, sendNotices } from '../src/notify/notify.ts'
import { serviceConditions } from '../src/notify/service-conditions.ts'
import { failuresOf } from './failures.ts'
import { sourceConditions } from './source-conditions.ts'
import { copyRuns, firstLine, RecordedRun } from './recorded-run.ts'
import { type Released, releaseNews } from './release.ts'
import {
  clearStamps,
  createStamps,
  linkedTablesStamp,
  linkStamp,
  loadedStamp,
  setStamp,
  stampOf,
} from './stamps.ts'

export const STEPS = ['ingest', 'normalize', 'link', 'publish'] as const
export type Step = (typeof STEPS)[number]

export interface NightlyContext {
  readonly config: Config
  readonly sourceFolders: string[]
  readonly steps: readonly Step[]
  /** Repeats each of `steps`, also when its input is unchanged. */
  readonly full: boolean
  /** Learns a new link model and links all records with it. */
  readonly train?: boolean
  /** Uses the learned model even when its checks refuse it. */
  readonly accept?: boolean
  /** Links all records in units, as `--engine` asks; see `LinkOptions.linkByModel`. */
  readonly linkByModel?: LinkByModel | undefined
  /** Builds the tables of SQL models in units, as `--engine` asks. */
  readonly buildTables?: BuildTables | undefined
  readonly now: Clock
  readonly signal: AbortSignal
  readonly log: Log
  readonly progress: OnProgress
}

export interface NightlyReport {
  readonly sources: SourceReport[]
  /** Files in landing that no source reads. */
  readonly unclaimed: string[]
  /** Held loads and failed files. Null when the run had no ingest step. */
  readonly held: readonly HeldLoad[] | null
  readonly failed: readonly FailedFile[] | null
  /** Null when the run had no normalize step, or nothing new was loaded. */
  readonly normalized: NormalizeReport | null
  readonly link: LinkReport | null
  readonly published: boolean
  /** Whether a snapshot was uploaded to SNAPSHOT_STORE. */
  readonly uploaded: boolean
  /** The current snapshot after the run. */
  readonly version: string | null
  /** Why the snapshot that was current before the run cannot be used. Null when it can. */
  readonly damage: string | null
  /** The counts of released events. Null when the events of the snapshot were released before. */
  readonly released: Released | null
  /** Sentences: a link model was refused, the warehouse could not record a publication, or events wait for the next run. */
  readonly warnings: readonly string[]
  readonly seconds: number
  /** 0 when everything is done. 3 when files failed or are held, or with warnings. */
  readonly exitCode: 0 | 3
}

/**
 * Loads new files, links and publishes. The process may be killed anywhere, and the next run continues. Each source's
 * load is one transaction. Stamps say what the last link and the last publication were made from. The state file
 * records each step.
 * @throws the error of the step that failed; later steps do not run
 */
export async function runNightly(context: NightlyContext): Promise<NightlyReport> {
  const { config, now, log, steps } = context
  if (steps.includes('publish')) await requireNotFetched(config.paths.snapshots)
  const state = await openState(config.state, { now, log, snapshots: config.paths.snapshots })
  try {
    const ledger = new RunLedger(state.db)
    const warehouse = await openForRun(context, ledger)
    try {
      const report = await runSteps(context, warehouse, state)
      await noteEnd(context, state, report.exitCode === 0)
      return report
    } catch (cause) {
      throw statementFault(config.paths.warehouse, cause) ?? cause
    } finally {
      await copyRuns(warehouse.db, ledger).catch((cause: unknown) =>
        log.warn(
          { reason: firstLine(messageOf(cause)) },
          'ledger.runs in the warehouse could not be updated; the state file has all runs',
        ),
      )
      // The last checkpoint of a damaged file may fail. The earlier error explains more, so this one is only
      // logged.
      await warehouse
        .close()
        .catch((cause: unknown) => log.warn({ reason: messageOf(cause) }, 'warehouse not closed'))
    }
  } catch (cause) {
    const isInUse = cause instanceof AppError && cause.code === 'warehouse_locked'
    if (!isInUse) await noteEnd(context, state, false)
    throw cause
  } finally {
    await sendNoted(context, state)
    await state.close()
  }
}

// Failing to record or send a notification never changes the result of a run.
async function noteSources(
  context: NightlyContext,
  db: DuckDBConnection,
  state: Pick<State, 'db'>,
  report: IngestReport,
): Promise<void> {
  const { config, now, sourceFolders } = context
  if (!isNotifying(config)) return
  await unlessItFails(context, async () => {
    const { sources } = await readSources(sourceFolders)
    const late = await lateSources(db, sources, dayOf(now()))
    await noteConditions({ config, db: state.db, now }, 'sources', sourceConditions(report, late))
  })
}

/** `isGood` is true when nothing failed. Only a run with all steps counts as a good run for the dead-man URL. */
async function noteEnd(context: NightlyContext, state: Pick<State, 'db'>, isGood: boolean): Promise<void> {
  const { config, now, steps } = context
  if (!isNotifying(config)) return
  const options = { config, db: state.db, now }
  await unlessItFails(context, async () => {
    await noteConditions(options, 'service', await serviceConditions(config, state.db, now()))
    if (isGood && STEPS.every((step) => steps.includes(step))) await noteGoodRun(options)
  })
}

async function sendNoted(context: NightlyContext, state: Pick<State, 'db'>): Promise<void> {
  const { config, now, log } = context
  await unlessItFails(context, async () => void (await sendNotices({ config, db: state.db, now, log })))
}

async function unlessItFails({ log }: NightlyContext, body: () => Promise<void>): Promise<void> {
  try {
    await body()
  } catch (cause) {
    log.error({ reason: firstLine(messageOf(cause)) }, 'the operator could not be notified')
  }
}

async function openForRun({ config, steps, now }: NightlyContext, ledger: RunLedger): Promise<Warehouse> {
  let opened: Warehouse | null = null
  try {
    opened = await openWarehouse(config.paths.warehouse, {
      memoryLimit: config.DUCKDB_MEMORY_LIMIT,
      threads: config.DUCKDB_THREADS,
    })
    await createStamps(opened.db)
    return opened
  } catch (cause) {
    await opened?.close()
    const isInUse = cause instanceof AppError && cause.code === 'warehouse_locked'
    const [first] = steps
    if (!isInUse && first !== undefined) {
      await ledger.noteFailure(first, firstLine(messageOf(cause)), now())
    }
    throw cause
  }
}

async function runSteps(
  context: NightlyContext,
  warehouse: Warehouse,
  state: Pick<State, 'db'>,
): Promise<NightlyReport> {
  const started = performance.now()
  const { config, log, steps, now, signal } = context
  const { db } = warehouse
  const explain = (cause: unknown): unknown => statementFault(config.paths.warehouse, cause) ?? cause
  const run = await RecordedRun.begin({ ledger: new RunLedger(state.db), now, signal, log, explain })
  // Verifies the current snapshot while files are loaded, because it reads the whole snapshot.
  const usable = usableSnapshot(config.paths.snapshots, steps.includes('publish'))
  usable.catch(() => undefined)
  const ingested = steps.includes('ingest')
    ? await run.step('ingest', () => ingestLanding(db, context), endOfIngest)
    : { sources: [], unclaimed: [], held: null, failed: null, changed: false, exitCode: 0 as const }
  if (ingested.held !== null) await noteSources(context, db, state, ingested)
  const extraConnections = [await warehouse.connect()]
  const normalized = steps.includes('normalize')
    ? await run.step(
        'normalize',
        () => normalizeLoaded(context, db, extraConnections),
        (report) => endOf(report?.rows ?? null),
      )
    : null
  const linked = steps.includes('link')
    ? await run.step('link', () => linkNormalized(context, db, extraConnections, state), endOfLink)
    : null
  let uploaded: Uploaded | null = null
  const publishAndUpload = async (): Promise<PublishedNow | null> => {
    const made = await publishLinked(context, db, extraConnections, usable)
    uploaded = config.SNAPSHOT_STORE === undefined ? null : await uploadSnapshot(context)
    return made
  }
  const published = steps.includes('publish')
    ? await run.step('publish', publishAndUpload, endOfPublish)
    : null
  let unreleased: string | null = null
  const released = steps.includes('publish')
    ? await run
        .step('events', () => releaseCurrent(context, state), endOfRelease)
        .catch((cause: unknown) => {
          if (published === null || !saysDiskFull(cause)) throw cause
          unreleased = `snapshot ${published.version} is published, but its new deed events are not sent yet: ${firstLine(messageOf(explain(cause)))}; the next run sends them`
          return null
        })
    : null
  const refused = linked?.refusedModel ?? null
  const refusal = refused === null ? null : `${refusalText(decisionOf(refused))}; run: ${AFTER_REFUSAL}`
  const warnings = [refusal, published?.warning, unreleased].filter((warning) => typeof warning === 'string')
  for (const warning of warnings) log.warn({ reason: warning }, 'done with a warning')
  const { version, damage } = await usable
  const seconds = Math.round(performance.now() - started) / 1000
  const report = {
    sources: ingested.sources,
    unclaimed: ingested.unclaimed,
    held: ingested.held,
    failed: ingested.failed,
    normalized,
    link: linked,
    published: published !== null,
    uploaded: (uploaded as Uploaded | null)?.isNew ?? false,
    version: published?.version ?? version,
    damage,
    released,
    warnings,
    seconds,
    exitCode: warnings.length > 0 ? (3 as const) : ingested.exitCode,
  }
  log.info(
    {
      seconds,
      changed: ingested.changed,
      linked: linked !== null,
      published: report.published,
      version: report.version,
    },
    'nightly run done',
  )
  return report
}

function endOfIngest(report: IngestReport): StepEnd {
  const row_count = report.sources
    .flatMap(({ files }) => files)
    .reduce((sum, file) => sum + file.loaded_rows, 0)
  const failures = failuresOf(report)
  if (failures.length === 0) {
    return { outcome: report.changed ? 'done' : 'unchanged', row_count, reason: null }
  }
  const reasons = failures.map(
    ({ source_id, what, file_name, reason }) =>
      `${source_id} ${what}${file_name === null ? '' : `, ${file_name}`}: ${firstLine(reason)}`,
  )
  return { outcome: 'done_with_failures', row_count, reason: reasons.join('; ') }
}

/** A publication whose snapshot is current. */
interface PublishedNow extends Published {
  /** Why the warehouse could not record the publication. Null when it could. */
  readonly warning: string | null
}

function endOfPublish(published: PublishedNow | null): StepEnd {
  if (published === null) return { outcome: 'unchanged', row_count: null, reason: null }
  const row_count = Object.values(published.rows).reduce((sum, rows) => sum + rows, 0)
  const { warning } = published
  return { outcome: warning === null ? 'done' : 'done_with_failures', row_count, reason: warning }
}

function endOfRelease(released: Released | null): StepEnd {
  return {
    outcome: released === null ? 'unchanged' : 'done',
    row_count: released?.event_count ?? null,
    reason: null,
  }
}

/** Builds `normal.*`. Returns null when it was built from the same input before. */
async function normalizeLoaded(
  { log, signal, progress, full, buildTables }: NightlyContext,
  db: DuckDBConnection,
  extraConnections: readonly DuckDBConnection[],
): Promise<NormalizeReport | null> {
  const stamp = await loadedStamp(db)
  if (!full && (await stampOf(db, 'normalize')) === stamp) return null
  await clearStamps(db, ['normalize', 'link'])
  const report = await normalize({ db, log, signal, progress, extraConnections, buildTables })
  await setStamp(db, 'normalize', stamp)
  return report
}

/** Links the normalized records. Returns null when the last link run had the same input. */
async function linkNormalized(
  context: NightlyContext,
  db: DuckDBConnection,
  extraConnections: readonly DuckDBConnection[],
  state: Pick<State, 'db'>,
): Promise<LinkReport | null> {
  const { config, now, log, signal, progress, full, train = false, accept = false } = context
  const { linkByModel, buildTables } = context
  const { linkModel: modelFile, identities } = config.paths
  const stamp = linkStamp(await stampOf(db, 'normalize'))
  if (!full && !train && (await stampOf(db, 'link')) === stamp) {
    await keepIdentities(db, identities, modelFile)
    return null
  }
  // Another model gives other people for the same files. Without its stamp, a killed run is repeated and published.
  if (full || train) await clearStamps(db, ['link'])
  const reportFile = join(config.paths.out, 'link-report.html')
  const options = { db, now, log, signal, progress, extraConnections }
  const linked = await link({
    ...options,
    full,
    train,
    accept,
    modelFile,
    identities,
    reportFile,
    linkByModel,
    buildTables,
  })
  await recordModel(state, linked, now())
  await setStamp(db, 'link', stamp)
  return linked
}

/** `row_count` is null when the step had nothing to do. */
function endOf(row_count: number | null): StepEnd {
  return { outcome: row_count === null ? 'unchanged' : 'done', row_count, reason: null }
}

/** Records in the state file whether the learned model was used or refused. */
async function recordModel(
  { db }: Pick<State, 'db'>,
  { trained, refusedModel, model }: LinkReport,
  at: Date,
): Promise<void> {
  if (refusedModel !== null) await new LinkModels(db).record(decisionOf(refusedModel), at)
  else if (trained && model !== null) {
    const { trainedOn: trained_on, records: record_count } = model
    await new LinkModels(db).record({ trained_on, record_count, outcome: 'used', linked_by: 'learned', faults: [] }, at) // prettier-ignore
  }
}

function decisionOf({
  trainedOn,
  records,
  faults,
  instead,
}: RefusedModel): Omit<LinkModelDecision, 'decided_at'> {
  return {
    trained_on: trainedOn,
    record_count: records,
    outcome: 'refused',
    linked_by: instead,
    faults: faults.map(({ what }) => what),
  }
}

function endOfLink(report: LinkReport | null): StepEnd {
  const end = endOf(report?.records ?? null)
  const refused = report?.refusedModel ?? null
  if (refused === null) return end
  return { ...end, outcome: 'done_with_failures', reason: refusalText(decisionOf(refused)) }
}

/** Builds and publishes `published.*`. Returns null when the current snapshot was made from the same input. */
async function publishLinked(
  context: NightlyContext,
  db: DuckDBConnection,
  connections: readonly DuckDBConnection[],
  usable: Promise<UsableSnapshot>,
): Promise<PublishedNow | null> {
  const { config, now, log, signal, progress, full } = context
  const { version, damage } = await usable
  if (damage !== null)
    log.warn({ reason: damage }, 'the current snapshot cannot be used: this run publishes again')
  const tables = await buildPublished(context, db, connections)
  const { suppression, change } = await suppressionOf(config, now, log)
  const shards = config.SNAPSHOT_SHARDS
  const stamp = (of: string): string => [tables, of, ...change, ...(shards === 1 ? [] : [`${shards} shards`])].join(' ') // prettier-ignore
  if (!full && version !== null && (await stampOf(db, 'publish')) === stamp(version)) return null
  const { snapshots } = config.paths
  const sources = await loadedSources(db)
  const keep = config.SNAPSHOT_KEEP_COUNT
  if (full) await forgetSnapshotRows(db)
  const published = await publish({
    db,
    extraConnection: connections[0],
    snapshots,
    now,
    log,
    signal,
    progress,
    keep,
    shards,
    sources,
    suppression,
  })
  try {
    await recordSnapshotRows(db, published.version, published.rows, now())
    await setStamp(db, 'publish', stamp(published.version))
    return { ...published, warning: null }
  } catch (cause) {
    if (!saysDiskFull(cause)) throw cause
    // Without the stamp the next run publishes the same tables again and records that.
    const reason = firstLine(messageOf(statementFault(config.paths.warehouse, cause) ?? cause))
    const warning = `snapshot ${published.version} is published, but the warehouse could not record it: ${reason}; the next run publishes again`
    return { ...published, warning }
  }
}

/** Uploads the current snapshot to the store of the configuration, unless the store has it. */
async function uploadSnapshot({ config, log, signal }: NightlyContext): Promise<Uploaded | null> {
  const { SNAPSHOT_STORE: place = '', SNAPSHOT_KEEP_COUNT: keep } = config
  const { openStore } = await import('../src/store/open.ts')
  const { uploadCurrent } = await import('../src/replicate/upload.ts')
  const store = await openStore(place, { settings: config, signal })
  try {
    return await uploadCurrent({ store, snapshots: config.paths.snapshots, keep, log, signal })
  } finally {
    store.close()
  }
}

/**
 * Builds `published.*` from the last link run, unless that is done, and returns the stamp of what the tables are made
 * from. When files were loaded or normalized after the last link run, the tables of the run before stay: a suppressed
 * person can be removed from the service although linking fails.
 * @throws `not_linked` when there are no such tables
 */
async function buildPublished(
  { log, signal, progress, full, buildTables }: NightlyContext,
  db: DuckDBConnection,
  extraConnections: readonly DuckDBConnection[],
): Promise<string> {
  const linked = await stampOf(db, 'link')
  const built = await stampOf(db, 'published')
  if (linked !== null && linked === linkStamp(await loadedStamp(db))) {
    const tables = await linkedTablesStamp(db, linked)
    if (!full && tables === built) return tables
    await clearStamps(db, ['published'])
    await fillZips(db)
    if (buildTables === undefined) {
      const options = { log, signal, progress, extraConnections }
      await buildModels(db, await loadModels(), { layers: ['published'], ...options })
    } else {
      await createSnapshotRows(db)
      await buildTables(db, 'publish')
    }
    await setStamp(db, 'published', tables)
    return tables
  }
  if (built === null)
    throw new AppError(
      'not_linked',
      'the loaded files are not linked, so there is nothing to publish: run `platbook link`, or `platbook nightly` for all steps',
    )
  log.warn(
    {},
    'files were loaded after the last link run: `published.*` stays as it is until they are linked',
  )
  return built
}

/**
 * Returns the suppressed people, and a text that changes with the list and the policy. A changed text makes the
 * next run publish again.
 */
async function suppressionOf(
  config: Config,
  now: Clock,
  log: Log,
): Promise<{ readonly suppression: SuppressionOptions | undefined; readonly change: readonly string[] }> {
  const state = await openState(config.state, { now, log, snapshots: config.paths.snapshots })
  try {
    const count = await state.suppressions.changeCount()
    const names = config.SUPPRESSED_NAMES
    const list = await state.suppressions.list()
    const suppression =
      list.length === 0 ? undefined : { find: (folder: string) => suppressedIn(folder, list), names }
    return { suppression, change: count === 0 ? [] : [`suppressions ${count}`, names] }
  } finally {
    await state.close()
  }
}

interface UsableSnapshot {
  /** The version of the current snapshot. Null when services cannot use it, so that this run must publish. */
  readonly version: string | null
  /** Why the snapshot cannot be used. */
  readonly damage: string | null
}

/**
 * Returns the current snapshot if this version of Platbook can use it. `isVerified` compares every file with the
 * manifest.
 */
async function usableSnapshot(snapshots: string, isVerified: boolean): Promise<UsableSnapshot> {
  try {
    const current = await currentSnapshot(snapshots)
    if (current === null) return { version: null, damage: null }
    const fault = versionFault(readManifest(current.folder))
    if (fault !== null) return { version: null, damage: `${current.version} was ${fault.made}` }
    const problems = isVerified ? await verifySnapshot(current.folder) : []
    if (problems.length === 0) return { version: current.version, damage: null }
    return { version: null, damage: `${current.version} is damaged: ${problemText(problems)}` }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'bad_snapshot')) throw error
    return { version: null, damage: error.message }
  }
}

// Runs without a publication too, because the run before may have been killed between publication and release.
async function releaseCurrent(
  { config, now, log }: NightlyContext,
  state: Pick<State, 'db'>,
): Promise<Released | null> {
  const snapshot = await currentSnapshot(config.paths.snapshots)
  if (snapshot === null) return null
  return releaseNews({
    state,
    snapshot,
    eventStates: config.EVENT_STATES,
    newsDays: config.EVENT_NEWS_DAYS,
    now,
    log,
  })
}

async function sourceDecisions(config: Config, now: Clock, log: Log): Promise<SourceDecision[]> {
  const state = await openState(config.state, { now, log, snapshots: config.paths.snapshots })
  try {
    return await state.sourceDecisions.all()
  } finally {
    await state.close()
  }
}

async function ingestLanding(
  db: DuckDBConnection,
  { config, sourceFolders, now, log, signal, progress }: NightlyContext,
): Promise<IngestReport> {
  const { sources, bad } = await readSources(sourceFolders)
  const started = performance.now()
  let reading = 0
  const report = await ingest({
    db,
    sources,
    badDefinitions: bad,
    decisions: await sourceDecisions(config, now, log),
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

const LoadedSource = z.object({
  source_id: z.string(),
  files: z.int(),
  rows: z.int(),
  newest_on: z.string().nullable(),
})

/** Returns files, rows and newest date of each source, for the manifest. */
async function loadedSources(db: DuckDBConnection): Promise<z.output<typeof LoadedSource>[]> {
  return query(
    db,
    `select source_id, count(*)::integer as files, sum(loaded_rows)::integer as rows, max(as_of_on) as newest_on
     from ledger.files where status = 'loaded' group by source_id order by source_id`,
    LoadedSource,
  )
}
