import type { Random } from './random.ts'
import { wordValues } from './words.ts'

/** How often each fault stands in the files; the README's table is made of these. */
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
  /** A middle name as an initial; and not at all. */
  middleInitial: 0.5,
  noMiddle: 0.3,
  /** UTF-8 bytes of an accented letter in a latin-1 file (of the names that have one). */
  mixedEncoding: 0.12,
  /** A stray quote in a file without quoting: accounts and voters. */
  strayQuote: 0.002,
  /** A deed without a price: 0, 10 or 100 dollars. */
  nominalPrice: 0.3,
  /** A ZIP code off by one digit, and one that is missing. */
  wrongZip: 0.004,
  missingZip: 0.012,
  /** A post-office box for an address: contacts. */
  postBox: 0.015,
  /** Mail in care of a bank: owners. */
  careOf: 0.015,
  /** A title behind a donor's name. */
  title: 0.06,
  /** An owner's name withheld by law: a word stands in its place, or a flag is set. */
  withheld: 0.004,
  /** A city misspelt. */
  wrongCity: 0.006,
} as const

/**
 * Whether a file's row is written with one separator too many: every 5,000th, the 2,000th first, so that small files
 * have none (one bad row of a hundred would be above a source's limit).
 */
export function isBroken(row: number): boolean {
  return row % 5000 === 1999
}

/** The keys beside a letter's own on the keyboard. */
const KEYS = wordValues('keyboard')

/** One slip of the keyboard in a word of three letters or more; the first letter is mostly spared. */
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

/** A ZIP code as a clerk keys it: mostly right. */
export function keyedZip(zip: string, random: Random): string {
  if (random.chance(RATES.missingZip)) return ''
  if (!random.chance(RATES.wrongZip)) return zip
  const at = random.between(2, 4)
  return zip.slice(0, at) + String((Number(zip[at]) + random.between(1, 9)) % 10) + zip.slice(at + 1)
}

/** Text as it looks when UTF-8 bytes are put into a latin-1 file. */
export function mojibake(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
