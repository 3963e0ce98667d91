import { nameFrequency } from '../normalize/name-frequencies.ts'
import type { PairComparer } from './compare.ts'
import { AT, comparisonsOf, FIRST } from './levels.ts'
import { ADDRESS_WIDTH, type Mentions, PART, SLOT } from './mentions.ts'
import { shared, textAt, type TextPool } from './texts.ts'

/** How many records have a value: counted in this run, or kept in a model file. */
export interface TermSource {
  /** Records that have the field at all. */
  total(field: string): number
  /** Records that have this text there; 0 or 1 for any that is not known. */
  count(field: string, text: number): number
  /** Records whose first name is of this nickname class (`TextPool.nickname`). */
  nicknameCount(nickname: number): number
}

/** The pseudo-field of nickname classes among the reference agreements. */
export const NICKNAME_CLASS = 'nickname_class'

// Census frequencies stand for as many people as this beside the data's own: they matter where data is small.
const CENSUS_PEOPLE = 1000
// And what a field is like in general as so many: what they hold is unknown, but not that they are there.
const OTHER_PEOPLE = 200
const PRIOR_PAIRS = 2000
const NICKNAME_AGREEMENT = 0.007

/** Counts the values of every such field. */
export function countTerms(mentions: Mentions): TermCounts {
  const { rows, width, lists, addresses, count, attributes, texts } = mentions
  const comparisons = comparisonsOf(attributes)
  const fields = new Map<string, FieldCounts>()
  const fieldOf = (name: string): FieldCounts => {
    let field = fields.get(name)
    if (field === undefined) fields.set(name, (field = { total: 0, counts: shared(Int32Array, texts.count) }))
    return field
  }
  const single = (name: string, slot: number): void => {
    const field = fieldOf(name)
    for (let i = 0; i < count; i++) {
      const text = rows[i * width + slot]!
      if (text === 0) continue
      field.total++
      field.counts[text]!++
    }
  }
  single('first_name', SLOT.first)
  single('middle_name', SLOT.middle)
  single('last_name', SLOT.last)
  for (let a = 0; a < attributes.length; a++)
    single(comparisons[AT.attributes + a]!.name, SLOT.attributes + a)
  for (const [name, slot] of [
    ['phone', SLOT.phones],
    ['email', SLOT.emails],
  ] as const) {
    const field = fieldOf(name)
    for (let i = 0; i < count; i++) {
      const items = rows[i * width + slot + 1]!
      if (items > 0) field.total++
      for (let k = 0; k < items; k++) field.counts[lists[rows[i * width + slot]! + k]!]!++
    }
  }
  const address = fieldOf('address')
  const place = fieldOf('place')
  for (let i = 0; i < count; i++) {
    const items = rows[i * width + SLOT.addresses + 1]!
    if (items > 0) {
      address.total++
      place.total++
    }
    for (let k = 0; k < items; k++) {
      const at = lists[rows[i * width + SLOT.addresses]! + k]! * ADDRESS_WIDTH
      address.counts[addresses[at + PART.unit_key]!]!++
      address.counts[addresses[at + PART.building]!]!++
      place.counts[addresses[at + PART.zip]!]!++
      place.counts[addresses[at + PART.city]!]!++
    }
  }
  for (const field of fields.values()) field.counts[0] = 0
  return new TermCounts(
    fields,
    texts.nickname,
    new Map(comparisons.map(({ name, levels }) => [name, levels[0]!.u])),
  )
}

interface FieldCounts {
  total: number
  readonly counts: Int32Array
}

/** Counts of this run, per text of its pool. */
export class TermCounts implements TermSource {
  readonly fields: ReadonlyMap<string, FieldCounts>
  readonly nicknames = new Map<number, number>()
  /** Chance of agreement that each field has where nothing is known of it. */
  readonly priors: ReadonlyMap<string, number>

  constructor(
    fields: ReadonlyMap<string, FieldCounts>,
    nickname: Int32Array,
    priors: ReadonlyMap<string, number>,
  ) {
    this.fields = fields
    this.priors = priors
    const first = fields.get('first_name')!.counts
    for (let text = 1; text < first.length; text++) {
      if (first[text] === 0) continue
      this.nicknames.set(nickname[text]!, (this.nicknames.get(nickname[text]!) ?? 0) + first[text]!)
    }
  }

  total(field: string): number {
    return this.fields.get(field)?.total ?? 0
  }

  count(field: string, text: number): number {
    return this.fields.get(field)?.counts[text] ?? 0
  }

  nicknameCount(nickname: number): number {
    return this.nicknames.get(nickname) ?? 0
  }

  /** Chance that two records of different people agree on a field exactly, for every field and for nickname classes. */
  agreements(own: OwnRecords): Agreements {
    const found: Record<string, number> = {}
    for (const [name, { total, counts }] of this.fields) {
      found[name] = agreementOf(counts, total, own[name] ?? 0, this.priors.get(name) ?? 0)
    }
    found[NICKNAME_CLASS] = agreementOf(
      this.nicknames.values(),
      this.total('first_name'),
      own['first_name'] ?? 0,
      NICKNAME_AGREEMENT,
    )
    return found
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

/**
 * How many other records with the same value a record's own person has on average, by field. A value's count says how
 * many people have it only when these are taken off.
 */
export type OwnRecords = Readonly<Record<string, number>>

// Records of other people with the value, seen from one that has it: at least one could always be.
function peopleBeside(count: number, own: number): number {
  return Math.max(1, count - 1 - own)
}

/** Bits that agreement on a value adds to (or takes from) the weight of agreement as such, and their sums over a pair. */
export class FrequencyWeights {
  /** Per comparison: bits by text; undefined where frequency does not matter. */
  readonly bits: readonly (Float32Array | undefined)[]
  /** Bits of a nickname class by any text of the class. */
  readonly nicknames: Float32Array
  readonly isShared: readonly boolean[]
  readonly #sums: [number, number] = [0, 0]

  constructor(
    bits: readonly (Float32Array | undefined)[],
    nicknames: Float32Array,
    isShared: readonly boolean[],
  ) {
    this.bits = bits
    this.nicknames = nicknames
    this.isShared = isShared
  }

  /** Bits of comparison `c` in the pair that `comparer` holds. */
  of(comparer: PairComparer, c: number): number {
    const agreed = comparer.agreed[c]!
    if (agreed === 0) return 0
    if (c === AT.first_name && comparer.levels[c] === FIRST.nickname) return this.nicknames[agreed]!
    return this.bits[c]![agreed]!
  }

  /** Sum over all comparisons, and over those that households share. The array is used again by the next call. */
  sums(comparer: PairComparer): readonly [number, number] {
    let all = 0
    let common = 0
    for (let c = 0; c < comparer.agreed.length; c++) {
      if (comparer.agreed[c] === 0) continue
      const bits = this.of(comparer, c)
      all += bits
      if (this.isShared[c]!) common += bits
    }
    this.#sums[0] = all
    this.#sums[1] = common
    return this.#sums
  }
}

/** Reference chance of agreement per comparison, against which frequency weights are taken. */
export type Agreements = Readonly<Record<string, number>>

/** Frequency weights of the texts of a run. */
export function frequencyWeights(
  mentions: Mentions,
  terms: TermSource,
  agreements: Agreements,
  own: OwnRecords,
): FrequencyWeights {
  const comparisons = comparisonsOf(mentions.attributes)
  const { texts } = mentions
  const bits = comparisons.map(({ name, levels }) => {
    if (!levels.some(({ byFrequency }) => byFrequency === true)) return undefined
    const total = terms.total(name)
    const agreement = agreements[name] ?? 1
    const isName = name === 'first_name' || name === 'last_name'
    const weights = shared(Float32Array, texts.count)
    for (let text = 1; text < texts.count; text++) {
      let people = peopleBeside(terms.count(name, text), own[name] ?? 0)
      let among = Math.max(1, total - 1)
      if (isName && texts.sound[text] !== 0 && total < 100 * CENSUS_PEOPLE) {
        people += CENSUS_PEOPLE * censusShare(name, textAt(texts, text))
        among += CENSUS_PEOPLE
      } else if (!isName) {
        people += OTHER_PEOPLE * levels[0]!.u
        among += OTHER_PEOPLE
      }
      weights[text] = boundedBits(agreement / (people / among))
    }
    return weights
  })
  return new FrequencyWeights(
    bits,
    nicknameWeights(texts, terms, agreements[NICKNAME_CLASS] ?? 1, own['first_name'] ?? 0),
    comparisons.map(({ isShared }) => isShared),
  )
}

function nicknameWeights(texts: TextPool, terms: TermSource, agreement: number, own: number): Float32Array {
  const weights = shared(Float32Array, texts.count)
  const among = Math.max(1, terms.total('first_name') - 1) + OTHER_PEOPLE
  for (let text = 1; text < texts.count; text++) {
    if (texts.nickname[text] === 0) continue
    weights[text] = boundedBits(
      agreement / (peopleBeside(terms.nicknameCount(texts.nickname[text]!), own) / among),
    )
  }
  return weights
}

function censusShare(field: string, name: string): number {
  const found = nameFrequency(name)
  if (found === undefined) return 0
  return (field === 'last_name' ? found.surname : (found.female + found.male) / 2) / 100_000
}

// Twelve bits either way: beyond it a value's rarity says more about its spelling than about its owner.
function boundedBits(ratio: number): number {
  const bits = Math.log2(ratio)
  return bits > 12 ? 12 : bits < -12 ? -12 : bits
}
