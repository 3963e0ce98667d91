/** Returns a CSV field, in quotes only where a comma, a quote or a line end needs them. */
export function csvField(value: string): string {
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map((value) => csvField(String(value))).join(',')}\n`
}
