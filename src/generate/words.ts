import { dataTable } from '../data-tables.ts'

const ROWS = dataTable('worlds/words.csv')

/** Returns the words of a list of `data/worlds/words.csv`, in the order of the file. */
export function wordList(list: string): string[] {
  return [...wordValues(list).keys()]
}

/** Returns the words of a list of `data/worlds/words.csv` with their values: an abbreviation's full form, nicknames … */
export function wordValues(list: string): ReadonlyMap<string, string> {
  const rows = ROWS.filter((row) => row['list'] === list)
  return new Map(rows.map(({ word = '', value = '' }) => [word, value]))
}
