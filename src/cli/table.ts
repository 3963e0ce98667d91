import { printable } from '../printable.ts'

/** Lines of a table: each column as wide as its widest cell, two spaces between; control characters as their codes. */
export function tableLines(header: readonly string[], values: readonly (readonly string[])[]): string[] {
  const rows = values.map((row) => row.map(printable))
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
