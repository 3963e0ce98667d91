import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { AppError } from '../errors.ts'
import { execute, inTransaction, query } from '../warehouse/query.ts'
import { rawTable, supersededGroup } from './canonical-rows.ts'
import type { SourceDefinition } from './definition.ts'
import {
  contentId,
  type FileRecord,
  isWaiting,
  knownFiles,
  nextFileId,
  recordFiles,
  recordSource,
  sourceState,
} from './ledger.ts'
import { type Decision, decisionKey } from './decision.ts'
import type { Plan } from './plan.ts'

/** Number of refused rows of a failed file that stay in the quarantine, for `platbook quarantine show`. */
const KEPT_OF_FAILED = 1_000

/** Thrown when a changed definition cannot read a file that is already loaded. */
export class LoadFailure extends Error {
  readonly failure: AppError
  readonly file: FileRecord

  constructor(failure: AppError, file: FileRecord) {
    super(failure.message, { cause: failure })
    this.failure = failure
    this.file = file
  }
}

export const Quarantined = z.object({
  file_id: z.number(),
  file_name: z.string(),
  line_number: z.number(),
  raw_text: z.string().nullable(),
  reason: z.string(),
  field: z.string().nullable(),
})

/** Deletes the refused rows of each failed file from the quarantine, except the first 1,000. */
export async function keepFirstRefused(db: DuckDBConnection, fileIds: readonly number[]): Promise<void> {
  for (const id of fileIds) {
    await execute(
      db,
      `delete from ledger.quarantine where file_id = ${id} and rowid not in (
         select rowid from ledger.quarantine where file_id = ${id} order by line_number limit ${KEPT_OF_FAILED})`,
    )
  }
}

/** Records the reason why a changed definition is not used. The loaded rows of the source stay as they are. */
export async function recordRefusedChange(
  db: DuckDBConnection,
  load: { source_id: string; attempt: string; at: string },
  { failure, file }: LoadFailure,
): Promise<void> {
  const { source_id: source, attempt, at } = load
  const reason = failure.message
  const file_id = await nextFileId(db)
  await recordFiles(db, [{ ...file, file_id, status: 'rolled_back', reason, attempt }], at)
  const before = await sourceState(db, source)
  // Keeps the hash of the definition that built the staged rows.
  const definition_hash = before?.definition_hash ?? null
  await recordSource(db, source, { definition_hash, attempt, status: 'rolled_back', reason }, at)
}

/**
 * Removes the files for which `isForgotten` returns true from raw and ledger, so that they are planned like new
 * files. Resolves to the files that are left.
 */
export async function forgetFiles(
  db: DuckDBConnection,
  source: SourceDefinition,
  known: readonly FileRecord[],
  isForgotten: (file: FileRecord) => boolean,
): Promise<readonly FileRecord[]> {
  const forgotten = withCorrections(known.filter(isForgotten), known)
  if (forgotten.length === 0) return known
  const ids = idsOf(forgotten)
  await inTransaction(db, async () => {
    await deleteRaw(db, source, forgotten)
    await deleteFromLedger(db, ids, ['quarantine', 'loads', 'findings', 'files'])
    // Repetitions of a removed file are forgotten too, so that the next plan reads one of them in its place.
    await execute(db, `delete from ledger.files where same_as_file_id in (${ids})`)
  })
  return await knownFiles(db, source.id)
}

/** Returns a test for rejected files whose rejection the operator took back. */
export function takenBack(decisions: readonly Decision[]): (file: FileRecord) => boolean {
  const rejected = new Set(decisions.filter(({ decision }) => decision === 'reject').map(decisionKey))
  return ({ status, container_sha256: sha256, member }) =>
    status === 'rejected' && !rejected.has(decisionKey({ sha256, member }))
}

/** Returns the files, and the correction files that replace lines of them. */
function withCorrections(files: readonly FileRecord[], known: readonly FileRecord[]): FileRecord[] {
  const ids = new Set<number | null>(files.map((file) => file.file_id))
  return known.filter((file) => ids.has(file.file_id) || ids.has(file.part_of_file_id))
}

function idsOf(files: readonly FileRecord[]): string {
  return files.map((file) => file.file_id).join(', ')
}

async function deleteFromLedger(db: DuckDBConnection, ids: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) await execute(db, `delete from ledger.${table} where file_id in (${ids})`)
}

/** Deletes the raw rows of these files. */
export async function deleteRaw(
  db: DuckDBConnection,
  source: SourceDefinition,
  files: readonly FileRecord[],
): Promise<void> {
  const ids = idsOf(files)
  for (const { kind } of source.files) {
    if (files.some((file) => file.kind === kind)) {
      await execute(db, `delete from ${rawTable(source.id, kind)} where file_id in (${ids})`)
    }
  }
}

/** Ends the waiting of files that the operator accepted. Resolves to their changed records. */
export async function acceptHeld(
  db: DuckDBConnection,
  { accepted, decisions }: Plan,
  at: string,
): Promise<FileRecord[]> {
  const records = accepted.map((file): FileRecord => {
    const read = file.physical_rows > 0 ? 'loaded' : 'empty'
    const status = file.same_as_file_id === null ? read : 'repeated'
    return { ...file, status, attempt: null, reason: null }
  })
  for (const { file_id: id, status } of records) {
    await execute(
      db,
      `update ledger.files set status = $status, loaded_at = $at::timestamp, attempt = null, reason = null
       where file_id = ${id}`,
      { status, at },
    )
    await deleteFromLedger(db, String(id), ['findings'])
  }
  await markBaselines(db, decisions, records)
  return records
}

/** Marks files with the decision `accept_always` as baselines. Later files are not compared with older ones. */
export async function markBaselines(
  db: DuckDBConnection,
  decisions: readonly Decision[],
  files: readonly FileRecord[],
): Promise<void> {
  const always = new Set(decisions.filter(({ decision }) => decision === 'accept_always').map(decisionKey))
  for (const { file_id: id, container_sha256: sha256, member } of files) {
    if (always.has(decisionKey({ sha256, member }))) {
      await execute(db, `update ledger.loads set is_baseline = true where file_id = ${id}`)
    }
  }
}

/**
 * Marks held and failed files as replaced when a file of `fresh` makes them unnecessary: for a held file a newer file
 * that supersedes all its rows, for a failed file a later copy.
 */
export async function settleReplaced(
  db: DuckDBConnection,
  source: SourceDefinition,
  fresh: readonly FileRecord[],
): Promise<void> {
  if (fresh.length === 0) return
  const known = await knownFiles(db, source.id)
  const isFresh = new Set(fresh.map((file) => file.file_id))
  const files = known.filter((file) => file.corrected_lines === null)
  const newer = files.filter((file) => isFresh.has(file.file_id))
  for (const file of files.filter(isWaiting)) {
    for (const by of newer) {
      const isHeld = file.status === 'held'
      const isReplaced = isHeld ? await coversGroups(db, source, file, by) : isCorrectedCopy(file, by)
      if (!isReplaced) continue
      const replaced = withCorrections([file], known)
      const ids = idsOf(replaced)
      if (isHeld) await deleteRaw(db, source, replaced)
      await deleteFromLedger(db, ids, ['quarantine', 'loads', 'findings'])
      await execute(
        db,
        `update ledger.files set status = 'replaced', attempt = null, reason = $reason where file_id in (${ids})`,
        { reason: `replaced by ${by.file_name}` },
      )
      break
    }
  }
}

/** Returns true when `by` is a later copy of a failed file: the same name in another folder or archive. */
function isCorrectedCopy(failed: FileRecord, by: FileRecord): boolean {
  if (by.file_id <= failed.file_id) return false
  if (failed.kind === '') return by.file_name.split('/').at(-1) === failed.base_name
  return by.kind === failed.kind && by.base_name === failed.base_name && by.as_of_on === failed.as_of_on
}

/** Returns true when `by` is newer than a held file and would supersede all its rows. */
async function coversGroups(
  db: DuckDBConnection,
  source: SourceDefinition,
  held: FileRecord,
  by: FileRecord,
): Promise<boolean> {
  const kind = source.files.find((each) => each.kind === held.kind)
  const isNewer = by.as_of_on > held.as_of_on || (by.as_of_on === held.as_of_on && by.file_id > held.file_id)
  if (kind === undefined || by.kind !== held.kind || !isNewer) return false
  const group = supersededGroup(source, kind)
  if (group === null) return true
  const groupsOf = (file: FileRecord): string =>
    `select ${group} from ${rawTable(source.id, kind.kind)} as r join ledger.files as f using (file_id)
     where r.file_id = ${contentId(file)}`
  const [row] = await query(
    db,
    `select count(*)::integer as missing from (${groupsOf(held)} except ${groupsOf(by)})`,
    z.object({ missing: z.number() }),
  )
  return row?.missing === 0
}
