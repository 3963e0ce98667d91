import {
  NICKNAME_CLASS,
  NICKNAMES,
  othersWith,
  SWAPPED,
  SWAPPED_SHARE,
  type TermSource,
} from './frequencies.ts'
import { AT, comparisonsOf } from '../compare/levels.ts'
import { ADDRESS_WIDTH, type Records, PART, SLOT } from '../records/records.ts'
import { shared } from '../records/texts.ts'

/** Prior: this many pairs of strangers that agree in a field at the rate of the level's prior. */
const PRIOR_PAIRS = 2000
/** The first round of training misses some matches. So its number of matches is multiplied by this. */
const MORE_MATCHES = 1.05
/** Prior: this many pairs whose names agree at the rate of chance. */
const OTHER_PAIRS = 10_000_000
/** Text numbers are below this. */
const NAME_NUMBERS = 2 ** 26
/** Prior: chance that the first names of two strangers have one nickname class. */
const NICKNAME_AGREEMENT = 0.007
/** Prior: chance that the first name of one person is the last name of another, by the US Census. */
const CROSSED_AGREEMENT = 0.0001

/** Chance that strangers agree, by comparison. Frequency weights compare the frequency of a value with it. */
export type Agreements = Readonly<Record<string, number>>

/**
 * Expected duplicates, by field: the mean number of other records of the same person that have the same value. The
 * count of a value minus its expected duplicates estimates how many people have the value.
 */
export type ExpectedDuplicates = Readonly<Record<string, number>>

/** Number of pairs of one person whose names are equal, and equal with first and last name swapped. */
export interface NamePairs {
  readonly straight: number
  readonly swapped: number
}

/**
 * Keys of `agreements`: chance that strangers have equal full names, and equal ones with first and last name swapped.
 * Both come from counts of full names.
 */
export const FULL_NAME = 'full_name'
export const SWAPPED_NAME = 'swapped_name'

interface FieldCounts {
  total: number
  readonly counts: Int32Array
}

/** Counts the records of each value of each field in a run. */
export class TermCounts {
  readonly fields = new Map<string, FieldCounts>()
  /** Count by nickname class (`TextPool.nickname`). */
  readonly nicknames = new Map<number, number>()
  readonly #records: Records
  /** Prior chance of agreement by field. */
  readonly #priors: ReadonlyMap<string, number>

  constructor(records: Records) {
    this.#records = records
    const comparisons = comparisonsOf(records.attributes)
    this.#priors = new Map(comparisons.map(({ name, levels }) => [name, levels[0]!.u]))
    this.#countSingle('first_name', SLOT.first)
    this.#countSingle('middle_name', SLOT.middle)
    this.#countSingle('last_name', SLOT.last)
    records.attributes.forEach((_, a) =>
      this.#countSingle(comparisons[AT.attributes + a]!.name, SLOT.attributes + a),
    )
    this.#countLists('phone', SLOT.phones)
    this.#countLists('email', SLOT.emails)
    this.#countAddresses()
    for (const { counts } of this.fields.values()) counts[0] = 0
    this.#countNicknames()
  }

  /** Returns the counts by text number, as `frequencyWeights` takes them. */
  source(): TermSource {
    const { nickname, count } = this.#records.texts
    const nicknames = shared(Int32Array, count)
    for (let text = 1; text < count; text++) {
      if (nickname[text] !== 0) nicknames[text] = this.nicknames.get(nickname[text]!) ?? 0
    }
    return {
      totals: this.totals(),
      counted: {
        fields: Object.fromEntries([...this.fields].map(([name, { counts }]) => [name, counts])),
        nicknames,
      },
    }
  }

  totals(): Record<string, number> {
    return Object.fromEntries([...this.fields].map(([name, { total }]) => [name, total]))
  }

  /** Returns the chance that records of two people agree exactly, for each field and for nickname classes. */
  agreements(own: ExpectedDuplicates): Agreements {
    const found: Record<string, number> = {}
    for (const [name, { total, counts }] of this.fields) {
      found[name] = agreementOf(counts, total, own[name] ?? 0, this.#priors.get(name) ?? 0)
    }
    found[NICKNAME_CLASS] = agreementOf(
      this.nicknames.values(),
      this.fields.get('first_name')!.total,
      own['first_name'] ?? 0,
      NICKNAME_AGREEMENT,
    )
    found[NICKNAMES] = Math.max(found[NICKNAME_CLASS] - found['first_name']!, found[NICKNAME_CLASS] * 0.02)
    found[SWAPPED] =
      this.#crossedAgreement() ** 2 + 2 * SWAPPED_SHARE * found['first_name']! * found['last_name']!
    return found
  }

  /**
   * Returns the chances that strangers have equal full names, and equal ones swapped. Languages and families prefer
   * certain combinations of names. So equal full names are more frequent than the two names alone suggest.
   * Counts all pairs of equal names and subtracts pairs of one person, estimated from `samePeople`. Before the first
   * round of training, `samePeople` is missing: equal names get the chance of independent names, and all swapped
   * names count as strangers.
   */
  fullNames(samePeople?: NamePairs): Agreements {
    const { rows, width, count } = this.#records
    const records = new Map<number, number>()
    let named = 0
    for (let i = 0; i < count; i++) {
      const first = rows[i * width + SLOT.first]!
      const last = rows[i * width + SLOT.last]!
      if (first === 0 || last === 0) continue
      named++
      records.set(nameKey(first, last), (records.get(nameKey(first, last)) ?? 0) + 1)
    }
    let straight = 0
    let swapped = 0
    for (const [key, many] of records) {
      straight += (many * (many - 1)) / 2
      const [first, last] = [Math.floor(key / NAME_NUMBERS), key % NAME_NUMBERS]
      if (first < last) swapped += many * (records.get(nameKey(last, first)) ?? 0)
    }
    const pairs = (named * (named - 1)) / 2
    const byChance = this.agreements({})
    const chanceOf = (found: number, ofOnePerson: number, least: number): number =>
      Math.max(least, (found - MORE_MATCHES * ofOnePerson + OTHER_PAIRS * least) / (pairs + OTHER_PAIRS))
    const name = byChance['first_name']! * byChance['last_name']!
    return {
      [FULL_NAME]: samePeople === undefined ? name : chanceOf(straight, samePeople.straight, name),
      [SWAPPED_NAME]: chanceOf(swapped, samePeople?.swapped ?? 0, byChance[SWAPPED]!),
    }
  }

  // Returns the chance that the first name of one record is the last name of another.
  #crossedAgreement(): number {
    const first = this.fields.get('first_name')!
    const last = this.fields.get('last_name')!
    let pairs = PRIOR_PAIRS * CROSSED_AGREEMENT
    for (let text = 1; text < first.counts.length; text++) pairs += first.counts[text]! * last.counts[text]!
    return pairs / (first.total * last.total + PRIOR_PAIRS)
  }

  #field(name: string): FieldCounts {
    let field = this.fields.get(name)
    if (field === undefined)
      this.fields.set(name, (field = { total: 0, counts: shared(Int32Array, this.#records.texts.count) }))
    return field
  }

  #countSingle(name: string, slot: number): void {
    const { rows, width, count } = this.#records
    const field = this.#field(name)
    for (let i = 0; i < count; i++) {
      const text = rows[i * width + slot]!
      if (text === 0) continue
      field.total++
      field.counts[text]!++
    }
  }

  #countLists(name: string, slot: number): void {
    const { rows, width, count, lists } = this.#records
    const field = this.#field(name)
    for (let i = 0; i < count; i++) {
      const place = rows[i * width + slot]!
      if (place === 0) continue
      field.total++
      for (let k = place + 1; k <= place + lists[place]!; k++) field.counts[lists[k]!]!++
    }
  }

  #countAddresses(): void {
    const { rows, width, count, lists, addresses } = this.#records
    const address = this.#field('address')
    const place = this.#field('place')
    for (let i = 0; i < count; i++) {
      const start = rows[i * width + SLOT.addresses]!
      if (start === 0) continue
      address.total++
      place.total++
      for (let k = start + 1; k <= start + lists[start]!; k++) {
        const at = lists[k]! * ADDRESS_WIDTH
        address.counts[addresses[at + PART.unit_key]!]!++
        address.counts[addresses[at + PART.building]!]!++
        place.counts[addresses[at + PART.zip]!]!++
        place.counts[addresses[at + PART.city]!]!++
      }
    }
  }

  #countNicknames(): void {
    const { nickname } = this.#records.texts
    const first = this.fields.get('first_name')!.counts
    for (let text = 1; text < first.length; text++) {
      if (first[text] === 0) continue
      this.nicknames.set(nickname[text]!, (this.nicknames.get(nickname[text]!) ?? 0) + first[text]!)
    }
  }
}

function nameKey(first: number, last: number): number {
  return first * NAME_NUMBERS + last
}

function agreementOf(counts: Iterable<number>, total: number, own: number, prior: number): number {
  // Sum in the order of counts. The order of the values depends on the order of the input and would change the
  // rounding.
  const values = new Map<number, number>()
  for (const count of counts) if (count > 1) values.set(count, (values.get(count) ?? 0) + 1)
  let pairs = 0
  for (const [count, many] of [...values].sort((a, b) => a[0] - b[0])) {
    pairs += many * count * othersWith(count, own)
  }
  return Math.min(0.999, (pairs + PRIOR_PAIRS * prior) / (total * (total - 1) + PRIOR_PAIRS))
}
