import { readFileSync } from 'node:fs'
import { type Random, Weighted } from './random.ts'
import { wordValues } from './words.ts'

/** Census frequencies: upper-case words A–Z. */
export interface NameLists {
  readonly surnames: Weighted<string>
  /** First names by sex: 0 women, 1 men. */
  readonly first: readonly [Weighted<string>, Weighted<string>]
}

const FREQUENCIES = new URL('../../data/reference/names.csv', import.meta.url)

/** The lists of `data/reference/names.csv`; a name below the Census's rounding counts a fifth of the least that is above it. */
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

// Written without the spaces, apostrophes and accents that their bearers write.
const SPELLED = wordValues('spelled')

/** As its bearer writes it: `O'BRIEN`, `DE LA CRUZ`, `PEÑA`. */
export function spelled(name: string): string {
  return SPELLED.get(name) ?? name
}

const NICKNAMES = wordValues('nickname')

/** A nickname that goes with a first name; the name itself when it has none. */
export function nicknameOf(first: string, random: Random): string {
  const nicknames = NICKNAMES.get(first)
  return nicknames === undefined ? first : random.pick(nicknames.split(' '))
}

export const SUFFIXES = ['', 'JR', 'SR', 'II', 'III', 'IV'] as const

/** `McDonald`, `O'Brien`, `De La Cruz`, `Smith-Jones`: as people write their names. */
export function titled(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[\s'-])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
    .replace(/\bMc([a-z])/g, (_, letter: string) => `Mc${letter.toUpperCase()}`)
    .replace(/\b(Iii|Ii|Iv|Ne|Nw|Se|Sw|Fm|Llc|Pllc|Llp|Lp|Pa|Pc|Na|Fsb)\b/g, (word) => word.toUpperCase())
}

/** Accents off: `PEÑA` → `PENA`. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{Mn}/gu, '')
}
