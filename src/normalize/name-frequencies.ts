import { referenceRows } from './reference.ts'

/** People per 100,000; 0.2 where the Census lists a name without a frequency, 0 where it doesn't list it. */
export interface NameFrequency {
  surname: number
  female: number
  male: number
  /** Of both sexes; at least 0.03, which is what a word that nobody has counted gets. */
  given: number
  /** Ten-fold odds of being a first name rather than a surname. */
  firstScore: number
}

/** What a word that nobody has counted gets. */
export const UNCOUNTED = { given: 0.03, surname: 0.05, firstScore: Math.log10(0.03 / 0.05) } as const

let frequencies: ReadonlyMap<string, NameFrequency> | undefined

// Read when first asked for: a thread that never asks starts without.
function readFrequencies(): ReadonlyMap<string, NameFrequency> {
  const found = new Map<string, NameFrequency>()
  for (const [name, ...counts] of referenceRows('names.csv')) {
    const [surname = 0, female = 0, male = 0] = counts.map(frequency)
    const given = Math.max(UNCOUNTED.given, (female + male) / 2)
    const firstScore = Math.log10(given / Math.max(UNCOUNTED.surname, surname))
    found.set(name!, { surname, female, male, given, firstScore })
  }
  return found
}

/** How frequent an upper-case word (letters only) is as a surname and as a first name; undefined when it is neither. */
export function nameFrequency(word: string): NameFrequency | undefined {
  frequencies ??= readFrequencies()
  return frequencies.get(word)
}

function frequency(text: string): number {
  return text === '' ? 0 : text === '0' ? 0.2 : Number(text)
}

/** Every name of the Census. */
export function censusNames(): Iterable<string> {
  frequencies ??= readFrequencies()
  return frequencies.keys()
}
