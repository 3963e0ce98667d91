import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { type Columns, execute, insertRows, jsonRows, query, quotedIdentifier } from '../warehouse/query.ts'
import { CANONICAL_TABLES, type CanonicalTable, LINEAGE_COLUMNS } from './canonical.ts'

/** The tables of the schema `ledger`, with their column types. They are small and have no index. */
export const LEDGER_TABLES = {
  // One row per file and kind. `sha256` is the hash of the unpacked bytes, `container_sha256` that of the file in the
  // landing folder. `same_as_file_id` is the file with the same content, whose rows also count for this file. `attempt`
  // of a failed or held file is a hash of the files that are loaded with it and of the definition.
  'ledger.files': {
    file_id: 'integer',
    source_id: 'varchar',
    kind: 'varchar',
    file_name: 'varchar',
    member: 'varchar',
    base_name: 'varchar',
    groups: 'map(varchar, varchar)',
    container_sha256: 'varchar',
    sha256: 'varchar',
    byte_count: 'bigint',
    as_of_on: 'date',
    loaded_at: 'timestamp',
    physical_rows: 'integer',
    loaded_rows: 'integer',
    refused_rows: 'integer',
    unconverted_values: 'integer',
    unconverted: 'varchar',
    outside_bounds: 'varchar',
    status: 'varchar',
    reason: 'varchar',
    same_as_file_id: 'integer',
    attempt: 'varchar',
    // Set only for files with corrected lines: the corrected file, its lines that are replaced, and the file whose day
    // and groups the rows get (the same file, unless that one is a correction too).
    corrects_file_id: 'integer',
    corrected_lines: 'integer[]',
    part_of_file_id: 'integer',
    // The newer file that replaces all rows of this file. Quarantined lines of this file then need no decision.
    superseded_by_file_id: 'integer',
  },
  // Figures of each file by county, with which later files are compared. A file that the operator accepted with
  // `--always` is a baseline: later files are not compared with older ones. `blanks`, `codes` and `unconverted` are
  // JSON objects: a share from 0 to 1 by column.
  'ledger.loads': {
    file_id: 'integer',
    source_id: 'varchar',
    kind: 'varchar',
    county_fips: 'varchar',
    row_count: 'integer',
    key_count: 'integer',
    blanks: 'varchar',
    codes: 'varchar',
    unconverted: 'varchar',
    is_baseline: 'boolean',
  },
  // The reasons why a file is held: one row for each figure outside its limits.
  'ledger.findings': {
    file_id: 'integer',
    position: 'integer',
    measure: 'varchar',
    county_fips: 'varchar',
    column_name: 'varchar',
    before: 'double',
    after: 'double',
    reason: 'varchar',
  },
  'ledger.quarantine': {
    file_id: 'integer',
    source_id: 'varchar',
    file_name: 'varchar',
    line_number: 'integer',
    raw_text: 'varchar',
    reason: 'varchar',
    field: 'varchar',
    quarantined_at: 'timestamp',
  },
  // The files of the landing folder, so that unchanged files are not hashed again.
  'ledger.landing': {
    file_name: 'varchar',
    byte_count: 'bigint',
    modified_at_ms: 'double',
    sha256: 'varchar',
    members: 'varchar[]',
    // The first line of a correction file, as JSON: it names the lines that the file replaces.
    correction: 'varchar',
  },
  // The last load of each source: files and definition (`attempt`), and the result.
  'ledger.sources': {
    source_id: 'varchar',
    definition_hash: 'varchar',
    attempt: 'varchar',
    status: 'varchar',
    reason: 'varchar',
    attempted_at: 'timestamp',
  },
  // A hash of how each kind is read. When it changes, the landed files of the kind are read again.
  'ledger.kinds': { source_id: 'varchar', kind: 'varchar', reading_hash: 'varchar' },
} as const satisfies Record<string, Columns>

/** Creates the missing tables of `ledger` and `staging`, and adds missing columns to existing tables. */
export async function prepareTables(db: DuckDBConnection): Promise<void> {
  const tables: Record<string, Columns> = { ...LEDGER_TABLES }
  for (const [name, table] of Object.entries(CANONICAL_TABLES) as [string, CanonicalTable][]) {
    const columns = { ...table.columns, ...LINEAGE_COLUMNS }
    tables[`staging.${name}`] = columns
    if (table.keepsPast === true) tables[`staging.past_${name}`] = { ...columns, superseded_on: 'date' }
  }
  await ensureTables(db, tables)
}

/** Creates tables (`schema.name`, without quotes), or adds the columns that existing tables lack. */
export async function ensureTables(
  db: DuckDBConnection,
  tables: Readonly<Record<string, Columns>>,
): Promise<void> {
  const rows = await query(
    db,
    `select schema_name || '.' || table_name as table_name, lower(column_name) as column_name
     from duckdb_columns() where database_name = current_database()`,
    z.object({ table_name: z.string(), column_name: z.string() }),
  )
  const present = new Set(rows.map((row) => `${row.table_name}\n${row.column_name}`))
  const there = new Set(rows.map((row) => row.table_name))
  for (const [table, columns] of Object.entries(tables)) {
    const [schema = '', ...name] = table.split('.')
    const quoted = `${schema}.${quotedIdentifier(name.join('.'))}`
    const entries = Object.entries(columns).map(
      ([column, type]) => [column, `${quotedIdentifier(column)} ${type}`] as const,
    )
    if (!there.has(table)) {
      await execute(db, `create table ${quoted} (${entries.map(([, defined]) => defined).join(', ')})`)
      continue
    }
    for (const [column, defined] of entries) {
      if (!present.has(`${table}\n${column.toLowerCase()}`)) {
        await execute(db, `alter table ${quoted} add column ${defined}`)
      }
    }
  }
}

/** The named groups that a pattern found in a file's name, as DuckDB's `to_json` writes them. */
export const Groups = z.string().transform((json) => z.record(z.string(), z.string()).parse(JSON.parse(json)))

const FileRecord = z.object({
  file_id: z.number(),
  source_id: z.string(),
  kind: z.string(),
  file_name: z.string(),
  member: z.string().nullable(),
  base_name: z.string(),
  groups: Groups,
  container_sha256: z.string(),
  sha256: z.string().nullable(),
  byte_count: z.number(),
  as_of_on: z.string(),
  physical_rows: z.number(),
  loaded_rows: z.number(),
  refused_rows: z.number(),
  status: z.enum(['loaded', 'repeated', 'empty', 'rolled_back', 'held', 'rejected', 'replaced']),
  reason: z.string().nullable(),
  same_as_file_id: z.number().nullable(),
  attempt: z.string().nullable(),
  corrects_file_id: z.number().nullable(),
  corrected_lines: z.array(z.number()).nullable(),
  part_of_file_id: z.number().nullable(),
})
/** A row of `ledger.files`: one file as one kind of a source. */
export type FileRecord = z.output<typeof FileRecord>

/** The values of a record before its file is read. */
export const UNREAD = {
  physical_rows: 0,
  loaded_rows: 0,
  refused_rows: 0,
  status: 'loaded',
  reason: null,
  same_as_file_id: null,
  attempt: null,
  corrects_file_id: null,
  corrected_lines: null,
  part_of_file_id: null,
} as const satisfies Partial<FileRecord>

/** Returns the records of a source's files in the order of their ids, including failed files. */
export async function knownFiles(db: DuckDBConnection, sourceId: string): Promise<FileRecord[]> {
  return await query(
    db,
    `select * replace (to_json(groups)::varchar as groups, byte_count::double as byte_count)
     from ledger.files where source_id = $sourceId order by file_id`,
    FileRecord,
    { sourceId },
  )
}

/** Returns the id of the file whose rows count for this file: another one when the content is repeated. */
export function contentId({ same_as_file_id, file_id }: FileRecord): number {
  return same_as_file_id ?? file_id
}

/** Returns true for failed and held files. They are tried again when their set changes. */
export function isWaiting({ status }: FileRecord): boolean {
  return status === 'rolled_back' || status === 'held'
}

export async function nextFileId(db: DuckDBConnection): Promise<number> {
  const sql = 'select coalesce(max(file_id), 0) + 1 as id from ledger.files'
  const [row] = await query(db, sql, z.object({ id: z.number() }))
  return row?.id ?? 1
}

/** Inserts files into the ledger. */
export async function recordFiles(
  db: DuckDBConnection,
  files: readonly FileRecord[],
  at: string,
): Promise<void> {
  const rows = files.map((file) => ({ ...file, loaded_at: at, unconverted_values: 0 }))
  await insertRows(db, 'ledger.files', LEDGER_TABLES['ledger.files'], rows)
}

/** Creates `temp.loading` with the files of a load, for SQL that runs before `ledger.files` has them. */
export async function createLoading(db: DuckDBConnection, files: readonly FileRecord[]): Promise<void> {
  await execute(
    db,
    `create or replace temp table loading as
     select * from ${jsonRows('files', LEDGER_TABLES['ledger.files'])}`,
    { files: JSON.stringify(files) },
  )
}

const SourceState = z.object({
  definition_hash: z.string().nullable(),
  attempt: z.string(),
  status: z.enum(['loaded', 'rolled_back']),
  reason: z.string().nullable(),
})
export type SourceState = z.output<typeof SourceState>

export async function sourceState(db: DuckDBConnection, sourceId: string): Promise<SourceState | null> {
  const rows = await query(
    db,
    'select definition_hash, attempt, status, reason from ledger.sources where source_id = $sourceId',
    SourceState,
    { sourceId },
  )
  return rows[0] ?? null
}

/** Returns the hash of the definition with which each source was last loaded. */
export async function loadedDefinitions(db: DuckDBConnection): Promise<Map<string, string | null>> {
  const rows = await query(
    db,
    'select source_id, definition_hash from ledger.sources',
    z.object({ source_id: z.string(), definition_hash: z.string().nullable() }),
  )
  return new Map(rows.map((row) => [row.source_id, row.definition_hash]))
}

export async function recordSource(
  db: DuckDBConnection,
  sourceId: string,
  state: SourceState,
  at: string,
): Promise<void> {
  await execute(db, 'delete from ledger.sources where source_id = $sourceId', { sourceId })
  const row = { source_id: sourceId, ...state, attempted_at: at }
  await insertRows(db, 'ledger.sources', LEDGER_TABLES['ledger.sources'], [row])
}

/** Returns the hash of how each kind of a source was last read. */
export async function readingHashes(db: DuckDBConnection, sourceId: string): Promise<Map<string, string>> {
  const rows = await query(
    db,
    'select kind, reading_hash from ledger.kinds where source_id = $sourceId',
    z.object({ kind: z.string(), reading_hash: z.string() }),
    { sourceId },
  )
  return new Map(rows.map((row) => [row.kind, row.reading_hash]))
}

export async function recordReadings(
  db: DuckDBConnection,
  sourceId: string,
  hashes: ReadonlyMap<string, string>,
): Promise<void> {
  await execute(db, 'delete from ledger.kinds where source_id = $sourceId', { sourceId })
  const rows = [...hashes].map(([kind, reading_hash]) => ({ source_id: sourceId, kind, reading_hash }))
  await insertRows(db, 'ledger.kinds', LEDGER_TABLES['ledger.kinds'], rows)
}
