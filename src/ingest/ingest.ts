import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { type Clock, dayOf } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { query } from '../warehouse/query.ts'
import { forgetFiles, takenBack } from './attempt.ts'
import type { SourceDefinition } from './definition.ts'
import { engineFaults } from './definition-faults.ts'
import { failedFiles, type FailedFile, heldLoads, type HeldLoad } from './held.ts'
import { type LandedFile, landedFiles } from './landing.ts'
import {
  type FileRecord,
  isWaiting,
  knownFiles,
  prepareTables,
  readingHashes,
  sourceState,
} from './ledger.ts'
import { type FileReport, loadSource } from './load-source.ts'
import type { LoadContext } from './loading.ts'
import type { Decision } from './decision.ts'
import { planFor, unclaimed } from './plan.ts'
import { folderNames } from './source-folders.ts'
import { fillReference } from './reference.ts'
import { type SharedContents, sharedContents } from './shared-files.ts'
import { type BadDefinition, placedFaults } from './sources.ts'

export interface IngestOptions {
  readonly db: DuckDBConnection
  readonly sources: SourceDefinition[]
  /** Definitions that cannot be used. Their files are not loaded, and the report names them. */
  readonly badDefinitions?: readonly BadDefinition[]
  readonly landing: string
  readonly now: Clock
  readonly log: Log
  /**
   * Stops the run between files and between blocks of a file. The transaction of the current source is rolled back.
   */
  readonly signal: AbortSignal
  /** The operator's decisions to accept or reject files. */
  readonly decisions?: readonly Decision[]
  readonly progress?: (p: { source_id: string; file: string; rows: number; seconds: number }) => void
}

export interface SourceReport {
  source_id: string
  /**
   * `loaded` when any file was loaded. Otherwise `rolled_back` when files failed, `held` when files wait for the
   * operator's decision, else `unchanged`.
   */
  status: 'loaded' | 'unchanged' | 'rolled_back' | 'held'
  /** Files that this run tried to load. Empty for an unchanged source. */
  files: FileReport[]
  /** The reason of the first failed or held file, even when other files were loaded. */
  reason: string | null
}

export interface IngestReport {
  sources: SourceReport[]
  /** Landed files that no source reads. */
  unclaimed: string[]
  /** All files that wait for the operator's decision, including those of earlier runs. */
  held: HeldLoad[]
  /** All failed files that are still in the landing folder, including those of earlier runs. */
  failed: FailedFile[]
  changed: boolean
  /** 3 when a file waits for a decision or failed, or when a definition is faulty. */
  exitCode: 0 | 3
}

/**
 * Loads the new files of the landing folder, each source in one transaction. When the process is killed, the next
 * run continues. A run without new files changes nothing. Faults of files are in the report and in the ledger.
 * @throws `disk_full`
 */
export async function ingest(options: IngestOptions): Promise<IngestReport> {
  const { db, now, log } = options
  await prepareTables(db)
  const started = now()
  const scratch = await openScratch(db)
  try {
    const report = await ingestAll(options, scratch)
    const seconds = (now().getTime() - started.getTime()) / 1000
    log.info({ ...countsOf(report.sources.flatMap(({ files }) => files)), seconds }, 'ingestion done')
    return report
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function ingestAll(options: IngestOptions, scratch: string): Promise<IngestReport> {
  const { db, sources, badDefinitions = [], landing, log, signal } = options
  await fillReference(db, sources)
  const files = await landedFiles({ db, landing, scratch, signal, log })
  const folders = folderNames([...sources, ...badDefinitions])
  const shared = sharedContents(sources, files, folders, options.decisions ?? [])
  const reports: SourceReport[] = []
  for (const bad of badDefinitions) {
    const reason = `${bad.message}\nNo file of this source is loaded until its definition is corrected; \`platbook sources --test\` checks it.`
    log.error({ source: bad.id, reason }, 'bad definition')
    reports.push({ source_id: bad.id, status: 'rolled_back', files: [], reason })
  }
  for (const source of sources) {
    signal.throwIfAborted()
    const report = await ingestSource(options, source, { files, folders, shared }, scratch)
    const counts = { source: source.id, ...countsOf(report.files) }
    if (report.status === 'rolled_back') log.error({ ...counts, reason: report.reason }, 'load rolled back')
    else if (report.status === 'loaded') log.info(counts, 'source loaded')
    for (const { file_name: file, status, reason } of report.files) {
      if (status === 'loaded' && reason !== null) {
        log.warn({ source: source.id, file, reason }, 'file loaded with a remark')
      }
      if (status === 'empty') log.warn({ source: source.id, file, reason }, 'file without records')
      if (status === 'held') log.error({ source: source.id, file, reason }, 'load held')
      if (status === 'failed') log.error({ source: source.id, file, reason }, 'file failed')
    }
    reports.push(report)
  }
  const unreadFiles = unclaimed(sources, files, folders)
  for (const file of unreadFiles) log.warn({ file }, 'no source reads this file')
  const held = await heldLoads(db)
  const failed = await failedFiles(db)
  const isWhole = held.length === 0 && failed.length === 0
  return {
    sources: reports,
    unclaimed: unreadFiles,
    held,
    failed,
    changed: reports.some((report) => report.status === 'loaded'),
    exitCode: isWhole && !reports.some((report) => report.status === 'rolled_back') ? 0 : 3,
  }
}

function countsOf(files: readonly FileReport[]): Record<'files' | 'loaded_rows' | 'refused_rows', number> {
  const sum = (of: (file: FileReport) => number): number => files.reduce((total, file) => total + of(file), 0)
  const loaded_rows = sum((file) => file.loaded_rows)
  return { files: files.length, loaded_rows, refused_rows: sum((file) => file.refused_rows) }
}

interface Landed {
  readonly files: readonly LandedFile[]
  readonly folders: ReadonlyMap<string, string>
  readonly shared: SharedContents
}

async function ingestSource(
  options: IngestOptions,
  source: SourceDefinition,
  { files, folders, shared }: Landed,
  scratch: string,
): Promise<SourceReport> {
  const { db, now, signal, progress } = options
  const decisions = (options.decisions ?? []).filter((each) => each.source_id === source.id)
  const state = await sourceState(db, source.id)
  const before = {
    definitionHash: state?.definition_hash ?? null,
    readings: await readingHashes(db, source.id),
    decisions,
  }
  let known = await forgetFiles(db, source, await knownFiles(db, source.id), takenBack(decisions))
  let plan = planFor(source, files, folders, known, before, shared)
  const hasWork = plan.sets.length > 0 || plan.isDefinitionChanged
  if (hasWork && state?.definition_hash !== plan.definitionHash) {
    const faults = await placedFaults(source, await engineFaults(db, source))
    if (faults.length > 0) {
      const reason = `${faults.join('\n')}\nNo file of this source is loaded until its definition is corrected; \`platbook sources --test\` checks it.`
      return { source_id: source.id, status: 'rolled_back', files: [], reason }
    }
  }
  const isRefusedChange = state?.status === 'rolled_back' && state.attempt === plan.attempt
  const keep = new Set([...plan.waiting, ...(isRefusedChange ? [plan.attempt] : [])])
  // These failed and held files were removed from the landing folder, were rejected, or are tried again.
  const isOutdated = (file: FileRecord): boolean => isWaiting(file) && !keep.has(file.attempt ?? '')
  if (known.some(isOutdated)) {
    known = await forgetFiles(db, source, known, isOutdated)
    plan = planFor(source, files, folders, known, before, shared)
  }
  const reportNow = async (reports: FileReport[], isChanged: boolean): Promise<SourceReport> => {
    const [failed] = await failedFiles(db, source.id)
    const [held] = await heldLoads(db, source.id)
    const waiting = failed !== undefined ? 'rolled_back' : held !== undefined ? 'held' : 'unchanged'
    return {
      source_id: source.id,
      status: isChanged ? 'loaded' : waiting,
      files: reports,
      reason: failed?.reason ?? held?.reason ?? null,
    }
  }
  const isDone =
    plan.sets.length === 0 &&
    plan.accepted.length === 0 &&
    plan.rejected.length === 0 &&
    !plan.isDefinitionChanged
  if (isDone || isRefusedChange) return await reportNow([], false)
  const { files: reports, failure } = await loading({
    db,
    source,
    plan,
    known,
    scratch,
    today: dayOf(now()),
    at: now().toISOString(),
    signal,
    progress: (file, rows, seconds) => progress?.({ source_id: source.id, file, rows, seconds }),
  })
  const isServed = reports.some(({ status }) => ['loaded', 'repeated', 'empty'].includes(status))
  const isChanged = isServed || plan.accepted.length > 0 || plan.isDefinitionChanged
  return await reportNow(reports, failure === null && isChanged)
}

async function loading(context: LoadContext): ReturnType<typeof loadSource> {
  try {
    return await loadSource(context)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'disk_full') throw cause
    throw new AppError(
      'disk_full',
      `no space left on the disk while ${context.source.id} was loaded; none of its new files is loaded: free space and run again`,
      { cause },
    )
  }
}

/** Creates an empty folder for temporary files beside the warehouse. Deletes the files that a killed run left there. */
async function openScratch(db: DuckDBConnection): Promise<string> {
  const [database] = await query(
    db,
    'select path from duckdb_databases() where database_name = current_database()',
    z.object({ path: z.string().nullable() }),
  )
  const path = database?.path ?? null
  if (path === null) return await mkdtemp(join(tmpdir(), 'platbook-ingest-'))
  const scratch = `${path}.ingest`
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch)
  return scratch
}
