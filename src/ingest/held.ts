import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, insertRows, query } from '../warehouse/query.ts'
import { LEDGER_TABLES } from './ledger.ts'

/** Figures of a file. `rows` and `keys` are counts. The others are shares of a column's values, from 0 to 1. */
export const MEASURES = ['rows', 'keys', 'blanks', 'codes', 'conversions'] as const

/** One figure of a file that is outside the limits of its source. */
export const Finding = z.object({
  measure: z.enum(MEASURES),
  /** The county of the measured rows. Null when the definition sets no county. */
  county_fips: z.string().nullable(),
  /** The measured column. Null for `rows` and `keys`. */
  column: z.string().nullable(),
  /** The median of the accepted loads. Null for `conversions`, which have a fixed limit. */
  before: z.number().nullable(),
  after: z.number(),
  /** A sentence with the figures. It contains no values of the file. */
  reason: z.string(),
})
export type Finding = z.output<typeof Finding>

const HeldLoad = z.object({
  source_id: z.string(),
  kind: z.string(),
  file_id: z.number(),
  /** The name in messages: `archive.zip!member.txt` for a member of a zip. */
  file_name: z.string(),
  /** The SHA-256 of the file in landing. A decision is recorded for this hash and `member`. */
  container_sha256: z.string(),
  member: z.string().nullable(),
  as_of_on: z.string(),
  held_at: z.string(),
  /** All findings as one text. When the file has no findings, the text names the file of its set that has some. */
  reason: z.string(),
  findings: z.array(Finding),
})
/**
 * A file that waits for the operator's decision. Its rows are in raw. They are not in staging and replace no rows of
 * other files.
 */
export type HeldLoad = z.output<typeof HeldLoad>

const FailedFile = z.object({
  source_id: z.string(),
  /** Empty for a file that cannot be opened. */
  kind: z.string(),
  file_name: z.string(),
  container_sha256: z.string(),
  member: z.string().nullable(),
  failed_at: z.string(),
  reason: z.string(),
})
/** A file that cannot be loaded, or that is loaded only together with such a file. */
export type FailedFile = z.output<typeof FailedFile>

const SHOWN_NAME = `files.file_name || coalesce('!' || files.member, '')`

/** Returns the held loads of one source, or of all sources, sorted by source and file. */
export async function heldLoads(db: DuckDBConnection, sourceId?: string): Promise<HeldLoad[]> {
  return await query(
    db,
    `select files.source_id, files.kind, files.file_id, ${SHOWN_NAME} as file_name,
       files.container_sha256, files.member,
       files.as_of_on::varchar as as_of_on, files.loaded_at::varchar as held_at, files.reason,
       coalesce((
         select list({measure: found.measure, county_fips: found.county_fips, "column": found.column_name,
           before: found.before, after: found.after, reason: found.reason} order by found.position)
         from ledger.findings as found where found.file_id = files.file_id
       ), []) as findings
     from ledger.files
     where files.status = 'held' and ($source is null or files.source_id = $source)
     order by files.source_id, files.file_name, files.member, files.kind`,
    HeldLoad,
    { source: sourceId ?? null },
  )
}

/** Returns the failed files of one source, or of all sources, sorted by source and file. */
export async function failedFiles(db: DuckDBConnection, sourceId?: string): Promise<FailedFile[]> {
  return await query(
    db,
    `select files.source_id, files.kind, ${SHOWN_NAME} as file_name,
       files.container_sha256, files.member, files.loaded_at::varchar as failed_at,
       coalesce(files.reason, sources.reason, 'no reason recorded') as reason
     from ledger.files left join ledger.sources using (source_id)
     where files.status = 'rolled_back' and ($source is null or files.source_id = $source)
     order by files.source_id, files.file_name, files.member, files.kind`,
    FailedFile,
    { source: sourceId ?? null },
  )
}

/** Returns the held and failed files of a warehouse. Returns none when an early version made the warehouse. */
export async function waitingFiles(
  db: DuckDBConnection,
  sourceId?: string,
): Promise<{ held: HeldLoad[]; failed: FailedFile[] }> {
  const tables = await query(
    db,
    `select table_name from duckdb_tables() where schema_name = 'ledger' and table_name in ('files', 'findings')`,
    z.object({ table_name: z.string() }),
  )
  if (tables.length < 2) return { held: [], failed: [] }
  return { held: await heldLoads(db, sourceId), failed: await failedFiles(db, sourceId) }
}

/** Replaces the findings of a file in the ledger. */
export async function recordFindings(
  db: DuckDBConnection,
  fileId: number,
  findings: readonly Finding[],
): Promise<void> {
  await execute(db, `delete from ledger.findings where file_id = ${fileId}`)
  const rows = findings.map((finding, position) => ({
    ...finding,
    file_id: fileId,
    position,
    column_name: finding.column,
  }))
  await insertRows(db, 'ledger.findings', LEDGER_TABLES['ledger.findings'], rows)
}
