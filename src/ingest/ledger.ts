import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { CANONICAL_TABLES, type CanonicalTable, LINEAGE_COLUMNS } from './canonical.ts'

/** The tables of the schema `ledger`, with their column types. They are small and have no index. */
const LEDGER_TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // One row per file and kind. `sha256` is the hash of the unpacked content, `container_sha256` that of the file in
  // landing. `same_as_file_id` is the file with the same content, whose rows also count for this file. `attempt` of
  // a failed or held file is a hash of its set and of its definition.
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
    // Set for corrections only: the corrected file, its corrected lines, and the file whose issue the rows belong
    // to.
    corrects_file_id: 'integer',
    corrected_lines: 'integer[]',
    part_of_file_id: 'integer',
    // The newer file that replaces all rows of this file. Quarantined lines of this file then need no decision.
    superseded_by_file_id: 'integer',
  },
  // The history of loads by county: figures of each file that later files are compared with. A baseline ends the
  // history before it. `blanks`, `codes` and `unconverted` are JSON objects: a share from 0 to 1 by column.
  'ledger.loads': {
    file_id: 'integer',
    source_id: 'varchar',
    kind: 'varchar',
    county_fips: 'varchar',
    row_count: 'integer',
    refused_rows: 'integer',
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
  // The files in landing, so that unchanged files are not hashed again.
  'ledger.landing': {
    file_name: 'varchar',
    byte_count: 'bigint',
    modified_at_ms: 'double',
    sha256: 'varchar',
    members: 'varchar[]',
    // JSON of the first line of a correction file: the lines that it replaces.
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
}

/** Creates the missing tables of `ledger` and `staging`, and adds missing columns to existing tables. */
export async function prepareTables(db: DuckDBConnection): Promise<void> {
  const tables: Record<string, Readonly<Record<string, string>>> = { ...LEDGER_TABLES }
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
  tables: Readonly<Record<string, Readonly<Record<string, string>>>>,
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

const LedgerFile = z.object({
  file_id: z.number(),
  kind: z.string(),
  file_name: z.string(),
  member: z.string().nullable(),
  container_sha256: z.string(),
  sha256: z.string().nullable(),
  as_of_on: z.string().nullable(),
  loaded_rows: z.number(),
  status: z.enum(['loaded', 'repeated', 'empty', 'rolled_back', 'held', 'rejected', 'replaced']),
  same_as_file_id: z.number().nullable(),
  attempt: z.string().nullable(),
})
export type LedgerFile = z.output<typeof LedgerFile>

/** Returns the ledger rows of a source's files in the order of their ids, including failed files. */
export async function knownFiles(db: DuckDBConnection, sourceId: string): Promise<LedgerFile[]> {
  return await query(
    db,
    `select file_id, kind, file_name, member, container_sha256, sha256, as_of_on, loaded_rows, status,
       same_as_file_id, attempt
     from ledger.files where source_id = $sourceId order by file_id`,
    LedgerFile,
    { sourceId },
  )
}

export async function nextFileId(db: DuckDBConnection): Promise<number> {
  const sql = 'select coalesce(max(file_id), 0) + 1 as id from ledger.files'
  const [row] = await query(db, sql, z.object({ id: z.number() }))
  return row?.id ?? 1
}

export interface FileRecord {
  readonly file_id: number
  readonly source_id: string
  readonly kind: string
  readonly file_name: string
  readonly member: string | null
  readonly base_name: string
  readonly groups: Readonly<Record<string, string>>
  readonly container_sha256: string
  readonly sha256: string | null
  readonly byte_count: number
  readonly as_of_on: string
  readonly physical_rows: number
  readonly loaded_rows: number
  readonly refused_rows: number
  readonly status: LedgerFile['status']
  readonly reason: string | null
  readonly same_as_file_id: number | null
  readonly attempt: string | null
  readonly corrects_file_id: number | null
  readonly corrected_lines: readonly number[] | null
  readonly part_of_file_id: number | null
}

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

/** Inserts files into the ledger. */
export async function recordFiles(
  db: DuckDBConnection,
  files: readonly FileRecord[],
  at: string,
): Promise<void> {
  if (files.length === 0) return
  await execute(
    db,
    `insert into ledger.files by name
     select file.* replace (
         map_from_entries(file.groups) as groups, file.as_of_on::date as as_of_on),
       $at::timestamp as loaded_at, 0 as unconverted_values
     from (select unnest(from_json($files::varchar, $shape::varchar)) as file)`,
    { at, files: JSON.stringify(files.map(asJson)), shape: RECORD_SHAPE },
  )
}

/**
 * Creates `temp.loading` with the files of a load, for SQL that needs their groups and days before they are
 * recorded.
 */
export async function createLoading(db: DuckDBConnection, files: readonly FileRecord[]): Promise<void> {
  await execute(
    db,
    `create or replace temp table loading as
     select file.* replace (map_from_entries(file.groups) as groups)
     from (select unnest(from_json($files::varchar, $shape::varchar)) as file)`,
    { files: JSON.stringify(files.map(asJson)), shape: RECORD_SHAPE },
  )
}

const RECORD_SHAPE = JSON.stringify([
  {
    file_id: 'integer',
    source_id: 'varchar',
    kind: 'varchar',
    file_name: 'varchar',
    member: 'varchar',
    base_name: 'varchar',
    groups: [{ key: 'varchar', value: 'varchar' }],
    container_sha256: 'varchar',
    sha256: 'varchar',
    byte_count: 'bigint',
    as_of_on: 'varchar',
    physical_rows: 'integer',
    loaded_rows: 'integer',
    refused_rows: 'integer',
    status: 'varchar',
    reason: 'varchar',
    same_as_file_id: 'integer',
    attempt: 'varchar',
    corrects_file_id: 'integer',
    corrected_lines: ['integer'],
    part_of_file_id: 'integer',
  },
])

function asJson(file: FileRecord): object {
  return { ...file, groups: Object.entries(file.groups).map(([key, value]) => ({ key, value })) }
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
  await execute(
    db,
    'insert into ledger.sources values ($sourceId, $hash, $attempt, $status, $reason, $at::timestamp)',
    {
      sourceId,
      hash: state.definition_hash,
      attempt: state.attempt,
      status: state.status,
      reason: state.reason,
      at,
    },
  )
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
  const values = [...hashes].map(([kind, hash]) => [sourceId, kind, hash].map(quotedLiteral).join(', '))
  await execute(db, 'delete from ledger.kinds where source_id = $sourceId', { sourceId })
  await execute(db, `insert into ledger.kinds values ${values.map((row) => `(${row})`).join(', ')}`)
}
