import { readFileSync } from 'node:fs'

/** The rows of a committed file in data/reference, without its header. These files hold no quoted fields. */
export function referenceRows(file: string): string[][] {
  const text = readFileSync(new URL(`../../data/reference/${file}`, import.meta.url), 'utf8')
  const lines = text.split('\n')
  const rows: string[][] = []
  for (let i = 1; i < lines.length; i++) if (lines[i] !== '') rows.push(lines[i]!.split(','))
  return rows
}
