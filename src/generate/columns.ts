import { GrowingIntegers } from '../arrays.ts'

/** A table of integers: columns of equal length, by name. An object per row would take gigabytes for two million people. */
export type Table<Name extends string> = Record<Name, GrowingIntegers>

export function table<Name extends string>(...names: Name[]): Table<Name> {
  return Object.fromEntries(names.map((name) => [name, new GrowingIntegers()])) as Table<Name>
}

/** Appends a row and returns its number. A column that `row` leaves out is -1 (none). */
export function addRow<Name extends string>(into: Table<Name>, row: Partial<Record<Name, number>>): number {
  let at = -1
  for (const name in into) {
    at = into[name].length
    into[name].push(row[name] ?? -1)
  }
  return at
}

/** Returns the values of a row, by name. */
export function rowOf<Name extends string>(of: Table<Name>, at: number): Record<Name, number> {
  const row = {} as Record<Name, number>
  for (const name in of) row[name] = of[name].get(at)
  return row
}
