import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api'
import type { z } from 'zod'
import { AppError, messageOf } from '../errors.ts'
import { saysDiskFull } from './disk-full.ts'

export type Parameters = Record<string, DuckDBValue>

/**
 * Runs one statement and parses each row with the zod schema `row`. An error's message contains the SQL.
 *
 * DuckDB returns BIGINT, HUGEINT and DECIMAL values as strings here (`getRowObjectsJson()`), so cast them in the
 * SQL.
 */
export async function query<Row extends z.ZodType>(
  db: DuckDBConnection,
  sql: string,
  row: Row,
  params: Parameters = {},
): Promise<z.output<Row>[]> {
  try {
    const reader = await db.runAndReadAll(sql, params)
    return reader.getRowObjectsJson().map((value) => row.parse(value))
  } catch (cause) {
    throw modelFailure(cause, sql)
  }
}

/** Runs one statement and ignores its result. An error's message contains the SQL. */
export async function execute(db: DuckDBConnection, sql: string, params: Parameters = {}): Promise<void> {
  try {
    await db.run(sql, params)
  } catch (cause) {
    throw modelFailure(cause, sql)
  }
}

/**
 * Runs one statement and returns DuckDB's column chunks, for results with too many rows to parse each with a
 * schema.
 */
export async function readChunks(
  db: DuckDBConnection,
  sql: string,
  params: Parameters = {},
): Promise<DuckDBDataChunk[]> {
  try {
    return await (await db.run(sql, params)).fetchAllChunks()
  } catch (cause) {
    throw modelFailure(cause, sql)
  }
}

/** Runs one statement and yields DuckDB's column chunks while the statement runs. */
export async function* streamChunks(db: DuckDBConnection, sql: string): AsyncGenerator<DuckDBDataChunk> {
  try {
    yield* await db.stream(sql)
  } catch (cause) {
    throw modelFailure(cause, sql)
  }
}

/** Runs `body` in one transaction, and rolls the transaction back when `body` throws. */
export async function inTransaction<T>(db: DuckDBConnection, body: () => Promise<T>): Promise<T> {
  await execute(db, 'begin transaction')
  try {
    const result = await body()
    await execute(db, 'commit')
    return result
  } catch (error) {
    // A failed commit has already rolled the transaction back, so `rollback` fails too. The caller needs the first
    // error only.
    await db.run('rollback').catch(() => undefined)
    throw error
  }
}

/** SQL types of columns by name. */
export type Columns = Readonly<Record<string, string>>

/**
 * Returns a subquery whose rows are the objects of a JSON array, which the caller passes as the parameter `name`. A
 * key that an object lacks is null, and a key without a column is ignored.
 */
export function jsonRows(name: string, columns: Columns): string {
  const shape = quotedLiteral(JSON.stringify([columns]))
  return `(select unnest(from_json($${name}::varchar, ${shape}), max_depth := 2))`
}

/** Inserts objects into the columns of a table that have the names of their keys. */
export async function insertRows(
  db: DuckDBConnection,
  table: string,
  columns: Columns,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return
  await execute(db, `insert into ${table} by name select * from ${jsonRows('rows', columns)}`, {
    rows: JSON.stringify(rows),
  })
}

/** Returns `name` as a quoted SQL identifier. `name` may contain any character. */
export function quotedIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Returns `value` as an SQL string literal, for places where DuckDB accepts no parameter (file lists, options of
 * readers).
 */
export function quotedLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

function modelFailure(cause: unknown, sql: string): AppError {
  const message = messageOf(cause)
  const code = saysDiskFull(cause) ? 'disk_full' : 'model_failed'
  return new AppError(code, `query failed: ${message}\n\n${sql}`, { cause })
}
