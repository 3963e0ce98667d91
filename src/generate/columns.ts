/** A growing column of 32-bit numbers: two million people in plain objects would take gigabytes. */
class IntColumn {
  data: Int32Array
  length = 0

  constructor(capacity = 1024) {
    this.data = new Int32Array(capacity)
  }

  /** Returns the row that `value` got. */
  push(value: number): number {
    if (this.length === this.data.length) {
      const grown = new Int32Array(this.data.length * 2)
      grown.set(this.data)
      this.data = grown
    }
    this.data[this.length] = value
    this.length += 1
    return this.length - 1
  }

  get(row: number): number {
    return this.data[row]!
  }

  set(row: number, value: number): void {
    this.data[row] = value
  }
}

/** Columns that grow together, a row at a time. */
export type Table<Name extends string> = Record<Name, IntColumn>

export function table<Name extends string>(...names: Name[]): Table<Name> {
  return Object.fromEntries(names.map((name) => [name, new IntColumn()])) as Table<Name>
}

/** Adds a row with every column of the table. */
export function addRow<Name extends string>(into: Table<Name>, row: Record<Name, number>): number {
  let at = -1
  for (const name in into) at = into[name].push(row[name])
  return at
}
