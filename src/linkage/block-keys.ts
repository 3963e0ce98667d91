import { GrowingIntegers } from './growing.ts'
import { ADDRESS_WIDTH, type Mentions, PART, SLOT } from './mentions.ts'
import { mixInto } from './texts.ts'

/** Parts of a blocking key. A record gives each part none, one or several values (hashes); without a value there is no key. */
export const PARTS = [
  'any',
  'first_class',
  'first_letter',
  'first_end',
  'first_start',
  'last_sound',
  'last',
  'last_letter',
  'last_start',
  'last_end',
  'name_pair',
  'year',
  'month_day',
  'year_month',
  'year_day',
  'birth_date',
  'middle_letter',
  'phone',
  'email',
  'email_name',
  'building',
  'house_zip',
  'house_street',
  'zip',
  'city',
  'identifier',
] as const
export type Part = (typeof PARTS)[number]

/**
 * A blocking rule: records that share all its parts are compared. Where more than the limit share them, only those that
 * also share a child's parts are; without children the block is dropped, and reported.
 */
export interface Rule {
  readonly parts: readonly Part[]
  readonly then?: readonly Rule[]
}

const whole: readonly Rule[] = [
  { parts: ['year', 'month_day'] },
  { parts: ['year'], then: [{ parts: ['city'] }, { parts: ['middle_letter'] }] },
  { parts: ['zip'] },
  { parts: ['city'], then: [{ parts: ['middle_letter'] }] },
]

/** Coarse keys first, which small data can afford; finer ones take over block by block as data grows. */
export const RULES: readonly Rule[] = [
  { parts: ['any'], then: [] },
  {
    parts: ['last_sound'],
    then: [
      { parts: ['first_letter'], then: [{ parts: ['first_class'], then: whole }] },
      { parts: ['year'], then: [{ parts: ['month_day'] }, { parts: ['zip'] }] },
      { parts: ['month_day'] },
      { parts: ['first_end'], then: [{ parts: ['year'] }, { parts: ['zip'] }] },
      { parts: ['zip'], then: [{ parts: ['building'] }] },
    ],
  },
  {
    parts: ['first_class'],
    then: [
      { parts: ['last_start'], then: [{ parts: ['year'] }, { parts: ['zip'] }, { parts: ['month_day'] }] },
      { parts: ['last_end'], then: [{ parts: ['year'] }, { parts: ['zip'] }, { parts: ['month_day'] }] },
      { parts: ['year_month'], then: [{ parts: ['last_letter'] }, { parts: ['zip'] }] },
      { parts: ['year_day'], then: [{ parts: ['last_letter'] }, { parts: ['zip'] }] },
      { parts: ['month_day'], then: [{ parts: ['last_letter'] }, { parts: ['zip'] }] },
      { parts: ['zip'], then: [{ parts: ['year'] }] },
    ],
  },
  { parts: ['name_pair'], then: [{ parts: ['year'] }, { parts: ['zip'] }, { parts: ['city'] }] },
  {
    parts: ['birth_date'],
    then: [
      { parts: ['first_letter'], then: [{ parts: ['first_start'] }, { parts: ['zip'] }] },
      { parts: ['last_letter'], then: [{ parts: ['last_start'] }, { parts: ['zip'] }] },
      { parts: ['zip'] },
    ],
  },
  { parts: ['phone'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
  { parts: ['email'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
  { parts: ['email_name'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
  {
    parts: ['building'],
    then: [
      { parts: ['first_letter'], then: [{ parts: ['first_class'], then: [{ parts: ['last_letter'] }] }] },
      { parts: ['last_sound'], then: [{ parts: ['first_letter'] }, { parts: ['year'] }] },
      { parts: ['birth_date'] },
    ],
  },
  { parts: ['house_zip'], then: [{ parts: ['first_class'] }, { parts: ['last_sound'] }] },
  { parts: ['house_street'], then: [{ parts: ['first_class'] }, { parts: ['last_sound'] }] },
  { parts: ['identifier'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
]

/** The values of every part for every record. */
export class BlockParts {
  /** Per record, how many values stand before each part, and in all: STRIDE bytes. */
  readonly #before: Uint8Array
  readonly #starts: Int32Array
  readonly #values: GrowingIntegers
  readonly #mentions: Mentions
  /** Values of the record that is being read, per part. */
  readonly #found: number[][] = PARTS.map(() => [])

  constructor(mentions: Mentions) {
    this.#mentions = mentions
    this.#before = new Uint8Array(mentions.count * STRIDE)
    this.#starts = new Int32Array(mentions.count)
    this.#values = new GrowingIntegers(mentions.count * 20)
    for (let i = 0; i < mentions.count; i++) {
      this.#read(i)
      this.#starts[i] = this.#values.length
      let before = 0
      for (let p = 0; p < PARTS.length; p++) {
        this.#before[i * STRIDE + p] = before
        const values = this.#found[p]!
        for (let k = 0; k < values.length; k++) this.#values.push(values[k]!)
        before += values.length
        values.length = 0
      }
      this.#before[i * STRIDE + PARTS.length] = before
    }
  }

  count(i: number, part: number): number {
    return this.#before[i * STRIDE + part + 1]! - this.#before[i * STRIDE + part]!
  }

  /** Where the values of one part of record `i` begin; read them with `at`. */
  start(i: number, part: number): number {
    return this.#starts[i]! + this.#before[i * STRIDE + part]!
  }

  at(position: number): number {
    return this.#values.at(position)
  }

  #read(i: number): void {
    const { rows, width, texts, attributes } = this.#mentions
    const row = i * width
    this.#add('any', 1)
    const first = rows[row + SLOT.first]!
    if (first !== 0) {
      this.#add('first_class', texts.nickname[first]!)
      this.#add('first_letter', texts.bytes[texts.starts[first]!]!)
      this.#letters('first_start', first, true, 4)
      this.#letters('first_end', first, false, 3)
    }
    this.#lastName(rows[row + SLOT.last]!, first)
    const others = rows[row + SLOT.others]!
    for (let k = 0; k < rows[row + SLOT.others + 1]!; k++)
      this.#lastName(this.#mentions.lists[others + k]!, first)
    this.#middleName(rows[row + SLOT.middle]!, first, rows[row + SLOT.last]!)
    this.#birth(rows[row + SLOT.birth]!)
    this.#addresses(row)
    this.#contacts(row)
    for (let a = 0; a < attributes.length; a++) {
      const value = rows[row + SLOT.attributes + a]!
      if (value !== 0 && attributes[a]!.isIdentifier) this.#add('identifier', mixInto(a, texts.hash[value]!))
    }
  }

  #lastName(last: number, first: number): void {
    if (last === 0) return
    const { texts } = this.#mentions
    const sound = texts.sound[last]!
    this.#add('last_sound', sound)
    this.#add('last_sound', texts.startSound[last]!)
    this.#add('last', texts.hash[last]!)
    this.#add('last_letter', texts.bytes[texts.starts[last]!]!)
    this.#letters('last_start', last, true, 3)
    this.#letters('last_end', last, false, 3)
    if (first !== 0) this.#pair(sound, texts.sound[first]!)
  }

  // A middle name may be the one that is used, or stand where another part of the name belongs.
  #middleName(middle: number, first: number, last: number): void {
    if (middle === 0) return
    const { texts } = this.#mentions
    this.#add('middle_letter', texts.bytes[texts.starts[middle]!]!)
    if (texts.starts[middle + 1]! - texts.starts[middle]! < 3) return
    if (first !== 0) this.#pair(texts.sound[first]!, texts.sound[middle]!)
    if (last !== 0) this.#pair(texts.sound[last]!, texts.sound[middle]!)
  }

  #pair(one: number, other: number): void {
    this.#add('name_pair', mixInto(Math.min(one, other), Math.max(one, other)))
  }

  #birth(birth: number): void {
    if (birth === 0) return
    const year = birth >> 9
    const month = (birth >> 5) & 15
    const day = birth & 31
    if (year !== 0) this.#add('year', year)
    // January 1 is a placeholder; as a key it would gather everybody whose day is unknown.
    if (month === 0 || (month === 1 && day === 1)) return
    if (year !== 0) this.#add('year_month', year * 16 + month)
    if (day === 0) return
    const low = Math.min(month, day)
    const high = Math.max(month, day)
    this.#add('month_day', low * 32 + high)
    if (year === 0) return
    this.#add('year_day', year * 32 + day)
    this.#add('birth_date', (year * 32 + low) * 32 + high)
  }

  #addresses(row: number): void {
    const { rows, lists, addresses, texts } = this.#mentions
    for (let k = 0; k < rows[row + SLOT.addresses + 1]!; k++) {
      const at = lists[rows[row + SLOT.addresses]! + k]! * ADDRESS_WIDTH
      const building = addresses[at + PART.building]!
      const house = addresses[at + PART.house]!
      const street = addresses[at + PART.street]!
      const zip = addresses[at + PART.zip]!
      const city = addresses[at + PART.city]!
      if (building !== 0) this.#add('building', texts.hash[building]!)
      if (zip !== 0) this.#add('zip', texts.hash[zip]!)
      if (city !== 0) this.#add('city', texts.hash[city]!)
      if (house === 0) continue
      if (zip !== 0) this.#add('house_zip', mixInto(texts.hash[house]!, texts.hash[zip]!))
      if (street !== 0) this.#add('house_street', mixInto(texts.hash[house]!, texts.hash[street]!))
    }
  }

  #contacts(row: number): void {
    const { rows, lists, emailNames, texts } = this.#mentions
    for (let k = 0; k < rows[row + SLOT.phones + 1]!; k++) {
      this.#add('phone', texts.hash[lists[rows[row + SLOT.phones]! + k]!]!)
    }
    for (let k = 0; k < rows[row + SLOT.emails + 1]!; k++) {
      const email = lists[rows[row + SLOT.emails]! + k]!
      this.#add('email', texts.hash[email]!)
      const name = emailNames[email]!
      if (texts.starts[name + 1]! - texts.starts[name]! >= 5) this.#add('email_name', texts.hash[name]!)
    }
  }

  // The first or last letters of a name: one typo cannot be in both halves.
  #letters(part: Part, text: number, isStart: boolean, count: number): void {
    const { bytes, starts } = this.#mentions.texts
    const length = starts[text + 1]! - starts[text]!
    if (length < count) return
    const from = isStart ? starts[text]! : starts[text + 1]! - count
    let value = 0
    for (let k = 0; k < count; k++) value = value * 64 + (bytes[from + k]! & 63)
    this.#add(part, value)
  }

  #add(part: Part, value: number): void {
    const found = this.#found[INDEX[part]]!
    if (found.length < MOST_VALUES && !found.includes(value)) found.push(value)
  }
}

// 26 parts of 8 values fit a byte.
const MOST_VALUES = 8
const STRIDE = PARTS.length + 1
const INDEX = Object.fromEntries(PARTS.map((part, p) => [part, p])) as Record<Part, number>

/** Where a part stands in `BlockParts`. */
export function partIndex(part: Part): number {
  return INDEX[part]
}
