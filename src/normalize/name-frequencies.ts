import { readFileSync } from 'node:fs'

/**
 * How frequent a name is, per 100,000 people. 0.2 where the Census lists the name without a frequency, 0 where it does
 * not list it.
 */
export interface NameFrequency {
  readonly surname: number
  readonly female: number
  readonly male: number
  /** As a first name, women and men together; at least `UNCOUNTED.given`. */
  readonly given: number
  /** Log10 of the odds that the word is a first name rather than a surname. */
  readonly firstScore: number
}

/** Frequencies of a word that the Census does not list. */
export const UNCOUNTED = { given: 0.03, surname: 0.05, firstScore: Math.log10(0.03 / 0.05) } as const

const FILE = new URL('../../data/reference/names.csv', import.meta.url)

/** By name: the rest of its line in the file, or its frequency once it was asked for. */
let names: Map<string, string | NameFrequency> | undefined

// Reads the file on first use, so that threads which need no names skip it.
function readNames(): Map<string, string | NameFrequency> {
  const lines = readFileSync(FILE, 'utf8').trim().split('\n').slice(1)
  return new Map(
    lines.map((line) => {
      const comma = line.indexOf(',')
      return [line.slice(0, comma), line.slice(comma + 1)]
    }),
  )
}

/**
 * Returns the frequency of a word (upper case, letters only) as surname and first name; undefined when it is neither.
 */
export function nameFrequency(word: string): NameFrequency | undefined {
  names ??= readNames()
  const found = names.get(word)
  if (typeof found !== 'string') return found
  const frequency = frequencyOf(found)
  names.set(word, frequency)
  return frequency
}

function frequencyOf(counts: string): NameFrequency {
  const [surname = 0, female = 0, male = 0] = counts
    .split(',')
    .map((text) => (text === '0' ? 0.2 : Number(text)))
  const given = Math.max(UNCOUNTED.given, (female + male) / 2)
  const firstScore = Math.log10(given / Math.max(UNCOUNTED.surname, surname))
  return { surname, female, male, given, firstScore }
}

/** Returns every name of the Census. */
export function censusNames(): Iterable<string> {
  names ??= readNames()
  return names.keys()
}
