import type { z } from 'zod'
import type { Database, Parameters, Value } from './database.ts'

/** Values by column. A column with the value undefined is left out. */
export type Columns = Readonly<Record<string, Value | undefined>>

/** Returns the rows of a query, each parsed by `schema`. `parameters`: values in the order of the `?`, or one object by name. */
export async function readRows<Schema extends z.ZodType>(
  db: Database,
  schema: Schema,
  sql: string,
  ...parameters: Parameters
): Promise<z.output<Schema>[]> {
  const rows = await db.all(sql, ...parameters)
  return rows.map((row) => schema.parse(row))
}

/** Returns the first row of a query, parsed by `schema`; null when the query returns no row. */
export async function readRow<Schema extends z.ZodType>(
  db: Database,
  schema: Schema,
  sql: string,
  ...parameters: Parameters
): Promise<z.output<Schema> | null> {
  const row = await db.get(sql, ...parameters)
  return row === undefined ? null : schema.parse(row)
}

/** Inserts one row. Columns that are left out get their default. */
export async function insertRow(db: Database, table: string, columns: Columns): Promise<void> {
  const [names, values] = given(columns)
  await db.run(insertText(table, names, 1), ...values)
}

/** Inserts one row and returns its number, which the database chose for the column `number`. */
export async function insertNumbered(
  db: Database,
  table: string,
  number: string,
  columns: Columns,
): Promise<number> {
  const [names, values] = given(columns)
  const row = await db.get(`${insertText(table, names, 1)} returning ${number}`, ...values)
  return Number(row?.[number])
}

/** Values in one statement: SQLite allows 32,766, PostgreSQL 65,535. Longer statements are not faster. */
const MOST_VALUES = 4_000

/**
 * Inserts many rows with the same columns. `then` is the end of the statement, such as `on conflict do nothing`. Returns the
 * number of inserted rows. Call it in a transaction, because many rows need several statements.
 */
export async function insertRows(
  db: Database,
  table: string,
  names: readonly string[],
  rows: readonly (readonly Value[])[],
  then = '',
): Promise<number> {
  const most = Math.floor(MOST_VALUES / names.length)
  let changes = 0
  for (let start = 0; start < rows.length; start += most) {
    const part = rows.slice(start, start + most)
    changes += (await db.run(`${insertText(table, names, part.length)} ${then}`, ...part.flat())).changes
  }
  return changes
}

/** Sets `columns` in the rows that have all values of `where`. Columns that are left out stay unchanged. */
export async function updateRows(
  db: Database,
  table: string,
  columns: Columns,
  where: Columns,
): Promise<void> {
  const [names, values] = given(columns)
  const [keys, wanted] = given(where)
  if (names.length === 0) return
  const sql = `update ${table} set ${names.map(equals).join(', ')} where ${keys.map(equals).join(' and ')}`
  await db.run(sql, ...values, ...wanted)
}

/** Returns the placeholders of `count` values: `?, ?, ?`. */
export function places(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}

const equals = (column: string): string => `${column} = ?`

function insertText(table: string, names: readonly string[], rowCount: number): string {
  const row = `(${places(names.length)})`
  return `insert into ${table} (${names.join(', ')}) values ${Array.from({ length: rowCount }, () => row).join(', ')}`
}

function given(columns: Columns): [names: string[], values: Value[]] {
  const entries = Object.entries(columns).filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return [entries.map(([name]) => name), entries.map(([, value]) => value)]
}
