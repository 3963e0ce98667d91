import { GrowingIntegers } from '../arrays.ts'

/** Columns that grow together, a row at a time: two million people in plain objects would take gigabytes. */
export type Table<Name extends string> = Record<Name, GrowingIntegers>

export function table<Name extends string>(...names: Name[]): Table<Name> {
  return Object.fromEntries(names.map((name) => [name, new GrowingIntegers()])) as Table<Name>
}

/** Adds a row with every column of the table. Returns the number of the row. */
export function addRow<Name extends string>(into: Table<Name>, row: Record<Name, number>): number {
  let at = -1
  for (const name in into) {
    at = into[name].length
    into[name].push(row[name])
  }
  return at
}
