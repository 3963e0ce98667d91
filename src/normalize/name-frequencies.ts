import { readFileSync } from 'node:fs'
import { TextIndex } from '../text-index.ts'

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

const COMMA = 44
const LINE_FEED = 10
const COLUMNS = 5
const [SURNAME, FEMALE, MALE, GIVEN, FIRST_SCORE] = [0, 1, 2, 3, 4] as const

/**
 * The names of the Census with their counts. Each thread loads its own table. It keeps bytes and typed arrays instead
 * of 92,000 objects, because V8 would scan these objects in every garbage collection.
 */
class NameTable {
  readonly #bytes: Buffer
  /** For each name, its first and last byte in the file. */
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  readonly #counts: Float64Array
  readonly #index: TextIndex
  readonly size: number

  /** `bytes`: the file in ASCII. Header, then lines of name, surname, female, male; each ends with a line feed. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    const header = bytes.indexOf(LINE_FEED) + 1
    this.size = linesFrom(bytes, header)
    this.#starts = new Uint32Array(this.size)
    this.#ends = new Uint32Array(this.size)
    this.#counts = new Float64Array(this.size * COLUMNS)
    let at = header
    for (let number = 0; number < this.size; number++) at = this.#add(number, at)
    this.#index = new TextIndex(bytes, this.#starts, this.#ends)
  }

  /** Reads the line that starts at `start`. Returns the start of the next line. */
  #add(number: number, start: number): number {
    const bytes = this.#bytes
    const counts = this.#counts
    const first = number * COLUMNS
    let end = start
    while (bytes[end] !== COMMA) end++
    this.#starts[number] = start
    this.#ends[number] = end
    for (const column of [SURNAME, FEMALE, MALE]) {
      const from = end + 1
      end = from
      while (bytes[end] !== COMMA && bytes[end] !== LINE_FEED) end++
      if (end > from) counts[first + column] = frequency(bytes.toString('latin1', from, end))
    }
    const surname = counts[first + SURNAME]!
    const given = Math.max(UNCOUNTED.given, (counts[first + FEMALE]! + counts[first + MALE]!) / 2)
    counts[first + GIVEN] = given
    counts[first + FIRST_SCORE] = Math.log10(given / Math.max(UNCOUNTED.surname, surname))
    return end + 1
  }

  name(number: number): string {
    return this.#bytes.toString('latin1', this.#starts[number], this.#ends[number])
  }

  /** Returns the index of a name's counts; negative when the table lacks the name. */
  find(name: string): number {
    return this.#index.find(name) * COLUMNS
  }

  count(at: number, column: number): number {
    return this.#counts[at + column]!
  }
}

class CountedName implements NameFrequency {
  readonly #table: NameTable
  readonly #at: number

  constructor(table: NameTable, at: number) {
    this.#table = table
    this.#at = at
  }

  get surname(): number {
    return this.#table.count(this.#at, SURNAME)
  }

  get female(): number {
    return this.#table.count(this.#at, FEMALE)
  }

  get male(): number {
    return this.#table.count(this.#at, MALE)
  }

  get given(): number {
    return this.#table.count(this.#at, GIVEN)
  }

  get firstScore(): number {
    return this.#table.count(this.#at, FIRST_SCORE)
  }
}

let names: NameTable | undefined

// Reads the file on first use, so that threads which need no names skip it.
function readNames(): NameTable {
  return new NameTable(readFileSync(new URL('../../data/reference/names.csv', import.meta.url)))
}

/**
 * Returns the frequency of a word (upper case, letters only) as surname and first name; undefined when it is neither.
 */
export function nameFrequency(word: string): NameFrequency | undefined {
  names ??= readNames()
  const at = names.find(word)
  return at < 0 ? undefined : new CountedName(names, at)
}

function frequency(text: string): number {
  return text === '0' ? 0.2 : Number(text)
}

function linesFrom(bytes: Buffer, start: number): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

/** Yields every name of the Census. */
export function* censusNames(): Generator<string> {
  names ??= readNames()
  for (let number = 0; number < names.size; number++) yield names.name(number)
}
