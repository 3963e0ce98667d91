import type { Random } from './random.ts'
import { wordValues } from './words.ts'

/** The share of records that have each fault. `layouts/README.md` explains them. */
export const RATES = {
  /** One letter of a name changed, lost, doubled or swapped with its neighbour. */
  typo: 0.015,
  /** First and last name in each other's field (people lists, voters, donors). */
  swappedNames: 0.003,
  /** A contact without a birth date. */
  missingBirthDate: 0.4,
  /** A contact whose birth date is January 1 of the right year. */
  januaryFirst: 0.025,
  /** Day and month of a birth date swapped, where that is a date. */
  swappedDayMonth: 0.006,
  /** A first name as its nickname: contacts and donors. */
  nickname: 0.22,
  /** The maiden name in a record made after the wedding. */
  maidenName: 0.03,
  /** Jr, Sr or II left out. */
  lostSuffix: 0.35,
  /** A middle name written as an initial. */
  middleInitial: 0.5,
  noMiddle: 0.3,
  /** A name with an accent that has UTF-8 bytes in a Latin-1 file. */
  mixedEncoding: 0.12,
  /** A stray quote in a file without quoting: HCAD and voters. */
  strayQuote: 0.002,
  /** A sale whose deed has a price of 0, 10 or 100 dollars. */
  nominalPrice: 0.06,
  /** A ZIP code with one wrong digit. */
  wrongZip: 0.004,
  missingZip: 0.012,
  /** A post-office box for an address: contacts. */
  postBox: 0.015,
  /** Mail in care of a bank: owners. */
  careOf: 0.015,
  /** A title behind a donor's name. */
  title: 0.06,
  /** The owner's name is withheld by law: the file has a placeholder or a flag instead. */
  withheld: 0.004,
  /** A city misspelt. */
  wrongCity: 0.006,
} as const

/**
 * Returns whether a row of a file has one separator too many: rows 2,000, 7,000, 12,000 … Small files have no such row,
 * because a source refuses a file when one row in a hundred is bad.
 */
export function isBroken(row: number): boolean {
  return row % 5000 === 1999
}

/** The keys next to each letter on a keyboard. */
const KEYS = wordValues('keyboard')

/** Returns the word with one typo, where it has three letters or more. The first letter is mostly right. */
export function mistyped(word: string, random: Random): string {
  if (word.length < 3) return word
  const at = random.chance(0.1) ? 0 : random.between(1, word.length - 1)
  const letter = word[at]!
  switch (random.int(4)) {
    case 0:
      return word.slice(0, at) + neighbourOf(letter, random) + word.slice(at + 1)
    case 1:
      return word.slice(0, at) + word.slice(at + 1)
    case 2:
      return word.slice(0, at) + letter + word.slice(at)
    default:
      return at === 0 || word[at - 1] === letter
        ? word.slice(0, at) + word.slice(at + 1)
        : word.slice(0, at - 1) + letter + word[at - 1]! + word.slice(at + 1)
  }
}

function neighbourOf(letter: string, random: Random): string {
  const keys = KEYS.get(letter) ?? 'E'
  return keys[random.int(keys.length)]!
}

export function maybeMistyped(word: string, random: Random): string {
  return random.chance(RATES.typo) ? mistyped(word, random) : word
}

/** Returns a ZIP code as a clerk types it: right, with one wrong digit, or missing. */
export function keyedZip(zip: string, random: Random): string {
  if (random.chance(RATES.missingZip)) return ''
  if (!random.chance(RATES.wrongZip)) return zip
  const at = random.between(2, 4)
  return zip.slice(0, at) + String((Number(zip[at]) + random.between(1, 9)) % 10) + zip.slice(at + 1)
}

/** Returns text as it looks when a Latin-1 file has its UTF-8 bytes. */
export function mojibake(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
