import type { Lookup } from '../../lookup/index.ts'
import type { MappedColumn } from '../columns/recognise.ts'
import { addedColumns } from '../match/added-columns.ts'
import { fieldColumns, type Value } from '../match/fields.ts'
import { matchRow, type MatchOptions, NOT_LOOKED_UP, readRows, type RowAnswer } from '../match/match-row.ts'
import { cluesOf, type RowClues } from '../match/row-clues.ts'
import type { BrokenRecord, Dialect } from '../read/records.ts'
import { fieldText, type ReadableRow, type RowFormat, rowsOfChunk, type RowSettings } from '../read/rows.ts'
import { isFormula, safeCell } from '../read/safe-cells.ts'
import { emptyTally, type Tally, tallyInputs, tallyRow } from './tally.ts'

/** The settings that all chunks of a run share. Plain data, sent to each thread once. */
export interface ChunkSettings extends RowSettings {
  readonly mapping: readonly MappedColumn[]
  readonly counties: ReadonlyMap<string, string>
  readonly match: MatchOptions
  /** null for a dry run, which writes nothing. */
  readonly output: RowFormat | null
  readonly outputDialect: Dialect
  /** True: `safeCell` is applied to the cells of delimited rows. */
  readonly safeCells: boolean
  readonly prefix: string
  /** True: the last column names the first row of the same person. */
  readonly dedupe: boolean
  /** True when the caller needs each billable row: for the cap on matches, or to find duplicates. */
  readonly reportsRows: boolean
}

export interface ChunkResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly rejected: readonly BrokenRecord[]
  readonly tally: Tally
  /**
   * With `reportsRows`, each billable row: its number, its person (−1 for a property), and the length of the output text
   * up to its end, in characters.
   */
  readonly billable: readonly { readonly row: number; readonly person: number; readonly end: number }[]
}

export interface ChunkTask {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly firstRow: number
  readonly firstLine: number
  /** Rows from this number on are copied without a match, because the cap on billable matches is reached. */
  readonly stopAt: number
  /** Rows from this number on are left out. */
  readonly endAt: number
}

/** The clues of this many rows are parsed together. decisions/004-speed.md says why. */
const ROWS_AT_ONCE = 250

/** Matches chunks of rows. Returns the same rows with the added columns. */
export class ChunkMatcher {
  readonly #lookup: Lookup
  readonly #settings: ChunkSettings
  readonly #columns: readonly string[]
  readonly #added: readonly string[]
  readonly #isRaw: boolean

  constructor(lookup: Lookup, settings: ChunkSettings) {
    this.#lookup = lookup
    this.#settings = settings
    const { match, prefix, dedupe, input, output, inputDialect, outputDialect } = settings
    this.#columns = fieldColumns(match.fields)
    this.#added = addedColumns(match.fields, prefix, match.top, dedupe)
    this.#isRaw = input === 'delimited' && output === 'delimited' && inputDialect.delimiter === outputDialect.delimiter && inputDialect.quote === outputDialect.quote // prettier-ignore
  }

  run({ bytes, firstRow, firstLine, stopAt, endAt }: ChunkTask): ChunkResult {
    const result: Matched = { tally: emptyTally(), billable: [], text: '' }
    const rejected: BrokenRecord[] = []
    let rows: NumberedRow[] = []
    let row = firstRow - 1
    for (const record of rowsOfChunk(bytes, firstLine, this.#settings)) {
      row++
      if (row >= endAt) break
      if (record.fault === null) rows.push({ ...record, row })
      else {
        rejected.push({ row, line: record.line, reason: record.fault, text: record.raw })
        result.tally.rejected++
      }
      if (rows.length < ROWS_AT_ONCE) continue
      this.#match(rows, stopAt, result)
      rows = []
    }
    if (rows.length > 0) this.#match(rows, stopAt, result)
    const { tally, billable, text } = result
    return { bytes: new TextEncoder().encode(text), rejected, tally, billable }
  }

  #match(rows: readonly NumberedRow[], stopAt: number, result: Matched): void {
    const { tally, billable } = result
    const { mapping, counties, match, output, reportsRows } = this.#settings
    const started = performance.now()
    const clues = rows.map(({ row, cells }): RowClues => (row >= stopAt ? {} : cluesOf(cells, mapping, counties))) // prettier-ignore
    const read = readRows(this.#lookup, clues, match)
    const reading = (performance.now() - started) / rows.length
    for (const [at, record] of rows.entries()) {
      const { row, cells } = record
      const begun = performance.now()
      const answers = row >= stopAt ? NOT_LOOKED_UP : matchRow(this.#lookup, clues[at]!, match, read[at])
      const [best] = answers
      tallyRow(tally, row, best, (performance.now() - begun + reading) * 1000)
      tallyInputs(tally, cells, mapping, best)
      if (row >= stopAt) tally.notLookedUp++
      if (output !== null) for (const answer of answers) result.text += this.#line(record, answer)
      if (reportsRows && best.isBillable) {
        billable.push({ row, person: best.person ?? -1, end: result.text.length })
      }
    }
  }

  #line({ cells, raw }: ReadableRow, answer: RowAnswer): string {
    const { output, input, header, match, dedupe, outputDialect, safeCells } = this.#settings
    const values: Value[] = [
      answer.status,
      answer.match_probability,
      answer.matched_by.join(' '),
      answer.reason,
      answer.person_id,
      answer.person_name,
      answer.property_id,
    ]
    if (match.top > 1) values.push(answer.rank)
    for (let at = 0; at < this.#columns.length; at++) values.push(answer.values[at] ?? null)
    if (dedupe) values.push(null)
    if (output === 'jsonl')
      return jsonLine(input === 'jsonl' ? raw : objectText(header, cells), this.#added, values)
    const { delimiter } = outputDialect
    const isCopied = this.#isRaw && !(safeCells && (cells.some(isFormula) || raw.includes('\r')))
    const safe = safeCells ? safeCell : (text: string): string => text
    const own = isCopied ? raw : cells.map((cell) => fieldText(safe(cell), outputDialect)).join(delimiter)
    const added = values.map((value) =>
      typeof value === 'string' ? fieldText(safe(value), outputDialect) : (value ?? ''),
    )
    return `${own}${delimiter}${added.join(delimiter)}\n`
  }
}

interface NumberedRow extends ReadableRow {
  readonly row: number
}

/** The results of a chunk so far. */
interface Matched {
  readonly tally: Tally
  readonly billable: ChunkResult['billable'][number][]
  text: string
}

function objectText(header: readonly string[], cells: readonly string[]): string {
  return `{${header.map((name, column) => `${JSON.stringify(name)}:${JSON.stringify(cells[column])}`).join(',')}}`
}

function jsonLine(object: string, names: readonly string[], values: readonly Value[]): string {
  const added = names
    .map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(values[at] ?? null)}`)
    .join(',')
  const open = object.slice(0, -1)
  return `${open}${open.trim() === '{' ? '' : ','}${added}}\n`
}
