import { type Dialect, recordsOf } from './records.ts'

const DELIMITERS = [',', '\t', ';', '|'] as const
const LOOKED_AT = 50
/**
 * A whole field in quotes. A text that contains one uses double quotes as quotes, even if some rows use them wrongly.
 */
const QUOTED = /(?:^|[,;|\t\n])"[^"]*"(?:[,;|\t\r\n]|$)/

/** Returns the dialect with which most of the first records have as many fields as the header. */
export function sniffDialect(text: string): Dialect {
  let best: { dialect: Dialect; fit: number } | null = null
  for (const delimiter of DELIMITERS) {
    for (const quote of QUOTED.test(text) ? (['"'] as const) : (['"', null] as const)) {
      const dialect = { delimiter, quote }
      const fit = fitOf(text, dialect)
      if (best === null || fit > best.fit) best = { dialect, fit }
    }
  }
  return best!.dialect
}

function fitOf(text: string, dialect: Dialect): number {
  let fields = 0
  let even = 0
  let broken = 0
  let count = 0
  for (const { cells } of recordsOf(text, dialect, 1)) {
    if (count === 0) fields = cells?.length ?? 0
    if (cells === null) broken++
    else if (fitsHeader(cells, fields)) even++
    if (++count === LOOKED_AT) break
  }
  if (count === 0) return 0
  // One column proves nothing, because any text has one column with a delimiter that it lacks. With equal fit more
  // columns win.
  const width = fields === 1 ? 0.01 : 1 + Math.min(fields, 50) / 1_000
  return (width * (even - broken)) / count
}

/**
 * Returns whether a row has a field for each column. Empty fields after the last column are allowed, because
 * spreadsheets write them.
 */
export function fitsHeader(cells: readonly string[], columns: number): boolean {
  if (cells.length <= columns) return cells.length === columns
  for (let at = columns; at < cells.length; at++) if (cells[at]!.trim() !== '') return false
  return true
}

/**
 * Returns the first record that is not blank: its cells, its end in `text` in characters, and the number of lines up to
 * its end. Null when it cannot be read.
 */
export function takeHeader(
  text: string,
  dialect: Dialect,
): { cells: readonly string[]; length: number; lines: number } | null {
  for (const { cells, raw, line } of recordsOf(text, dialect, 1)) {
    if (cells === null) return null
    const start = text.indexOf(raw)
    let length = start + raw.length
    if (text[length] === '\r') length++
    if (text[length] === '\n') length++
    return { cells: cells.map((cell) => cell.trim()), length, lines: line - 1 + raw.split('\n').length }
  }
  return null
}
