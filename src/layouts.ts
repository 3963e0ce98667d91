import { dataTable } from './data-tables.ts'

/** One column of a publisher's file, from a row of `data/layouts/<name>.csv` (data/layouts/README.md). */
export interface LayoutColumn {
  readonly name: string
  readonly type: '' | 'text' | 'number'
  /** Bytes of the column in a fixed-width or padded file, else 0. */
  readonly width: number
  /** The value that every invented record has in this column, unless the generator sets another one. */
  readonly constant: string
}

/** The name of unused bytes in a fixed-width record. */
const FILLER = 'filler'

/** Reads the columns of every kind of file that one publisher sends. */
export class Layout {
  private readonly path: string
  private readonly files = new Map<string, LayoutColumn[]>()

  /** Reads `data/layouts/<name>.csv`. */
  constructor(name: string) {
    this.path = `layouts/${name}.csv`
    for (const { file = '', column = '', type, width, constant = '' } of dataTable(this.path)) {
      const columns = this.files.get(file) ?? []
      columns.push({ name: column, type: type as LayoutColumn['type'], width: Number(width), constant })
      this.files.set(file, columns)
    }
  }

  /** The kinds of files that the publisher sends. */
  get kinds(): string[] {
    return [...this.files.keys()]
  }

  /** Returns every column of a kind of file in order, unused bytes included. Throws when the layout lacks the kind. */
  columns(file: string): readonly LayoutColumn[] {
    const columns = this.files.get(file)
    if (columns === undefined) throw new Error(`data/${this.path} has no rows for the file ${file}`)
    return columns
  }

  /** Returns the column names of a kind of file. */
  names(file: string): string[] {
    return this.columns(file).map(({ name }) => name)
  }

  /** Returns the first and last byte of each used column of a fixed-width file, counted from 1. */
  ranges(file: string): { name: string; start: number; end: number }[] {
    let end = 0
    return this.columns(file)
      .map(({ name, width }) => ({ name, start: end + 1, end: (end += width) }))
      .filter(({ name }) => name !== FILLER)
  }
}
