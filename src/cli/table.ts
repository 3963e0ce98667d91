import { printable } from '../printable.ts'

/** Returns the lines of a text table with aligned columns. Control characters in cells are shown as their codes. */
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
