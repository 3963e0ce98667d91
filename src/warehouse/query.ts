import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api'
import type { z } from 'zod'
import { AppError, messageOf } from '../errors.ts'
import { saysDiskFull } from './disk-full.ts'

export type Parameters = Record<string, DuckDBValue>

/**
 * Runs one statement and checks every row against `row`; the SQL travels with any failure.
 * Rows come through `getRowObjectsJson()`: BIGINT, HUGEINT and DECIMAL arrive as strings, so cast in SQL.
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

/** Runs one statement for its effect. */
export async function execute(db: DuckDBConnection, sql: string, params: Parameters = {}): Promise<void> {
  try {
    await db.run(sql, params)
  } catch (cause) {
    throw modelFailure(cause, sql)
  }
}

/** The result of one statement as the engine's own columns, for millions of rows that no schema can be run over. */
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

/** Runs `body` in one transaction: all of it or nothing. */
export async function inTransaction<T>(db: DuckDBConnection, body: () => Promise<T>): Promise<T> {
  await execute(db, 'begin transaction')
  try {
    const result = await body()
    await execute(db, 'commit')
    return result
  } catch (error) {
    // A failed commit has already rolled back, and its own error is the one worth seeing.
    await db.run('rollback').catch(() => undefined)
    throw error
  }
}

/** `name` as an SQL identifier, whatever it holds. */
export function quotedIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `value` as an SQL string literal, for the few places that take no parameter (file lists, options of readers). */
export function quotedLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

function modelFailure(cause: unknown, sql: string): AppError {
  const message = messageOf(cause)
  const code = saysDiskFull(cause) ? 'disk_full' : 'model_failed'
  return new AppError(code, `query failed: ${message}\n\n${sql}`, { cause })
}
