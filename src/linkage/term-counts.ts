import {
  NICKNAME_CLASS,
  NICKNAMES,
  peopleBeside,
  SWAPPED,
  SWAPPED_SHARE,
  type TermSource,
} from './frequencies.ts'
import { AT, comparisonsOf } from './levels.ts'
import { ADDRESS_WIDTH, type Mentions, PART, SLOT } from './mentions.ts'
import { shared } from './texts.ts'

const PRIOR_PAIRS = 2000
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

interface FieldCounts {
  total: number
  readonly counts: Int32Array
}

/** How often each value of each field occurs among the records of a run. */
export class TermCounts {
  readonly fields = new Map<string, FieldCounts>()
  /** By `TextPool.nickname`. */
  readonly nicknames = new Map<number, number>()
  readonly #mentions: Mentions
  /** Chance of agreement that each field has where nothing is known of it. */
  readonly #priors: ReadonlyMap<string, number>

  constructor(mentions: Mentions) {
    this.#mentions = mentions
    const comparisons = comparisonsOf(mentions.attributes)
    this.#priors = new Map(comparisons.map(({ name, levels }) => [name, levels[0]!.u]))
    this.#countSingle('first_name', SLOT.first)
    this.#countSingle('middle_name', SLOT.middle)
    this.#countSingle('last_name', SLOT.last)
    mentions.attributes.forEach((_, a) =>
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
    const { nickname, count } = this.#mentions.texts
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
      this.fields.set(name, (field = { total: 0, counts: shared(Int32Array, this.#mentions.texts.count) }))
    return field
  }

  #countSingle(name: string, slot: number): void {
    const { rows, width, count } = this.#mentions
    const field = this.#field(name)
    for (let i = 0; i < count; i++) {
      const text = rows[i * width + slot]!
      if (text === 0) continue
      field.total++
      field.counts[text]!++
    }
  }

  #countLists(name: string, slot: number): void {
    const { rows, width, count, lists } = this.#mentions
    const field = this.#field(name)
    for (let i = 0; i < count; i++) {
      const place = rows[i * width + slot]!
      if (place === 0) continue
      field.total++
      for (let k = place + 1; k <= place + lists[place]!; k++) field.counts[lists[k]!]!++
    }
  }

  #countAddresses(): void {
    const { rows, width, count, lists, addresses } = this.#mentions
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
    const { nickname } = this.#mentions.texts
    const first = this.fields.get('first_name')!.counts
    for (let text = 1; text < first.length; text++) {
      if (first[text] === 0) continue
      this.nicknames.set(nickname[text]!, (this.nicknames.get(nickname[text]!) ?? 0) + first[text]!)
    }
  }
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
