import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { execute, query } from '../warehouse/query.ts'
import { LoadFailure, markBaselines } from './attempt.ts'
import { type FileKind, limitsOf } from './definition.ts'
import { type Finding, recordFindings } from './held.ts'
import { findingsOf, isUnreadable, unreadableFinding } from './judge.ts'
import { contentId } from './ledger.ts'
import { inSet, isServed, type LoadContext, type LoadingFile, shownRecord, togetherWith } from './loading.ts'
import { conversionsOf, type Measure, measureFiles, recordMeasures } from './measures.ts'

/** Counts of unreadable values by file id and staging column. */
export type UnconvertedValues = ReadonlyMap<number, Readonly<Record<string, number>>>

/** Returns the counts of unreadable values that earlier loads recorded. */
export async function unconvertedValues(db: DuckDBConnection, sourceId: string): Promise<UnconvertedValues> {
  const rows = await query(
    db,
    `select file_id, unconverted from ledger.files where source_id = $source and unconverted is not null`,
    z.object({ file_id: z.number(), unconverted: z.string() }),
    { source: sourceId },
  )
  const Counts = z.record(z.string(), z.number())
  return new Map(rows.map((row) => [row.file_id, Counts.parse(JSON.parse(row.unconverted))]))
}

/**
 * Measures the loaded files. Holds each set that has a file outside its limits: its rows stay in raw, and get into
 * staging only when the operator accepts them. Accepted files are measured and never held.
 * @throws `LoadFailure` when a changed definition makes values of loaded files unreadable
 */
export async function holdFiles(
  context: LoadContext,
  files: readonly LoadingFile[],
  before: UnconvertedValues,
): Promise<void> {
  const { db, source, plan } = context
  const measures = new Map<FileKind, Measure[]>()
  for (const kind of source.files) {
    const measured = await measureFiles(db, source, kind, await unmeasured(context, kind, files))
    await recordMeasures(db, source, kind, measured)
    measures.set(kind, measured)
    if (plan.isDefinitionChanged) await checkChangedDefinition(context, kind, measured, files, before)
  }
  await markBaselines(
    db,
    plan.decisions,
    files.map(({ record }) => record),
  )
  const fresh = files.filter(({ unit, record }) => unit?.formerId === null && isServed(record))
  const newIds = new Set(fresh.map(({ record }) => record.file_id))
  const isNew = (id: number): boolean => newIds.has(id)
  const held = new Map<LoadingFile, readonly Finding[]>()
  for (const file of fresh) {
    const { unit, record } = file
    if (unit === null || unit.isAccepted) continue
    const { kind } = unit
    const judging = { db, source, kind, measures: measures.get(kind) ?? [], isNew }
    const findings = await findingsOf(judging, record)
    if (findings.length === 0) continue
    held.set(file, findings)
    await recordFindings(db, record.file_id, findings)
    await hold(db, file, findings.map(({ reason }) => reason).join('; '))
  }
  for (const set of plan.sets) {
    const setFiles = inSet(files, set)
    const culprit = setFiles.find((file) => held.has(file))
    if (culprit === undefined) continue
    for (const other of setFiles) {
      const isWaiting = other.record.status === 'held' || other.record.status === 'rolled_back'
      // An already loaded file stays loaded when a new file of its set is held.
      if (isWaiting || other.unit?.formerId !== null) continue
      await hold(db, other, togetherWith(culprit, 'is held'))
    }
  }
}

async function hold(db: DuckDBConnection, file: LoadingFile, reason: string): Promise<void> {
  const { attempt } = file.set
  file.record = { ...file.record, status: 'held', reason, attempt }
  await execute(
    db,
    `update ledger.files set status = 'held', reason = $reason, attempt = $attempt where file_id = ${file.record.file_id}`,
    { reason, attempt },
  )
}

/**
 * Returns the ids of files that `ledger.loads` does not list yet. Returns all files of the kind when the definition
 * changed, because their rows may differ.
 */
async function unmeasured(
  { db, source, plan }: LoadContext,
  kind: FileKind,
  files: readonly LoadingFile[],
): Promise<number[]> {
  const ofKind = files.filter(({ record }) => record.kind === kind.kind && isServed(record))
  if (ofKind.length === 0 && !plan.isDefinitionChanged) return []
  const contents = ofKind.map(({ record }) => contentId(record))
  const rows = await query(
    db,
    `select file_id from ledger.files
     where source_id = $source and kind = $kind and status in ('loaded', 'held') and loaded_rows > 0
       and ($all or file_id in (${[0, ...contents].join(', ')})
         or (status = 'loaded' and file_id not in (select file_id from ledger.loads)))
     order by file_id`,
    z.object({ file_id: z.number() }),
    { source: source.id, kind: kind.kind, all: plan.isDefinitionChanged },
  )
  return rows.map((row) => row.file_id)
}

/**
 * Throws when the changed definition gives a loaded file more unreadable values than before, and more than the
 * limit.
 */
async function checkChangedDefinition(
  { db, source, known }: LoadContext,
  kind: FileKind,
  measures: readonly Measure[],
  files: readonly LoadingFile[],
  before: UnconvertedValues,
): Promise<void> {
  const limits = limitsOf(source, kind)
  const isNew = new Set(
    files.filter(({ unit }) => unit?.formerId === null).map(({ record }) => record.file_id),
  )
  for (const file of known) {
    if (file.kind !== kind.kind || file.status !== 'loaded' || isNew.has(file.file_id)) continue
    for (const [column, conversion] of Object.entries(conversionsOf(measures, file.file_id))) {
      const limit = limits.columns[column] ?? limits.unreadable
      if (!isUnreadable(conversion, limit, limits)) continue
      if (conversion.failed <= (before.get(file.file_id)?.[column] ?? 0)) continue
      const { reason } = await unreadableFinding(
        { db, source, kind },
        file.file_id,
        column,
        conversion,
        limit,
      )
      throw new LoadFailure(
        new AppError(
          'bad_definition',
          `${shownRecord(file)}: ${reason}; the file is already loaded, so the changed definition of ${source.id} is not used: ` +
            'correct the definition',
        ),
        file,
      )
    }
  }
}
