import { GrowingIntegers } from '../arrays.ts'

/** Columns of equal length, by name. Objects would take gigabytes for two million people. */
export type Table<Name extends string> = Record<Name, GrowingIntegers>

export function table<Name extends string>(...names: Name[]): Table<Name> {
  return Object.fromEntries(names.map((name) => [name, new GrowingIntegers()])) as Table<Name>
}

/** Appends a row and returns its number. */
export function addRow<Name extends string>(into: Table<Name>, row: Record<Name, number>): number {
  let at = -1
  for (const name in into) {
    at = into[name].length
    into[name].push(row[name])
  }
  return at
}
