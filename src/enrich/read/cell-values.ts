import { isFormula } from './safe-cells.ts'

// Placeholders that exports write into empty cells.
const EMPTY = new Set(['NULL', 'N/A', 'NA', 'NONE', '-', '--', 'UNKNOWN', '#N/A', 'NAN', '(NULL)', '[NULL]'])

const LONGEST_EMPTY = Math.max(...Array.from(EMPTY, (text) => text.length))

/**
 * In characters. No name, phone, e-mail or address is longer. Longer cells are not parsed, because parsing would take
 * long.
 */
const LONGEST_VALUE = 1_000

const APOSTROPHE = 39
const EQUALS = 61

/**
 * Returns the value of a cell without what spreadsheets add to keep text as text (`="00123"`, `'00123`), and without
 * the apostrophe of `safeCell`. Returns '' for placeholders and for cells longer than `LONGEST_VALUE`.
 */
export function cellValue(cell: string): string {
  const own = cell.charCodeAt(0) === APOSTROPHE && isFormula(cell.slice(1)) ? cell.slice(1) : cell
  if (own.length > LONGEST_VALUE) return ''
  let text = own.trim()
  const first = text.charCodeAt(0)
  if (first === EQUALS) text = /^="(.*)"$/s.exec(text)?.[1]?.trim() ?? text
  else if (first === APOSTROPHE && text.charCodeAt(text.length - 1) !== APOSTROPHE) text = text.slice(1)
  return text.length <= LONGEST_EMPTY && EMPTY.has(text.toUpperCase()) ? '' : text
}

/**
 * Returns five digits; undefined for other texts. Restores leading zeros that a spreadsheet removed, and removes the
 * `z:` that some lead forms put in front.
 */
export function zipOf(text: string): string | undefined {
  const digits = /^(?:z:)?(\d{3,5})(?:\.0)?-?(?:\d{4})?$/.exec(text)?.[1]
  return digits?.padStart(5, '0')
}

const LONGEST_PHONE = 20

/** Returns the phones of a cell, which may hold several: `512-555-0101 / 512-555-0102`. */
export function phonesOf(text: string): readonly string[] {
  if (text.length <= LONGEST_PHONE) return [text]
  const parts = text.split(/[;,|/&\n]| or | and |:::/).filter((part) => /\d/.test(part))
  return parts.length > 1 && parts.every((part) => part.replace(/\D/g, '').length >= 10) ? parts : [text]
}

/** Returns the e-mails of a cell: `a@example.com; b@example.com`, `Jane Smith <jane@example.com>`. */
export function emailsOf(text: string): readonly string[] {
  if (!/[\s;,|<]/.test(text)) return [text]
  const bracketed = /^[^<>@]*<([^<>\s]+)>$/.exec(text)?.[1]
  if (bracketed !== undefined) return [bracketed]
  const parts = text.split(/[\s;,|]+/).filter((part) => part !== '')
  return parts.length > 1 && parts.every((part) => part.includes('@')) ? parts : [text]
}
