import { isUtf8 } from 'node:buffer'
import { AppError } from '../../errors.ts'
import { fitsHeader } from './dialect.ts'
import { type Dialect, LINES, recordsOf } from './records.ts'

export type RowFormat = 'delimited' | 'jsonl'

/** The format of an input's rows. */
export interface RowSettings {
  readonly input: RowFormat
  readonly inputDialect: Dialect
  readonly header: readonly string[]
}

export interface ReadableRow {
  readonly cells: readonly string[]
  readonly raw: string
  readonly line: number
  readonly fault: null
}

interface BrokenRow {
  readonly cells: null
  readonly raw: string
  readonly line: number
  readonly fault: string
}

/** A row that was read, or a row with a fault. */
export type ListedRow = ReadableRow | BrokenRow

/** Yields the rows of a chunk, with the fault of each row that cannot be read. */
export function* rowsOfChunk(
  bytes: Uint8Array,
  firstLine: number,
  { input, inputDialect, header }: RowSettings,
): Generator<ListedRow> {
  const isClean = isUtf8(bytes)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  const isJson = input === 'jsonl'
  const columns = new Map(isJson ? header.map((name, column) => [name, column]) : [])
  for (const { cells, raw, line } of recordsOf(text, isJson ? LINES : inputDialect, firstLine)) {
    if (!isClean && raw.includes('\ufffd'))
      yield broken(raw, line, 'the row is not UTF-8: name its --encoding')
    else if (isJson) yield jsonRow(raw, line, columns)
    else if (cells === null) yield broken(raw, line, 'a closing quote is followed by text')
    else if (!fitsHeader(cells, header.length))
      yield broken(
        raw,
        line,
        `the row has ${cells.length} ${cells.length === 1 ? 'field' : 'fields'}, and the header has ${header.length}`,
      )
    else if (cells.length > header.length) yield withoutTail(cells, raw, line, header.length, inputDialect)
    else yield { cells, raw, line, fault: null }
  }
}

/** Removes the empty fields after the last column of the header. */
function withoutTail(
  cells: readonly string[],
  raw: string,
  line: number,
  columns: number,
  { delimiter }: Dialect,
): ReadableRow {
  let end = raw.length
  for (let tail = cells.length; tail > columns; tail--) end = raw.lastIndexOf(delimiter, end - 1)
  return { cells: cells.slice(0, columns), raw: raw.slice(0, end), line, fault: null }
}

function broken(raw: string, line: number, fault: string): BrokenRow {
  return { cells: null, raw, line, fault }
}

function jsonRow(raw: string, line: number, columns: ReadonlyMap<string, number>): ListedRow {
  let object: unknown
  try {
    object = parseLine(raw)
  } catch (cause) {
    return broken(raw, line, cause instanceof AppError ? cause.message : 'the line is not JSON')
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    return broken(raw, line, 'the line is not a JSON object')
  const cells = Array.from({ length: columns.size }, () => '')
  for (const [name, value] of Object.entries(object)) {
    const column = columns.get(name)
    if (column === undefined)
      return broken(
        raw,
        line,
        `the key '${name}' is missing in all of the first rows, which decide the columns`,
      )
    cells[column] = cellOf(value)
  }
  return { cells, raw: raw.trim(), line, fault: null }
}

const MOST_DEPTH = 32
const BACKSLASH = 92
const QUOTE = 34

/**
 * Parses a line of JSON.
 * @throws `bad_input` for deep nesting, because writing such a value would overflow the stack
 */
export function parseLine(text: string): unknown {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isText) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isText = false
    } else if (code === QUOTE) isText = true
    else if (code === 91 || code === 123) {
      if (++depth > MOST_DEPTH)
        throw new AppError('bad_input', `the line is nested more than ${MOST_DEPTH} deep`)
    } else if (code === 93 || code === 125) depth--
  }
  return JSON.parse(text)
}

/** Returns a JSON value as text for a cell. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, bigIntsAsText)
}

// Lists and structs of Arrow may contain 64-bit integers, which JSON.stringify refuses.
function bigIntsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/**
 * Returns a field as the dialect writes it. In a dialect without quotes, delimiters and line ends within the field
 * become spaces.
 */
export function fieldText(value: string, { delimiter, quote }: Dialect): string {
  if (quote === null)
    return value.includes(delimiter) || /[\r\n]/.test(value)
      ? value.replaceAll(delimiter, ' ').replace(/[\r\n]+/g, ' ')
      : value
  if (!value.includes(delimiter) && !value.includes(quote) && !value.includes('\n') && !value.includes('\r'))
    return value
  return quote + value.replaceAll(quote, quote + quote) + quote
}
