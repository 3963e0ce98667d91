import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { AppError } from '../errors.ts'
import { execute, query } from '../warehouse/query.ts'
import { type FileRecord, nextFileId, recordFiles, recordSource, sourceState } from './ledger.ts'

/** Refused rows of a load that was rolled back are kept for `doctor`, so many of them. */
const KEPT_OF_ATTEMPT = 1_000

/** An error with what had been read when it came, for the ledger's record of the attempt. */
export class LoadFailure extends Error {
  readonly failure: AppError
  readonly files: readonly FileRecord[]
  readonly quarantined: readonly Quarantined[]

  constructor(failure: AppError, files: readonly FileRecord[], quarantined: readonly Quarantined[]) {
    super(failure.message, { cause: failure })
    this.failure = failure
    this.files = files
    this.quarantined = quarantined
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
export type Quarantined = z.output<typeof Quarantined>

/** The first refused rows of these files, while the transaction that wrote them is still open. */
export async function quarantinedSoFar(
  db: DuckDBConnection,
  files: readonly FileRecord[],
): Promise<Quarantined[]> {
  if (files.length === 0) return []
  const ids = files.map((file) => file.file_id).join(', ')
  try {
    return await query(
      db,
      `select file_id, file_name, line_number, raw_text, reason, field from ledger.quarantine
       where file_id in (${ids}) order by file_id, line_number limit ${KEPT_OF_ATTEMPT}`,
      Quarantined,
    )
  } catch {
    // A statement that failed has ended the transaction; the reason of the failure is what is kept then.
    return []
  }
}

/** Removes what the ledger holds of a source's last attempt that was rolled back. */
export async function forgetAttempt(db: DuckDBConnection, source: string): Promise<void> {
  await execute(
    db,
    `delete from ledger.quarantine where file_id in (
       select file_id from ledger.files where source_id = $source and status = 'rolled_back')`,
    { source },
  )
  await execute(db, `delete from ledger.files where source_id = $source and status = 'rolled_back'`, {
    source,
  })
}

/** Keeps what `doctor` shows of a load that was rolled back: its files, its first refused rows, and why. */
export async function recordAttempt(
  db: DuckDBConnection,
  load: { source_id: string; attempt: string; at: string },
  { failure, files, quarantined }: LoadFailure,
): Promise<void> {
  const { source_id: source, attempt, at } = load
  await forgetAttempt(db, source)
  const first = await nextFileId(db)
  const ids = new Map<number, number>()
  const records = files.map((record, index): FileRecord => {
    ids.set(record.file_id, first + index)
    const reason = failure.message.startsWith(record.file_name) ? failure.message : record.reason
    return { ...record, file_id: first + index, status: 'rolled_back', reason }
  })
  await recordFiles(db, records, at)
  for (const row of quarantined) {
    await execute(
      db,
      `insert into ledger.quarantine values ($file_id::integer, $source, $file_name, $line_number::integer,
         $raw_text, $reason, $field, $at::timestamp)`,
      { ...row, file_id: ids.get(row.file_id) ?? 0, source, at },
    )
  }
  const before = await sourceState(db, source)
  // The hash of the last load that held: what is staged was made with it.
  const definition_hash = before?.definition_hash ?? null
  await recordSource(
    db,
    source,
    { definition_hash, attempt, status: 'rolled_back', reason: failure.message },
    at,
  )
}
