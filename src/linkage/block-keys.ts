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

/**
 * The values of every part for every record, a column per part: the first value (0 for none), and the others of the few
 * records that have several.
 */
export class BlockParts {
  readonly columns: readonly Int32Array[]
  /** Records with several values of a part. */
  readonly isMultiple: Uint8Array
  readonly #others: readonly Map<number, number[]>[] = PARTS.map(() => new Map())
  readonly #mentions: Mentions

  constructor(mentions: Mentions) {
    this.#mentions = mentions
    this.columns = PARTS.map(() => new Int32Array(mentions.count))
    this.isMultiple = new Uint8Array(mentions.count)
    for (let i = 0; i < mentions.count; i++) this.#read(i)
  }

  /** Calls `take` with every value of a part of record `i`. */
  each(i: number, part: number, take: (value: number) => void): void {
    const value = this.columns[part]![i]!
    if (value === 0) return
    take(value)
    if (this.isMultiple[i] === 1) this.#others[part]!.get(i)?.forEach(take)
  }

  #read(i: number): void {
    const { rows, width, texts, attributes } = this.#mentions
    const row = i * width
    this.#add(i, 'any', 1)
    const first = rows[row + SLOT.first]!
    if (first !== 0) {
      this.#add(i, 'first_class', texts.nickname[first]!)
      this.#add(i, 'first_letter', texts.bytes[texts.starts[first]!]!)
      this.#letters(i, 'first_start', first, true, 4)
      this.#letters(i, 'first_end', first, false, 3)
    }
    this.#lastName(i, rows[row + SLOT.last]!, first)
    const others = rows[row + SLOT.others]!
    for (let k = 0; k < rows[row + SLOT.others + 1]!; k++)
      this.#lastName(i, this.#mentions.lists[others + k]!, first)
    this.#middleName(i, rows[row + SLOT.middle]!, first, rows[row + SLOT.last]!)
    this.#birth(i, rows[row + SLOT.birth]!)
    this.#addresses(i, row)
    this.#contacts(i, row)
    for (let a = 0; a < attributes.length; a++) {
      const value = rows[row + SLOT.attributes + a]!
      if (value !== 0 && attributes[a]!.isIdentifier)
        this.#add(i, 'identifier', mixInto(a, texts.hash[value]!))
    }
  }

  #lastName(i: number, last: number, first: number): void {
    if (last === 0) return
    const { texts } = this.#mentions
    const sound = texts.sound[last]!
    this.#add(i, 'last_sound', sound)
    this.#add(i, 'last_sound', texts.startSound[last]!)
    this.#add(i, 'last', texts.hash[last]!)
    this.#add(i, 'last_letter', texts.bytes[texts.starts[last]!]!)
    this.#letters(i, 'last_start', last, true, 3)
    this.#letters(i, 'last_end', last, false, 3)
    if (first !== 0) this.#pair(i, sound, texts.sound[first]!)
  }

  // A middle name may be the one that is used, or stand where another part of the name belongs.
  #middleName(i: number, middle: number, first: number, last: number): void {
    if (middle === 0) return
    const { texts } = this.#mentions
    this.#add(i, 'middle_letter', texts.bytes[texts.starts[middle]!]!)
    if (texts.starts[middle + 1]! - texts.starts[middle]! < 3) return
    if (first !== 0) this.#pair(i, texts.sound[first]!, texts.sound[middle]!)
    if (last !== 0) this.#pair(i, texts.sound[last]!, texts.sound[middle]!)
  }

  #pair(i: number, one: number, other: number): void {
    this.#add(i, 'name_pair', mixInto(Math.min(one, other), Math.max(one, other)))
  }

  #birth(i: number, birth: number): void {
    if (birth === 0) return
    const year = birth >> 9
    const month = (birth >> 5) & 15
    const day = birth & 31
    if (year !== 0) this.#add(i, 'year', year)
    // January 1 is a placeholder; as a key it would gather everybody whose day is unknown.
    if (month === 0 || (month === 1 && day === 1)) return
    if (year !== 0) this.#add(i, 'year_month', year * 16 + month)
    if (day === 0) return
    const low = Math.min(month, day)
    const high = Math.max(month, day)
    this.#add(i, 'month_day', low * 32 + high)
    if (year === 0) return
    this.#add(i, 'year_day', year * 32 + day)
    this.#add(i, 'birth_date', (year * 32 + low) * 32 + high)
  }

  #addresses(i: number, row: number): void {
    const { rows, lists, addresses, texts } = this.#mentions
    for (let k = 0; k < rows[row + SLOT.addresses + 1]!; k++) {
      const at = lists[rows[row + SLOT.addresses]! + k]! * ADDRESS_WIDTH
      const building = addresses[at + PART.building]!
      const house = addresses[at + PART.house]!
      const street = addresses[at + PART.street]!
      const zip = addresses[at + PART.zip]!
      const city = addresses[at + PART.city]!
      if (building !== 0) this.#add(i, 'building', texts.hash[building]!)
      if (zip !== 0) this.#add(i, 'zip', texts.hash[zip]!)
      if (city !== 0) this.#add(i, 'city', texts.hash[city]!)
      if (house === 0) continue
      if (zip !== 0) this.#add(i, 'house_zip', mixInto(texts.hash[house]!, texts.hash[zip]!))
      if (street !== 0) this.#add(i, 'house_street', mixInto(texts.hash[house]!, texts.hash[street]!))
    }
  }

  #contacts(i: number, row: number): void {
    const { rows, lists, emailNames, texts } = this.#mentions
    for (let k = 0; k < rows[row + SLOT.phones + 1]!; k++) {
      this.#add(i, 'phone', texts.hash[lists[rows[row + SLOT.phones]! + k]!]!)
    }
    for (let k = 0; k < rows[row + SLOT.emails + 1]!; k++) {
      const email = lists[rows[row + SLOT.emails]! + k]!
      this.#add(i, 'email', texts.hash[email]!)
      const name = emailNames[email]!
      if (texts.starts[name + 1]! - texts.starts[name]! >= 5) this.#add(i, 'email_name', texts.hash[name]!)
    }
  }

  // The first or last letters of a name: one typo cannot be in both halves.
  #letters(i: number, part: Part, text: number, isStart: boolean, count: number): void {
    const { bytes, starts } = this.#mentions.texts
    const length = starts[text + 1]! - starts[text]!
    if (length < count) return
    const from = isStart ? starts[text]! : starts[text + 1]! - count
    let value = 0
    for (let k = 0; k < count; k++) value = value * 64 + (bytes[from + k]! & 63)
    this.#add(i, part, value)
  }

  #add(i: number, part: Part, value: number): void {
    const p = INDEX[part]
    const column = this.columns[p]!
    // 0 stands for none.
    const wanted = value === 0 ? 1 : value | 0
    if (column[i] === 0) {
      column[i] = wanted
      return
    }
    if (column[i] === wanted) return
    const others = this.#others[p]!.get(i)
    if (others === undefined) {
      this.#others[p]!.set(i, [wanted])
      this.isMultiple[i] = 1
    } else if (others.length < MOST_VALUES && !others.includes(wanted)) others.push(wanted)
  }
}

const MOST_VALUES = 7
const INDEX = Object.fromEntries(PARTS.map((part, p) => [part, p])) as Record<Part, number>

/** Where a part stands in `BlockParts`. */
export function partIndex(part: Part): number {
  return INDEX[part]
}
