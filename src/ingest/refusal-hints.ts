import { CsvError, parse } from 'csv-parse/sync'
import type { FileKind } from './definition.ts'

const HINTS: readonly [RegExp, string][] = [
  [
    /^a quote stands inside an unquoted field/,
    'put quotes around the whole value and double each quote in it: "JOHN ""JACK"" DOE"',
  ],
  [/^a closing quote is followed by text/, 'double each quote inside the value: "JOHN ""JACK"" DOE"'],
  [/^a quoted field does not end/, 'add the closing quote, or remove the opening one'],
  [
    /^the line has \d+ fields instead of/,
    'a value contains a delimiter (put the value in quotes), or a delimiter or line end is missing',
  ],
  [
    /^the line does not end with its delimiter/,
    'add the delimiter after the last field; the line may be cut off',
  ],
  [/^the record has \d+ bytes instead of/, 'the line is cut off: pad each column to its width with spaces'],
  [/^the line is not valid UTF-8/, 'save the line as UTF-8; its bytes are of another encoding'],
  [/^the record is in UTF-8/, 'save the line as Latin-1 (Windows-1252), with each column at its width'],
  [/^the line holds a NUL byte/, 'remove the NUL bytes, which are shown as \u2400'],
  [/^the line has \d+ bytes, more than/, 'a line end is missing: only the publisher can correct such a file'],
  [/^the line is not a JSON object/, 'write one JSON object on the line, in braces'],
  [/^blank key/, 'fill the column: it identifies the record'],
  [/closed list/, 'use a value of the list, or add its code to the code table of the definition'],
  [/spreadsheet/, 'take the value from the publisher\u2019s file: a spreadsheet has changed it'],
  [/^replaced by a correction/, 'nothing to do: a correction replaces the line'],
]

/** Returns the advice to an operator about a reason in the quarantine. */
export function hintOf(reason: string): string {
  const known = HINTS.find(([pattern]) => pattern.test(reason))
  return known?.[1] ?? 'correct the value, or the rule in the definition'
}

/** Returns the column whose quotes are wrong. Returns null when the reason is not about quotes. */
export function faultyColumn(
  reason: string,
  record: Buffer,
  { format }: Pick<FileKind, 'format'>,
  columns: readonly (string | null)[],
): string | null {
  if (format.type !== 'delimited' || format.quote === null || !/quote/.test(reason)) return null
  const options = { delimiter: format.delimiter, record_delimiter: '\n', relax_column_count: true }
  try {
    parse(record.toString('latin1'), options)
  } catch (cause) {
    if (cause instanceof CsvError) return columns[Number(cause['column'])] ?? null
    throw cause
  }
  return null
}
