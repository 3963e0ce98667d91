import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { jsonRows, query } from '../warehouse/query.ts'

/**
 * Quarantined lines that the operator discarded. The decision applies to files with the same bytes in any
 * warehouse.
 */
export interface Discard {
  readonly source_id: string
  readonly kind: string
  /** The SHA-256 of the file in landing. For a member of a zip it is the hash of the zip. */
  readonly sha256: string
  readonly member: string | null
  readonly line_numbers: readonly number[]
}

/** A selection of quarantined lines. A missing field selects all lines. */
export interface Selection {
  readonly source?: string | undefined
  /** The name in messages: `archive.zip!member.txt` for a member of a zip. */
  readonly file?: string | undefined
  /** A part of the reason. Case does not matter. */
  readonly reason?: string | undefined
  readonly lines?: readonly number[] | undefined
}

/**
 * The state of a quarantined line. `waiting`: the line still needs a decision. `failed`: its whole file failed, so
 * the file must be corrected. `replayed`: a correction has the line. `discarded`: the operator discarded it.
 * `superseded`: a newer file replaces its file.
 */
export const STATES = ['waiting', 'failed', 'replayed', 'discarded', 'superseded'] as const
export type QuarantineState = (typeof STATES)[number]

const Group = z.object({
  source_id: z.string(),
  kind: z.string(),
  reason: z.string(),
  column: z.string().nullable(),
  state: z.enum(['waiting', 'failed']),
  rows: z.int(),
  files: z.int(),
  file_name: z.string(),
  line_number: z.int().nullable(),
})
/**
 * Waiting or failed lines of one source with one reason. `file_name` and `line_number` are those of the first line.
 */
export type QuarantineGroup = z.output<typeof Group>

const Account = z.object({
  source_id: z.string(),
  refused: z.int(),
  waiting: z.int(),
  failed: z.int(),
  replayed: z.int(),
  discarded: z.int(),
  superseded: z.int(),
})
/** Number of quarantined lines of one source in each state. The states add up to `refused`. */
export type QuarantineAccount = z.output<typeof Account>

const Line = z.object({
  source_id: z.string(),
  kind: z.string(),
  file_id: z.int(),
  file_name: z.string(),
  landed_name: z.string(),
  container_sha256: z.string(),
  member: z.string().nullable(),
  /** The SHA-256 of the unpacked content. Null when it is not known. */
  sha256: z.string().nullable(),
  line_number: z.int(),
  raw_text: z.string().nullable(),
  reason: z.string(),
  column: z.string().nullable(),
  state: z.enum(STATES),
})
export type QuarantinedLine = z.output<typeof Line>

/** Returns the waiting and failed lines, grouped by source and reason, the most frequent first. */
export async function quarantineGroups(
  db: DuckDBConnection,
  discards: readonly Discard[],
  selection: Selection = {},
  limit = 1_000,
): Promise<QuarantineGroup[]> {
  const rows = await quarantineRows(db)
  if (rows === null) return []
  return await query(
    db,
    `${rows}
     select source_id, kind, reason, "column", state, count(*)::integer as rows,
       count(distinct file_id)::integer as files, min(file_name) as file_name,
       arg_min(line_number, (file_name, line_number)) as line_number
     from quarantined
     where state in ('waiting', 'failed') and ${SELECTED}
     group by all order by rows desc, source_id, kind, reason limit ${limit}`,
    Group,
    parameters(discards, selection),
  )
}

/** Returns the number of quarantined lines of each source in each state. */
export async function quarantineAccounts(
  db: DuckDBConnection,
  discards: readonly Discard[],
  selection: Selection = {},
): Promise<QuarantineAccount[]> {
  const rows = await quarantineRows(db)
  if (rows === null) return []
  const counts = STATES.map((state) => `count(*) filter (state = '${state}')::integer as ${state}`).join(', ')
  return await query(
    db,
    `${rows}
     select source_id, count(*)::integer as refused, ${counts}
     from quarantined where ${SELECTED} group by source_id order by source_id`,
    Account,
    parameters(discards, selection),
  )
}

/** Returns the selected lines that are in one of `states`, sorted by source, file and line. */
export async function quarantinedLines(
  db: DuckDBConnection,
  discards: readonly Discard[],
  selection: Selection,
  states: readonly QuarantineState[],
  limit: number,
): Promise<QuarantinedLine[]> {
  const rows = await quarantineRows(db)
  if (rows === null) return []
  return await query(
    db,
    `${rows}
     select source_id, kind, file_id, file_name, landed_name, container_sha256, member, sha256, line_number, raw_text,
       reason, "column", state
     from quarantined
     where ${SELECTED} and state in (${states.map((state) => `'${state}'`).join(', ')})
     order by source_id, file_name, file_id, line_number limit ${limit}`,
    Line,
    parameters(discards, selection),
  )
}

const SELECTED = `($source is null or source_id = $source) and ($file is null or file_name = $file)
  and ($reason is null or contains(lower(reason), lower($reason)))
  and ($lines is null or line_number in (select unnest(from_json($lines::varchar, '["integer"]'))))`

function parameters(discards: readonly Discard[], { source, file, reason, lines }: Selection) {
  return {
    discards: JSON.stringify(discards),
    source: source ?? null,
    file: file ?? null,
    reason: reason ?? null,
    lines: lines === undefined ? null : JSON.stringify(lines),
  }
}

const DISCARD_COLUMNS = {
  source_id: 'varchar',
  kind: 'varchar',
  sha256: 'varchar',
  member: 'varchar',
  line_numbers: 'integer[]',
}

/** Columns of `ledger.files` that a warehouse of an earlier version gets with its next run only. */
const NEW_COLUMNS = {
  corrects_file_id: 'integer',
  corrected_lines: 'integer[]',
  superseded_by_file_id: 'integer',
}

/**
 * Returns the beginning of a statement that defines `quarantined`: all quarantined lines with their states. Returns
 * null in a warehouse into which nothing was ever loaded.
 */
async function quarantineRows(db: DuckDBConnection): Promise<string | null> {
  const columns = await query(
    db,
    `select column_name from duckdb_columns()
     where database_name = current_database() and schema_name = 'ledger' and table_name = 'files'`,
    z.object({ column_name: z.string() }),
  )
  if (columns.length === 0) return null
  const present = new Set(columns.map(({ column_name }) => column_name))
  const missing = Object.entries(NEW_COLUMNS)
    .filter(([name]) => !present.has(name))
    .map(([name, type]) => `, null::${type} as ${name}`)
  return `with files as (select *${missing.join('')} from ledger.files),
    discarded as (
      select distinct source_id, kind, sha256, member, unnest(line_numbers) as line_number
      from ${jsonRows('discards', DISCARD_COLUMNS)}
    ),
    replayed as (
      select distinct corrects_file_id as file_id, unnest(corrected_lines) as line_number
      from files where status = 'loaded' and corrects_file_id is not null
    ),
    quarantined as (
      select row.source_id, files.kind, row.file_id, row.file_name, files.file_name as landed_name,
        files.container_sha256, files.member, files.sha256, row.line_number, row.raw_text, row.reason,
        row.field as "column",
        case
          when replayed.file_id is not null then 'replayed'
          when discarded.line_number is not null then 'discarded'
          when files.superseded_by_file_id is not null then 'superseded'
          when files.status = 'rolled_back' then 'failed'
          else 'waiting'
        end as state
      from ledger.quarantine as row
      join files on files.file_id = row.file_id
      left join replayed on replayed.file_id = row.file_id and replayed.line_number = row.line_number
      left join discarded on discarded.source_id = row.source_id and discarded.kind = files.kind
        and discarded.sha256 = files.container_sha256 and discarded.line_number = row.line_number
        and discarded.member is not distinct from files.member
    )`
}
