/** A field of a csv that quotes only where it must. */
export function csvField(value: string): string {
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map((value) => csvField(String(value))).join(',')}\n`
}
