import { AppError } from '../errors.ts'
import { execute, inTransaction, query } from '../warehouse/query.ts'
import { asOfDates } from './as-of.ts'
import {
  acceptHeld,
  deleteRaw,
  keepFirstRefused,
  LoadFailure,
  Quarantined,
  recordRefusedChange,
  settleReplaced,
} from './attempt.ts'
import {
  correctedLines,
  inOrderOfExport,
  isCorrection,
  placeCorrections,
  resolveCorrection,
} from './corrected-files.ts'
import { blocksOf, isPlain, pathOf, shownName } from './content.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import type { Unit } from './file-sets.ts'
import { expectedColumns } from './header.ts'
import { holdFiles, unconvertedValues } from './hold.ts'
import { percent } from './judge.ts'
import type { LandedFile } from './landing.ts'
import {
  type FileRecord,
  nextFileId,
  createLoading,
  ensureTables,
  recordFiles,
  recordReadings,
  recordSource,
  UNREAD,
} from './ledger.ts'
import {
  inSet,
  isServed,
  type LoadContext,
  type LoadingFile,
  type ReadableFile,
  shownRecord,
  togetherWith,
} from './loading.ts'
import { checkParquet, loadParquet } from './parquet.ts'
import { checkAccount, RawLoader, rawTables } from './raw-loader.ts'
import { readText } from './read-text.ts'
import { clearStaging, stageKind } from './stage.ts'
import { settleSuperseded } from './superseded-quarantine.ts'

export interface FileReport {
  file_name: string
  kind: string
  file_rows: number
  loaded_rows: number
  refused_rows: number
  /**
   * `empty`: readable, but without records. `failed`: none of its rows is in raw. `held`: its rows are in raw, but
   * not in staging, until the operator decides.
   */
  status: Exclude<FileRecord['status'], 'rolled_back'> | 'failed'
  reason: string | null
}

/**
 * Loads the files of a plan into raw and staging, in one transaction.
 *
 * A faulty file is removed again together with its set, and the other files stay. When a changed definition cannot
 * read a loaded file, everything is rolled back. In both cases the ledger records the reason, and nothing is thrown.
 */
export async function loadSource(
  context: LoadContext,
): Promise<{ files: FileReport[]; failure: AppError | null }> {
  const { db, source, plan } = context
  const damaged = await damagedParquet(context)
  try {
    const files = await inTransaction(db, async () => {
      const accepted = await acceptHeld(db, plan, context.at)
      const before = await unconvertedValues(db, source.id)
      const loaded = await loadFiles(context, damaged)
      await holdFiles(context, loaded, before)
      const fresh = [...accepted, ...loaded.map(({ record }) => record)].filter(isServed)
      await settleReplaced(db, source, fresh)
      await settleSuperseded(db, source, loaded, plan.isDefinitionChanged)
      await stageAll(context, fresh)
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
    const { attempt } = plan
    await inTransaction(db, () =>
      recordRefusedChange(db, { source_id: source.id, attempt, at: context.at }, error),
    )
    return { files: [reportOf({ ...error.file, status: 'rolled_back' })], failure: error.failure }
  }
}

/** Finds damaged Parquet files before the transaction, because DuckDB's error would abort the transaction. */
async function damagedParquet({ db, plan, scratch }: LoadContext): Promise<Map<Unit, AppError>> {
  const damaged = new Map<Unit, AppError>()
  for (const unit of plan.sets.flatMap((set) => set.units)) {
    const { format } = unit.kind
    if (format.type !== 'parquet') continue
    try {
      const path = await pathOf(unit.content, scratch)
      await checkParquet(db, { path, shown: shownName(unit.content), expected: expectedColumns(unit.kind) })
    } catch (error) {
      if (!isFaultOfFile(error)) throw error
      damaged.set(unit, error)
    }
  }
  return damaged
}

async function loadFiles(context: LoadContext, damaged: ReadonlyMap<Unit, AppError>): Promise<LoadingFile[]> {
  const { db, source, at } = context
  const files = await filesInOrder(context)
  const corrected = placeCorrections(context, files)
  await ensureTables(db, rawTables(source))
  await createLoading(
    db,
    files.map(({ record }) => record),
  )
  for (const file of files)
    if (file.unit !== null) file.failure ??= file.unit.fault ?? damaged.get(file.unit) ?? null
  for (const kind of source.files) {
    const ofKind = files.filter((file): file is ReadableFile => file.unit?.kind === kind)
    if (ofKind.length > 0) await loadKind(context, kind, ofKind, corrected)
  }
  await failSets(context, files)
  await recordFiles(
    db,
    files.map(({ record }) => record),
    at,
  )
  await recordRejected(context)
  return files
}

function isFaultOfFile(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    ['source_unreadable', 'header_drift', 'too_many_refused'].includes(error.code)
  )
}

/**
 * Marks the sets that have a failed file as failed, and deletes the raw rows of all their files.
 * @throws `LoadFailure` when the changed definition cannot read a file that was loaded before
 */
async function failSets(context: LoadContext, files: readonly LoadingFile[]): Promise<void> {
  const { db, source, plan } = context
  for (const set of plan.sets) await checkLimit(context, inSet(files, set))
  const failed = new Set<number>()
  const isFailed = ({ record, failure }: LoadingFile): boolean =>
    failure !== null || failed.has(record.same_as_file_id ?? 0) || failed.has(record.corrects_file_id ?? 0)
  // Repeats until nothing changes: when a set fails, a repetition of one of its files fails in its own set too.
  for (let before = -1; before < failed.size;) {
    before = failed.size
    for (const set of plan.sets) {
      const setFiles = inSet(files, set)
      for (const culprit of setFiles.filter(isFailed)) {
        if (culprit.unit?.formerId != null) {
          throw new LoadFailure(refusedChange(source, failureOf(files, culprit)), culprit.record)
        }
        const hasCopy = setFiles.some((file) => isCopyOf(culprit, file) && !isFailed(file))
        for (const file of hasCopy ? [culprit] : setFiles) {
          // An already loaded file stays loaded when a new file of its set fails.
          if (file.unit?.formerId != null || failed.has(file.record.file_id)) continue
          failed.add(file.record.file_id)
          const reason =
            isFailed(file) && file.failure !== null ? file.failure.message : togetherWith(culprit, 'failed')
          file.record = { ...file.record, status: 'rolled_back', reason, attempt: set.attempt }
        }
      }
    }
  }
  if (failed.size === 0) return
  await deleteRaw(
    db,
    source,
    files.map(({ record }) => record).filter(({ file_id }) => failed.has(file_id)),
  )
  await keepFirstRefused(db, [...failed])
}

/** Returns true when two files have the same kind and name. One may be the corrected copy of the other. */
function isCopyOf(file: LoadingFile, other: LoadingFile): boolean {
  return (
    file !== other &&
    file.record.kind === other.record.kind &&
    file.record.base_name === other.record.base_name
  )
}

function failureOf(files: readonly LoadingFile[], { record, failure }: LoadingFile): AppError {
  const content = files.find((file) => file.record.file_id === record.same_as_file_id)
  const found = failure ?? content?.failure
  return (
    found ??
    new AppError('source_unreadable', `${shownRecord(record)}: another file with the same content failed`)
  )
}

function refusedChange(source: SourceDefinition, failure: AppError): AppError {
  return new AppError(
    failure.code,
    `${failure.message}; the file is already loaded, so the changed definition of ${source.id} is not used: ` +
      'correct the definition',
    { cause: failure, details: failure.details },
  )
}

/**
 * Returns the files sorted by the day of their content, then by file name without folder. Gives new files their ids
 * in this order. The order decides which file is newest, so it must be the same when a warehouse is built again.
 */
async function filesInOrder({ db, source, plan, today }: LoadContext): Promise<LoadingFile[]> {
  const named = plan.sets.flatMap((set) => set.units.map((unit) => ({ set, unit })))
  const days = await asOfDates(
    db,
    named.map(({ unit }) => unit),
  )
  const files = named.map(({ set, unit }, index): LoadingFile => {
    const record = unitRecord(source, unit, days[index] ?? today)
    return { set, unit, failure: null, record }
  })
  for (const set of plan.sets) {
    for (const file of set.faults) {
      files.push({ set, unit: null, failure: file.fault, record: fileRecord(source, file, today) })
    }
  }
  const corrections = files.filter(isCorrection)
  const others = files.filter((file) => !isCorrection(file))
  others.sort((a, b) => compare(a.record, b.record))
  corrections.sort((a, b) => inOrderOfExport(a.record, b.record))
  const inOrder = [...others, ...corrections]
  let id = await nextFileId(db)
  for (const file of inOrder) if (file.record.file_id === 0) file.record = { ...file.record, file_id: id++ }
  return inOrder
}

function fileRecord(source: SourceDefinition, file: LandedFile, day: string): FileRecord {
  return {
    ...UNREAD,
    file_id: 0,
    source_id: source.id,
    kind: '',
    file_name: file.name,
    member: null,
    base_name: file.name.split('/').at(-1) ?? '',
    groups: {},
    container_sha256: file.sha256,
    sha256: null,
    byte_count: file.byteCount,
    as_of_on: day,
  }
}

function unitRecord(source: SourceDefinition, unit: Unit, day: string): FileRecord {
  const { content, kind, groups, formerId } = unit
  return {
    ...fileRecord(source, content.file, day),
    file_id: formerId ?? 0,
    kind: kind.kind,
    member: content.member,
    base_name: content.name.base,
    groups,
    sha256: isPlain(content) ? content.file.sha256 : null,
  }
}

/** Adds the files that the operator rejected to the ledger, so that later runs do not read them. */
async function recordRejected({ db, source, plan, today, at }: LoadContext): Promise<void> {
  if (plan.rejected.length === 0) return
  const first = await nextFileId(db)
  const days = await asOfDates(db, plan.rejected)
  const records = plan.rejected.map((unit, index): FileRecord => {
    const record = unitRecord(source, unit, days[index] ?? today)
    return { ...record, file_id: first + index, status: 'rejected', reason: 'rejected by the operator' }
  })
  await recordFiles(db, records, at)
}

function compare(a: FileRecord, b: FileRecord): number {
  return placeInOrder(a) < placeInOrder(b) ? -1 : 1
}

function placeInOrder({ as_of_on, base_name, file_name, member, kind }: FileRecord): string {
  return [as_of_on, base_name, file_name, member ?? '', kind].join('\n')
}

async function loadKind(
  context: LoadContext,
  kind: FileKind,
  files: ReadableFile[],
  corrected: ReturnType<typeof placeCorrections>,
): Promise<void> {
  const { db, signal, known } = context
  const loader = new RawLoader(context, kind)
  const reread = files.flatMap(({ unit }) => unit.formerId ?? [])
  for (const id of reread) {
    await execute(db, `delete from ${loader.table} where file_id = ${id}`)
    await execute(db, `delete from ledger.quarantine where file_id = ${id}`)
    await execute(db, `delete from ledger.files where file_id = ${id}`)
  }
  const contents: KnownContents = new Map(
    known
      .filter((file) => file.kind === kind.kind && HAS_CONTENT.has(file.status))
      .filter((file) => !reread.includes(file.file_id))
      .flatMap((file) =>
        file.sha256 === null
          ? []
          : [[file.sha256, { fileId: file.file_id, shown: shownRecord(file) }] as const],
      ),
  )
  const read: ReadableFile[] = []
  try {
    for (const file of files) {
      signal.throwIfAborted()
      if (file.failure !== null) continue
      const started = performance.now()
      try {
        const target = corrected.get(file)
        if (target !== undefined) await resolveCorrection(db, file, target, files)
        if (await readFile(context, loader, file, contents)) read.push(file)
      } catch (error) {
        if (!isFaultOfFile(error)) throw error
        file.failure = error
      }
      const seconds = (performance.now() - started) / 1000
      context.progress(shownName(file.unit.content), file.record.physical_rows, seconds)
    }
    const ids = read.map(({ record }) => record.file_id)
    const counts = await loader.finish(ids, await correctedLines(db, ids, files))
    for (const file of read) settle(file, counts.get(file.record.file_id))
  } catch (error) {
    await loader.abandon()
    throw error
  }
}

/** Files of one kind that have been read, by the hash of their content. */
type KnownContents = Map<string, { fileId: number; shown: string }>

/** Status of files whose content is not read again under another name. */
const HAS_CONTENT: ReadonlySet<FileRecord['status']> = new Set(['loaded', 'held', 'rejected'])

/**
 * Reads one file into raw. Returns false when another file has the same content. The ledger then only records which
 * file that is.
 */
async function readFile(
  context: LoadContext,
  loader: RawLoader,
  file: ReadableFile,
  contents: KnownContents,
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
    const { rows: physical, note } = await loadParquet(db, {
      path,
      shown,
      fileId,
      table: loader.table,
      expected: expectedColumns(kind),
    })
    const named = `${content.file.sha256} ${content.member ?? ''}`
    file.record = {
      ...file.record,
      sha256: file.record.sha256 ?? named,
      physical_rows: physical,
      reason: physical === 0 ? null : note,
    }
  } else {
    const inLoad = { fileId, shownName: shown }
    const result = await readText(
      blocksOf(content, scratch),
      format,
      expectedColumns(kind),
      shown,
      (layout) => loader.sink(inLoad, layout),
      async () => {
        signal.throwIfAborted()
        await loader.loadFullChunks()
      },
    )
    file.record = {
      ...file.record,
      // The first line of a correction names the lines that it replaces. The hash includes it, because corrections of
      // different lines may have equal records.
      sha256: isCorrection(file) ? content.file.sha256 : result.sha256,
      byte_count: result.byteCount,
      physical_rows: result.physicalRecords,
      reason: result.hasLines ? 'line 1 is a header, and no records follow' : 'the file is empty',
    }
    if (result.physicalRecords > 0) file.record = { ...file.record, reason: result.note }
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
  if (read !== null) contents.set(read, { fileId, shown })
  return true
}

/** Returns the content hash of a packed file whose archive was loaded before under another name, or null. */
function packedBefore({ known }: LoadContext, { content, kind }: Unit): string | null {
  const same = known.find(
    (file) =>
      file.container_sha256 === content.file.sha256 &&
      file.member === content.member &&
      file.kind === kind.kind,
  )
  return same?.sha256 ?? null
}

function repeat(file: LoadingFile, contents: KnownContents): false {
  const same = contents.get(file.record.sha256 ?? '')
  file.record = {
    ...file.record,
    status: 'repeated',
    same_as_file_id: same?.fileId ?? null,
    loaded_rows: 0,
    reason: `it has the same content as ${same?.shown}, which is already loaded`,
  }
  return false
}

function settle(file: ReadableFile, counts: { loaded: number; refused: number } | undefined): void {
  const { loaded, refused } = counts ?? { loaded: 0, refused: 0 }
  file.record = { ...file.record, loaded_rows: loaded, refused_rows: refused }
  try {
    checkAccount(shownName(file.unit.content), file.record.physical_rows, { loaded, refused })
  } catch (error) {
    if (!isFaultOfFile(error)) throw error
    file.failure = error
  }
}

/** Fails the file with most refused records when the set has a larger share of them than `refusedLimit`. */
async function checkLimit({ db, source }: LoadContext, files: readonly LoadingFile[]): Promise<void> {
  const physical = files.reduce((sum, { record }) => sum + record.loaded_rows + record.refused_rows, 0)
  const refused = files.reduce((sum, { record }) => sum + record.refused_rows, 0)
  if (refused === 0 || refused / physical <= source.refusedLimit) return
  const worst = files.reduce((most, file) =>
    file.record.refused_rows > most.record.refused_rows ? file : most,
  )
  if (worst.failure !== null) return
  const ids = files.map(({ record }) => record.file_id).join(', ')
  const [first] = await query(
    db,
    `select file_id, file_name, line_number, raw_text, reason, field from ledger.quarantine
     where file_id in (${ids}) order by file_id, line_number limit 1`,
    Quarantined,
  )
  worst.failure = new AppError(
    'too_many_refused',
    `${source.id}: ${refused} of ${physical} records refused (${percent(refused / physical)}, limit ${percent(
      source.refusedLimit,
    )}); the first: ${first?.file_name}, line ${first?.line_number}: ${first?.reason}. \`platbook quarantine show ${source.id}\` lists them`,
    { details: { file: first?.file_name ?? '', line: first?.line_number ?? 0 } },
  )
}

async function stageAll(
  context: LoadContext,
  fresh: readonly { file_id: number; kind: string }[],
): Promise<void> {
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
    const ids = new Set(fresh.filter((file) => file.kind === kind.kind).map((file) => file.file_id))
    if (plan.isDefinitionChanged) {
      await stageKind(db, source, kind, 'all')
    } else if (ids.size > 0) {
      await stageKind(db, source, kind, ids)
    }
  }
}

function reportOf(record: FileRecord): FileReport {
  return {
    file_name: shownRecord(record),
    kind: record.kind,
    file_rows: record.physical_rows,
    loaded_rows: record.loaded_rows,
    refused_rows: record.refused_rows,
    status: record.status === 'rolled_back' ? 'failed' : record.status,
    reason: record.reason,
  }
}
