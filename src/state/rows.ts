import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { z } from 'zod'

type Parameters = SQLInputValue[] | [Record<string, SQLInputValue>]
/** Values by column. A column with the value undefined is left out. */
export type Columns = Readonly<Record<string, SQLInputValue | undefined>>

/** Returns the rows of a query, each parsed by `schema`. `parameters`: values in the order of the `?`, or one object by name. */
export function readRows<Schema extends z.ZodType>(
  db: DatabaseSync,
  schema: Schema,
  sql: string,
  ...parameters: Parameters
): z.output<Schema>[] {
  const rows = db.prepare(sql).all(...(parameters as SQLInputValue[]))
  return rows.map((row) => schema.parse(row))
}

/** Returns the first row of a query, parsed by `schema`; null when the query returns no row. */
export function readRow<Schema extends z.ZodType>(
  db: DatabaseSync,
  schema: Schema,
  sql: string,
  ...parameters: Parameters
): z.output<Schema> | null {
  const row = db.prepare(sql).get(...(parameters as SQLInputValue[]))
  return row === undefined ? null : schema.parse(row)
}

/** Inserts one row. Columns that are left out get their default. Returns the row's number (`rowid`). */
export function insertRow(db: DatabaseSync, table: string, columns: Columns): number {
  const [names, values] = given(columns)
  const places = names.map(() => '?').join(', ')
  const insert = db.prepare(`insert into ${table} (${names.join(', ')}) values (${places})`)
  return Number(insert.run(...values).lastInsertRowid)
}

/** Sets `columns` in the rows that have all values of `where`. Columns that are left out stay unchanged. */
export function updateRows(db: DatabaseSync, table: string, columns: Columns, where: Columns): void {
  const [names, values] = given(columns)
  const [keys, wanted] = given(where)
  if (names.length === 0) return
  db.prepare(
    `update ${table} set ${names.map(equals).join(', ')} where ${keys.map(equals).join(' and ')}`,
  ).run(...values, ...wanted)
}

const equals = (column: string): string => `${column} = ?`

function given(columns: Columns): [names: string[], values: SQLInputValue[]] {
  const entries = Object.entries(columns).filter(
    (entry): entry is [string, SQLInputValue] => entry[1] !== undefined,
  )
  return [entries.map(([name]) => name), entries.map(([, value]) => value)]
}
