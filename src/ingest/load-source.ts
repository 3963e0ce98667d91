import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../errors.ts'
import { execute, inTransaction, query } from '../warehouse/query.ts'
import { asOfDates } from './as-of.ts'
import { forgetAttempt, LoadFailure, Quarantined, quarantinedSoFar, recordAttempt } from './attempt.ts'
import { blocksOf, isPlain, pathOf, shownName } from './content.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import {
  type FileRecord,
  type LedgerFile,
  nextFileId,
  createLoading,
  ensureTables,
  recordFiles,
  recordReadings,
  recordSource,
} from './ledger.ts'
import { loadParquet } from './parquet.ts'
import type { Plan, Unit } from './plan.ts'
import { checkAccount, RawLoader, rawTables } from './raw-loader.ts'
import { readText } from './read-text.ts'
import { clearStaging, stageKind } from './stage.ts'

export interface FileReport {
  file_name: string
  kind: string
  file_rows: number
  loaded_rows: number
  refused_rows: number
  /** Empty: readable, and without records. Failed: nothing of it is in. Held: in raw, and waiting for a decision. */
  status: Exclude<LedgerFile['status'], 'rolled_back'> | 'failed'
  reason: string | null
}

export interface LoadContext {
  readonly db: DuckDBConnection
  readonly source: SourceDefinition
  readonly plan: Plan
  readonly known: readonly LedgerFile[]
  readonly scratch: string
  /** The day and the instant of this night. */
  readonly today: string
  readonly at: string
  readonly signal: AbortSignal
  progress(file: string, rows: number, seconds: number): void
}

/** A file in this load; its record grows as it is read. */
interface LoadingFile {
  readonly unit: Unit
  record: FileRecord
}

/**
 * Loads and stages what a plan holds, in one transaction: ledger, raw, quarantine and staging, or nothing.
 * What is wrong with the files themselves does not throw: the load is rolled back, and the ledger says why.
 */
export async function loadSource(
  context: LoadContext,
): Promise<{ files: FileReport[]; failure: AppError | null }> {
  const { db, source, plan } = context
  try {
    const files = await inTransaction(db, async () => {
      const loaded = await loadFiles(context)
      await stageAll(context, loaded)
      await recordReadings(db, source.id, plan.readings)
      await recordSource(
        db,
        source.id,
        { definition_hash: plan.definitionHash, attempt: plan.attempt, status: 'loaded', reason: null },
        context.at,
      )
      return loaded
    })
    return { files: files.map(({ record }) => reportOf(record)), failure: null }
  } catch (error) {
    if (!(error instanceof LoadFailure)) throw error
    await inTransaction(db, () =>
      recordAttempt(db, { source_id: source.id, attempt: plan.attempt, at: context.at }, error),
    )
    const files = error.files.map((record) => reportOf({ ...record, status: 'rolled_back' }))
    return { files, failure: error.failure }
  }
}

async function loadFiles(context: LoadContext): Promise<LoadingFile[]> {
  const { db, source, plan } = context
  await forgetAttempt(db, source.id)
  const files = await filesInOrder(context)
  await ensureTables(db, rawTables(source))
  await createLoading(
    db,
    files.map(({ record }) => record),
  )
  try {
    const [fault] = plan.faults
    if (fault?.fault != null) throw fault.fault
    for (const kind of source.files) {
      const ofKind = files.filter(({ unit }) => unit.kind === kind)
      if (ofKind.length > 0) await loadKind(context, kind, ofKind)
    }
    await checkLimit(context, files)
    const records = files.map(({ record }) => record)
    await recordFiles(db, records, context.at)
  } catch (error) {
    if (!(error instanceof AppError) || !isFaultOfFiles(error)) throw error
    const records = files.map(({ record }) => record)
    throw new LoadFailure(error, records, await quarantinedSoFar(db, records))
  }
  return files
}

function isFaultOfFiles(error: AppError): boolean {
  return ['source_unreadable', 'header_drift', 'too_many_refused'].includes(error.code)
}

/** Units by the day of their content, then by name: ids are given in this order, and it decides what is newest. */
async function filesInOrder(context: LoadContext): Promise<LoadingFile[]> {
  const { db, source, plan, today } = context
  const files: LoadingFile[] = []
  const days = await asOfDates(
    db,
    plan.units.map(({ kind, groups }) => ({ kind, groups })),
  )
  for (const [index, unit] of plan.units.entries()) {
    const { content, kind, groups } = unit
    const asOf = days[index] ?? null
    files.push({
      unit,
      record: {
        file_id: unit.formerId ?? 0,
        source_id: source.id,
        kind: kind.kind,
        file_name: content.file.name,
        member: content.member,
        base_name: content.name.base,
        groups,
        container_sha256: content.file.sha256,
        sha256: isPlain(content) ? content.file.sha256 : null,
        byte_count: content.file.byteCount,
        as_of_on: asOf ?? today,
        physical_rows: 0,
        loaded_rows: 0,
        refused_rows: 0,
        status: 'loaded',
        reason: null,
        same_as_file_id: null,
      },
    })
  }
  files.sort((a, b) => compare(a.record, b.record))
  let id = await nextFileId(db)
  for (const file of files) if (file.record.file_id === 0) file.record = { ...file.record, file_id: id++ }
  return files
}

function compare(a: FileRecord, b: FileRecord): number {
  return placeInOrder(a) < placeInOrder(b) ? -1 : 1
}

function placeInOrder({ as_of_on, file_name, member, kind }: FileRecord): string {
  return [as_of_on, file_name, member ?? '', kind].join('\n')
}

async function loadKind(context: LoadContext, kind: FileKind, files: LoadingFile[]): Promise<void> {
  const { db, source, scratch, at, signal, known } = context
  const loader = new RawLoader({ db, source, kind, folder: scratch, at })
  const reread = files.flatMap(({ unit }) => unit.formerId ?? [])
  for (const id of reread) {
    await execute(db, `delete from ${loader.table} where file_id = ${id}`)
    await execute(db, `delete from ledger.quarantine where file_id = ${id}`)
    await execute(db, `delete from ledger.files where file_id = ${id}`)
  }
  const contents = new Map(
    known
      .filter((file) => file.kind === kind.kind && file.status === 'loaded' && !reread.includes(file.file_id))
      .flatMap((file) => (file.sha256 === null ? [] : [[file.sha256, file.file_id] as const])),
  )
  const read: LoadingFile[] = []
  try {
    for (const file of files) {
      signal.throwIfAborted()
      const started = performance.now()
      const isNew = await readFile(context, loader, file, contents)
      if (isNew) read.push(file)
      const seconds = (performance.now() - started) / 1000
      context.progress(shownName(file.unit.content), file.record.physical_rows, seconds)
    }
    const counts = await loader.finish(read.map(({ record }) => record.file_id))
    for (const file of read) settle(file, counts.get(file.record.file_id))
  } catch (error) {
    await loader.abandon()
    throw error
  }
}

/** Reads one file; false where its content is known already and it only stands for the file that has it. */
async function readFile(
  context: LoadContext,
  loader: RawLoader,
  file: LoadingFile,
  contents: Map<string, number>,
): Promise<boolean> {
  const { db, scratch, signal } = context
  const { content, kind } = file.unit
  const { file_id: fileId } = file.record
  const shown = shownName(content)
  const sha256 = file.record.sha256 ?? packedBefore(context, file.unit)
  if (sha256 !== null && contents.has(sha256)) {
    file.record = { ...file.record, sha256 }
    return repeat(file, contents)
  }
  const { format } = kind
  if (format.type === 'parquet') {
    const path = await pathOf(content, scratch)
    const physical = await loadParquet(db, {
      path,
      shown,
      fileId,
      table: loader.table,
      columns: format.columns,
    })
    const named = `${content.file.sha256} ${content.member ?? ''}`
    file.record = { ...file.record, sha256: file.record.sha256 ?? named, physical_rows: physical }
  } else {
    const inLoad = { fileId, shownName: shown }
    const result = await readText(
      blocksOf(content, scratch),
      format,
      shown,
      (columns) => loader.sink(inLoad, columns),
      async () => {
        signal.throwIfAborted()
        await loader.rest()
      },
    )
    file.record = {
      ...file.record,
      sha256: result.sha256,
      byte_count: result.byteCount,
      physical_rows: result.physicalRecords,
      reason: result.hasLines ? 'line 1 is a header, and no records follow' : 'the file is empty',
    }
    if (result.physicalRecords > 0) file.record = { ...file.record, reason: null }
  }
  if (file.record.physical_rows === 0) {
    file.record = {
      ...file.record,
      status: 'empty',
      reason: file.record.reason ?? 'the file has no records',
    }
    return true
  }
  const read = file.record.sha256
  if (read !== null && contents.has(read)) {
    loader.discard(fileId)
    return repeat(file, contents)
  }
  if (read !== null) contents.set(read, fileId)
  return true
}

/** The hash of a packed content that was read before from a file with the same bytes under another name. */
function packedBefore({ known }: LoadContext, { content, kind }: Unit): string | null {
  const same = known.find(
    (file) =>
      file.container_sha256 === content.file.sha256 &&
      file.member === content.member &&
      file.kind === kind.kind,
  )
  return same?.sha256 ?? null
}

function repeat(file: LoadingFile, contents: ReadonlyMap<string, number>): false {
  const same = contents.get(file.record.sha256 ?? '') ?? null
  file.record = {
    ...file.record,
    status: 'repeated',
    same_as_file_id: same,
    loaded_rows: 0,
    reason: `its content is that of file ${same}`,
  }
  return false
}

function settle(file: LoadingFile, counts: { loaded: number; refused: number } | undefined): void {
  const { loaded, refused } = counts ?? { loaded: 0, refused: 0 }
  file.record = { ...file.record, loaded_rows: loaded, refused_rows: refused }
  checkAccount(shownName(file.unit.content), file.record.physical_rows, { loaded, refused })
}

/** @throws `too_many_refused` where the share of refused records is above the source's limit */
async function checkLimit({ db, source }: LoadContext, files: LoadingFile[]): Promise<void> {
  const physical = files.reduce((sum, { record }) => sum + record.loaded_rows + record.refused_rows, 0)
  const refused = files.reduce((sum, { record }) => sum + record.refused_rows, 0)
  if (refused === 0 || refused / physical <= source.refusedLimit) return
  const ids = files.map(({ record }) => record.file_id).join(', ')
  const [first] = await query(
    db,
    `select file_id, file_name, line_number, raw_text, reason, field from ledger.quarantine
     where file_id in (${ids}) order by file_id, line_number limit 1`,
    Quarantined,
  )
  throw new AppError(
    'too_many_refused',
    `${source.id}: ${refused} of ${physical} records refused (${percent(refused / physical)}, limit ${percent(
      source.refusedLimit,
    )}); the first: ${first?.file_name}, line ${first?.line_number}: ${first?.reason}`,
    { details: { file: first?.file_name ?? '', line: first?.line_number ?? 0 } },
  )
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}

async function stageAll(context: LoadContext, files: readonly LoadingFile[]): Promise<void> {
  const { db, source, plan, at } = context
  if (plan.isDefinitionChanged) {
    await clearStaging(db, source.id)
    await execute(
      db,
      `update ledger.files set loaded_at = $at::timestamp where source_id = $source and status = 'loaded'`,
      { at, source: source.id },
    )
  }
  for (const kind of source.files) {
    context.signal.throwIfAborted()
    const fresh = new Set(files.filter(({ unit }) => unit.kind === kind).map(({ record }) => record.file_id))
    if (plan.isDefinitionChanged) {
      await stageKind(db, source, kind, 'all')
    } else if (fresh.size > 0) {
      await stageKind(db, source, kind, fresh)
    }
  }
}

function reportOf(record: FileRecord): FileReport {
  return {
    file_name: record.member === null ? record.file_name : `${record.file_name}!${record.member}`,
    kind: record.kind,
    file_rows: record.physical_rows,
    loaded_rows: record.loaded_rows,
    refused_rows: record.refused_rows,
    status: record.status === 'rolled_back' ? 'failed' : record.status,
    reason: record.reason,
  }
}
