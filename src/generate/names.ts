import { readFileSync } from 'node:fs'
import { type Random, Weighted } from './random.ts'
import { wordValues } from './words.ts'

/** Names in upper case A–Z, drawn as often as the Census counts them. */
export interface NameLists {
  readonly surnames: Weighted<string>
  /** First names by sex: 0 women, 1 men. */
  readonly first: readonly [Weighted<string>, Weighted<string>]
}

const FREQUENCIES = new URL('../../data/reference/names.csv', import.meta.url)

/** Reads `data/reference/names.csv`. A name with the frequency 0 (rounded) counts a fifth of the smallest other frequency. */
export function loadNames(): NameLists {
  const columns: [string[], number[]][] = [
    [[], []],
    [[], []],
    [[], []],
  ]
  for (const line of readFileSync(FREQUENCIES, 'utf8').split('\n').slice(1)) {
    const [name = '', ...frequencies] = line.split(',')
    frequencies.forEach((frequency, column) => {
      if (frequency === '') return
      columns[column]![0].push(name)
      columns[column]![1].push(frequency === '0' ? 1 : Number(frequency) * 5)
    })
  }
  const [surnames, women, men] = columns.map(([names, weights]) => new Weighted(names, weights))
  return { surnames: surnames!, first: [women!, men!] }
}

// The Census writes names without spaces, apostrophes and accents.
const SPELLED = wordValues('spelled')

/** Returns the name as people write it: `O'BRIEN`, `DE LA CRUZ`, `PEÑA`. */
export function spelled(name: string): string {
  return SPELLED.get(name) ?? name
}

const NICKNAMES = wordValues('nickname')

/** Draws a nickname of a first name, or returns the name when it has none. */
export function nicknameOf(first: string, random: Random): string {
  const nicknames = NICKNAMES.get(first)
  return nicknames === undefined ? first : random.pick(nicknames.split(' '))
}

export const SUFFIXES = ['', 'JR', 'SR', 'II', 'III', 'IV'] as const

/** Returns text in the usual case: `McDonald`, `O'Brien`, `De La Cruz`, `Smith-Jones`. */
export function titled(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[\s'-])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/\bMc([a-z])/g, (_, letter: string) => `Mc${letter.toUpperCase()}`)
    .replace(/\b(Iii|Ii|Iv|Ne|Nw|Se|Sw|Fm|Llc|Pllc|Llp|Lp|Pa|Pc|Na|Fsb)\b/g, (word) => word.toUpperCase())
}

/** Returns text without accents: `PEÑA` → `PENA`. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{Mn}/gu, '')
}
