import { Layout, type LayoutColumn } from '../../layouts.ts'
import { csvField } from '../csv.ts'

export type Values = Readonly<Record<string, string | number>>

export type Encoding = 'utf8' | 'latin1'

/** A file of rows. `row` writes a row from its values by column name. */
export interface Table {
  row(values: Values): void
}

/** How a publisher writes a row. */
export interface RowStyle {
  /** Between two cells; empty in fixed-width files, whose cells are cut at their width. */
  readonly separator: string
  /** After the last cell. */
  readonly end: string
  readonly hasHeader?: boolean
  /** Which cells have quotes: those that need them, those of type `text` that are not blank, all; default: none. */
  readonly quotes?: 'needed' | 'text' | 'all'
  /** The text of a blank cell. The default is an empty text. */
  readonly blank?: string
}

export const CSV: RowStyle = { separator: ',', end: '\n', hasHeader: true, quotes: 'needed' }
export const TABS: RowStyle = { separator: '\t', end: '\r\n', hasHeader: true }

/** Writes rows of one kind of file. A row has the layout's constants, and blanks where nothing is given. */
export class RecordFormat {
  /** The first line of a file with a header, else empty. */
  readonly header: string = ''
  readonly #columns: readonly LayoutColumn[]
  readonly #style: RowStyle
  readonly #positions: ReadonlyMap<string, number>
  readonly #constants: readonly string[]

  /** Reads the columns of the kind of file `file` in `data/layouts/<layout>.csv`. */
  constructor(layout: string, file: string, style: RowStyle) {
    this.#columns = new Layout(layout).columns(file)
    this.#style = style
    this.#positions = new Map(this.#columns.map(({ name }, at) => [name, at]))
    this.#constants = this.#columns.map((column) => this.#cell(column, column.constant))
    if (style.hasHeader !== true) return
    const names = this.#columns.map(({ name }) => (style.quotes === 'all' ? `"${name}"` : name))
    this.header = names.join(style.separator) + style.end
  }

  /** Returns one row with its line end; `values` go by column name. */
  line(values: Values): string {
    const cells = [...this.#constants]
    for (const [name, value] of Object.entries(values)) {
      const at = this.#positions.get(name)
      if (at === undefined) throw new Error(`the layout has no column ${name}`)
      cells[at] = this.#cell(this.#columns[at]!, String(value))
    }
    return cells.join(this.#style.separator) + this.#style.end
  }

  #cell({ type, width }: LayoutColumn, text: string): string {
    const { separator, quotes, blank = '' } = this.#style
    if (width > 0) {
      if (type === 'number') return text.padStart(width, '0')
      return separator === '' ? text.slice(0, width).padEnd(width) : text.padEnd(width)
    }
    if (quotes === 'needed') return csvField(text)
    if (quotes === 'all' || (quotes === 'text' && type === 'text' && text !== ''))
      return `"${text.replaceAll('"', '""')}"`
    return text === '' ? blank : text
  }
}
