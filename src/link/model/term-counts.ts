import {
  NICKNAME_CLASS,
  NICKNAMES,
  peopleBeside,
  SWAPPED,
  SWAPPED_SHARE,
  type TermSource,
} from './frequencies.ts'
import { AT, comparisonsOf } from '../compare/levels.ts'
import { ADDRESS_WIDTH, type Records, PART, SLOT } from '../records/records.ts'
import { shared } from '../records/texts.ts'

const PRIOR_PAIRS = 2000
/** A first round finds most matches: so many times as many are taken off. */
const MORE_MATCHES = 1.05
/** Pairs that stand beside those counted, of names that come together by chance. */
const OTHER_PAIRS = 10_000_000
/** Texts are numbered below it. */
const NAME_NUMBERS = 2 ** 26
const NICKNAME_AGREEMENT = 0.007
// Chance that a first name is somebody else's last name, by the Census.
const CROSSED_AGREEMENT = 0.0001

/** Reference chance of agreement per comparison, against which frequency weights are taken. */
export type Agreements = Readonly<Record<string, number>>

/**
 * How many other records with the same value a record's own person has on average, by field. A value's count says how
 * many people have it only when these are taken off.
 */
export type OwnRecords = Readonly<Record<string, number>>

/** Pairs of records of one person that have both names in common, and both in each other's place. */
export interface NamePairs {
  readonly straight: number
  readonly swapped: number
}

/** Keys of agreements: chances that strangers have both names in common, and both in each other's place, by counts of whole names. */
export const FULL_NAME = 'full_name'
export const SWAPPED_NAME = 'swapped_name'

interface FieldCounts {
  total: number
  readonly counts: Int32Array
}

/** How often each value of each field occurs among the records of a run. */
export class TermCounts {
  readonly fields = new Map<string, FieldCounts>()
  /** By `TextPool.nickname`. */
  readonly nicknames = new Map<number, number>()
  readonly #records: Records
  /** Chance of agreement that each field has where nothing is known of it. */
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

  /** What frequency weights are made from. */
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

  /** Chance that two records of different people agree on a field exactly, for every field and for nickname classes. */
  agreements(own: OwnRecords): Agreements {
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
   * Chances that strangers have both names in common, and both in each other's place. Names come from languages and families, so they come
   * together more often than each by itself tells. All pairs are counted, less those of one person: as many as a first round of training
   * found, and a little more. Before that round swapped names are taken for those of strangers.
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

  // Chance that the first name of one record is the last name of another.
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
  // Summed by count, smallest first: the order of the values is that of their arrival.
  const values = new Map<number, number>()
  for (const count of counts) if (count > 1) values.set(count, (values.get(count) ?? 0) + 1)
  let pairs = 0
  for (const [count, many] of [...values].sort((a, b) => a[0] - b[0])) {
    pairs += many * count * peopleBeside(count, own)
  }
  return Math.min(0.999, (pairs + PRIOR_PAIRS * prior) / (total * (total - 1) + PRIOR_PAIRS))
}
