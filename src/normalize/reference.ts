import { readFileSync } from 'node:fs'

/**
 * Returns the words of a file in data/reference, separated by spaces and line ends. '_' stands for a space inside a
 * name.
 */
export function referenceWords(file: string): string[] {
  const text = readFileSync(new URL(`../../data/reference/${file}`, import.meta.url), 'utf8')
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replaceAll('_', ' '))
}

/** Returns the rows of a file in data/reference, without its header. These files have no quoted fields. */
export function referenceRows(file: string): string[][] {
  const text = readFileSync(new URL(`../../data/reference/${file}`, import.meta.url), 'utf8')
  const lines = text.split('\n')
  const rows: string[][] = []
  for (let i = 1; i < lines.length; i++) if (lines[i] !== '') rows.push(lines[i]!.split(','))
  return rows
}
