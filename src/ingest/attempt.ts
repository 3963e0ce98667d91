import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { AppError } from '../errors.ts'
import { execute, inTransaction, query } from '../warehouse/query.ts'
import { rawTable, supersededGroup } from './canonical-rows.ts'
import type { SourceDefinition } from './definition.ts'
import {
  type FileRecord,
  knownFiles,
  type LedgerFile,
  nextFileId,
  recordFiles,
  recordSource,
  sourceState,
} from './ledger.ts'
import { type Decision, decisionKey } from './decision.ts'
import type { Plan } from './plan.ts'

/**
 * Number of refused rows of a failed file that stay in the quarantine, so that `platbook quarantine show` can print
 * them.
 */
const KEPT_OF_FAILED = 1_000

/** A changed definition that cannot be used, with the loaded file that it cannot read. */
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
 * Removes failed and held files from raw and from the ledger when `keep` does not list their attempt. Such files
 * were removed from landing, were rejected, or are tried again. Resolves to true when it removed any.
 */
export async function forgetAttempts(
  db: DuckDBConnection,
  source: SourceDefinition,
  known: readonly LedgerFile[],
  keep: ReadonlySet<string>,
): Promise<boolean> {
  const stale = known.filter(
    ({ status, attempt }) =>
      (status === 'rolled_back' || status === 'held') && (attempt === null || !keep.has(attempt)),
  )
  if (stale.length > 0) await inTransaction(db, () => forgetFiles(db, source, stale))
  return stale.length > 0
}

/** Removes the ledger rows of rejected files whose rejection the operator took back. Resolves to the other files. */
export async function forgetTakenBack(
  db: DuckDBConnection,
  source: SourceDefinition,
  known: readonly LedgerFile[],
  decisions: readonly Decision[],
): Promise<LedgerFile[]> {
  const rejected = new Set(
    decisions.filter(({ decision }) => decision === 'reject').map((each) => decisionKey(each)),
  )
  const isTakenBack = ({ status, container_sha256, member }: LedgerFile): boolean =>
    status === 'rejected' && !rejected.has(decisionKey({ sha256: container_sha256, member }))
  const stale = known.filter(isTakenBack)
  if (stale.length > 0) await inTransaction(db, () => forgetFiles(db, source, stale))
  return known.filter((file) => !isTakenBack(file))
}

async function forgetFiles(
  db: DuckDBConnection,
  source: SourceDefinition,
  files: readonly LedgerFile[],
): Promise<void> {
  const all = [...files, ...(await correctionsOf(db, files))]
  const ids = all.map((file) => file.file_id).join(', ')
  await deleteRaw(db, source, all)
  for (const table of ['quarantine', 'loads', 'findings', 'files']) {
    await execute(db, `delete from ledger.${table} where file_id in (${ids})`)
  }
  // Repetitions of a removed file are forgotten too, so that the next plan reads one of them in its place.
  await execute(db, `delete from ledger.files where same_as_file_id in (${ids})`)
}

/** Returns the corrections of these files. Corrections are removed with their file and read again with it. */
async function correctionsOf(
  db: DuckDBConnection,
  files: readonly { file_id: number }[],
): Promise<{ file_id: number; kind: string }[]> {
  return await query(
    db,
    `select file_id, kind from ledger.files
     where part_of_file_id in (${files.map((file) => file.file_id).join(', ')})`,
    z.object({ file_id: z.number(), kind: z.string() }),
  )
}

async function deleteRaw(
  db: DuckDBConnection,
  source: SourceDefinition,
  files: readonly { file_id: number; kind: string }[],
): Promise<void> {
  const ids = files.map((file) => file.file_id).join(', ')
  for (const { kind } of source.files) {
    if (files.some((file) => file.kind === kind)) {
      await execute(db, `delete from ${rawTable(source.id, kind)} where file_id in (${ids})`)
    }
  }
}

/** Marks accepted held files as loaded. Resolves to their new ledger rows. */
export async function acceptHeld(
  db: DuckDBConnection,
  source: SourceDefinition,
  { accepted, decisions }: Plan,
  at: string,
): Promise<LedgerFile[]> {
  const always = new Set(
    decisions.filter(({ decision }) => decision === 'accept_always').map((each) => decisionKey(each)),
  )
  for (const file of accepted) {
    const { file_id: id, container_sha256: sha256, member } = file
    await execute(
      db,
      `update ledger.files
       set status = ${STATUS_OF_ACCEPTED}, loaded_at = $at::timestamp, attempt = null, reason = null
       where file_id = ${id}`,
      { at },
    )
    await execute(db, `delete from ledger.findings where file_id = ${id}`)
    if (always.has(decisionKey({ sha256, member }))) {
      await execute(db, `update ledger.loads set is_baseline = true where file_id = ${id}`)
    }
  }
  const ids = new Set(accepted.map((file) => file.file_id))
  return ids.size === 0 ? [] : (await knownFiles(db, source.id)).filter((file) => ids.has(file.file_id))
}

const STATUS_OF_ACCEPTED = `case when same_as_file_id is not null then 'repeated'
  when physical_rows > 0 then 'loaded' else 'empty' end`

const Waiting = z.object({
  file_id: z.number(),
  kind: z.string(),
  base_name: z.string(),
  file_name: z.string(),
  content_id: z.number(),
  as_of_on: z.string(),
  status: z.enum(['held', 'rolled_back']),
})

/**
 * Marks waiting files as replaced when a file of `fresh` takes their place. A held file is replaced by a newer file
 * with all its groups, a failed file by a corrected copy.
 */
export async function settleReplaced(
  db: DuckDBConnection,
  source: SourceDefinition,
  fresh: readonly { file_id: number }[],
): Promise<void> {
  if (fresh.length === 0) return
  const waiting = await query(
    db,
    `select ${FILE_IN_ORDER}, status from ledger.files
     where source_id = $source and status in ('held', 'rolled_back') and corrected_lines is null order by file_id`,
    Waiting,
    { source: source.id },
  )
  if (waiting.length === 0) return
  const newer = await query(
    db,
    `select ${FILE_IN_ORDER} from ledger.files
     where file_id in (${fresh.map((file) => file.file_id).join(', ')}) and corrected_lines is null order by file_id`,
    Waiting.omit({ status: true }),
  )
  for (const file of waiting) {
    for (const by of newer) {
      const isReplaced =
        file.status === 'held' ? await coversGroups(db, source, file, by) : isCorrectedCopy(file, by)
      if (!isReplaced) continue
      const all = [file, ...(await correctionsOf(db, [file]))]
      const ids = all.map(({ file_id: id }) => id).join(', ')
      if (file.status === 'held') await deleteRaw(db, source, all)
      for (const table of ['quarantine', 'loads', 'findings']) {
        await execute(db, `delete from ledger.${table} where file_id in (${ids})`)
      }
      await execute(
        db,
        `update ledger.files set status = 'replaced', attempt = null, reason = $reason where file_id in (${ids})`,
        { reason: `replaced by ${by.file_name}` },
      )
      break
    }
  }
}

const FILE_IN_ORDER = `file_id, kind, base_name, file_name, coalesce(same_as_file_id, file_id) as content_id,
  as_of_on::varchar as as_of_on`

type Arrived = Omit<z.output<typeof Waiting>, 'status'>

/** Returns true when `by` is a later copy of a failed file: the same name in another folder or archive. */
function isCorrectedCopy(failed: Arrived, by: Arrived): boolean {
  if (by.file_id <= failed.file_id) return false
  if (failed.kind === '') return by.file_name.split('/').at(-1) === failed.base_name
  return by.kind === failed.kind && by.base_name === failed.base_name && by.as_of_on === failed.as_of_on
}

/** Returns true when `by` is newer than a held file and would supersede all its rows. */
async function coversGroups(
  db: DuckDBConnection,
  source: SourceDefinition,
  held: Arrived,
  by: Arrived,
): Promise<boolean> {
  const kind = source.files.find((each) => each.kind === held.kind)
  const isNewer = by.as_of_on > held.as_of_on || (by.as_of_on === held.as_of_on && by.file_id > held.file_id)
  if (kind === undefined || by.kind !== held.kind || !isNewer) return false
  const group = supersededGroup(source, kind)
  if (group === null) return true
  const groupsOf = (id: number): string =>
    `select ${group} from ${rawTable(source.id, kind.kind)} as r join ledger.files as f using (file_id) where r.file_id = ${id}`
  const [row] = await query(
    db,
    `select count(*)::integer as missing from (${groupsOf(held.content_id)} except ${groupsOf(by.content_id)})`,
    z.object({ missing: z.number() }),
  )
  return row?.missing === 0
}
