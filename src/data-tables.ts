import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

/** Returns the rows of a committed CSV file below `data/`, each by column name. */
export function dataTable(path: string): Record<string, string>[] {
  const text = readFileSync(new URL(`../data/${path}`, import.meta.url), 'utf8')
  return parse(text, { columns: true })
}
