import type { PairComparer } from '../compare/compare.ts'
import { frequencyBits, type FrequencyWeights, rarityBits } from './frequencies.ts'
import { comparisonsOf } from '../compare/levels.ts'
import type { Attribute, Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { NAME_CASES, namesIn } from '../compare/name-agreement.ts'
import { peopleBits } from './people-bits.ts'

/**
 * Weights of a model in bits, flat, for threads: entry `(names * comparisons + c) * 16 + level`, where `names` says how the
 * names stand to each other: what repeats them weighs less where they agree. Level 0 ("not known") weighs nothing.
 */
export interface LevelWeights {
  readonly prior: number
  readonly match: Float64Array
  /** Bits for "of one household" against "unrelated": its own prior, and per level of a shared comparison. */
  readonly householdPrior: number
  readonly household: Float64Array
  /** By how many records groups have: see `peopleBits`. */
  readonly people: Float64Array
}

export function levelWeights(model: LinkModel, attributes: readonly Attribute[]): LevelWeights {
  const comparisons = comparisonsOf(attributes)
  const width = comparisons.length * 16
  const match = new Float64Array(width * NAME_CASES)
  const household = new Float64Array(width * NAME_CASES)
  comparisons.forEach(({ name, isShared }, c) => {
    const learned = model.comparisons.find(({ comparison }) => comparison === name)
    learned?.levels.forEach(({ m, u, household: h, u_by_names: byNames }, l) => {
      for (const [names, strangers] of [u, byNames?.last, byNames?.first, byNames?.both].entries()) {
        const at = names * width + c * 16 + l + 1
        match[at] = Math.log2(m / (strangers ?? u))
        if (isShared && h !== null) household[at] = Math.log2(h / (strangers ?? u))
      }
    })
  })
  const unrelated = 1 - model.match_probability - model.household_probability
  return {
    prior: Math.log2(model.match_probability / unrelated),
    match,
    householdPrior: Math.log2(model.household_probability / unrelated),
    household,
    people: peopleBits(model.people_by_records),
  }
}

/** One bar of the waterfall: what it is about, how the two stand to each other, and the bits it adds. */
export interface Term {
  readonly comparison: string
  readonly level: string
  readonly bits: number
}

/** Adds up the weight (log2 odds) of the pair that a comparer holds. */
export class PairWeigher {
  readonly #weights: LevelWeights
  readonly #frequencies: FrequencyWeights
  readonly #records: Records
  readonly #comparisons: number

  constructor(weights: LevelWeights, frequencies: FrequencyWeights, records: Records) {
    this.#weights = weights
    this.#frequencies = frequencies
    this.#records = records
    this.#comparisons = comparisonsOf(records.attributes).length
  }

  weigh(comparer: PairComparer): number {
    return this.weighFrom(comparer, Number.NEGATIVE_INFINITY)
  }

  /** The weight where it is `atLeast`; where it is less, some number below that. */
  weighFrom(comparer: PairComparer, atLeast: number): number {
    const { prior, match, householdPrior, household } = this.#weights
    const { levels, agreed } = comparer
    const { isShared } = this.#frequencies
    const start = namesIn(comparer) * this.#comparisons * 16
    let bits = prior
    let common = householdPrior
    for (let c = 0; c < this.#comparisons; c++) {
      const level = levels[c]!
      if (level === 0) continue
      bits += match[start + c * 16 + level]!
      common += household[start + c * 16 + level]!
      if (agreed[c] === 0) continue
      const frequency = frequencyBits(this.#frequencies, this.#records, comparer, c)
      bits += frequency
      if (isShared[c]!) common += frequency
    }
    // Living together only takes away.
    return bits < atLeast ? bits : bits - householdBits(common)
  }

  /** What the comparisons from `from` to `to` add, without what living together takes away. */
  bitsOf(comparer: PairComparer, from: number, to: number): number {
    const { match } = this.#weights
    const { levels, agreed } = comparer
    const start = namesIn(comparer) * this.#comparisons * 16
    let bits = 0
    for (let c = from; c < to; c++) {
      const level = levels[c]!
      if (level === 0) continue
      bits += match[start + c * 16 + level]!
      if (agreed[c] !== 0) bits += frequencyBits(this.#frequencies, this.#records, comparer, c)
    }
    return bits
  }

  /** The same sum, term by term. */
  terms(comparer: PairComparer, attributes: readonly Attribute[]): Term[] {
    const { prior, match, householdPrior, household } = this.#weights
    const terms: Term[] = [{ comparison: 'prior', level: 'two records at random', bits: prior }]
    let common = householdPrior
    const start = namesIn(comparer) * this.#comparisons * 16
    comparisonsOf(attributes).forEach(({ name, levels }, c) => {
      const level = comparer.levels[c]!
      if (level === 0) return
      common += household[start + c * 16 + level]!
      terms.push({ comparison: name, level: levels[level - 1]!.name, bits: match[start + c * 16 + level]! })
      if (comparer.agreed[c] === 0) return
      const bits = frequencyBits(this.#frequencies, this.#records, comparer, c)
      const rarity = rarityBits(this.#frequencies, this.#records, comparer, c)
      if (this.#frequencies.isShared[c]!) common += bits
      terms.push({ comparison: name, level: 'frequency', bits: rarity })
      if (bits !== rarity)
        terms.push({ comparison: name, level: 'repeats what agrees already', bits: bits - rarity })
    })
    terms.push({ comparison: 'household', level: 'could be relatives', bits: -householdBits(common) })
    return terms
  }
}

/** What agreement loses where living together explains it as well: log2(1 + odds of "one household"). */
export function householdBits(bits: number): number {
  if (bits < -30) return 0
  return bits > 30 ? bits : Math.log2(1 + 2 ** bits)
}

/** Probability of a weight in bits. */
export function probabilityOf(bits: number): number {
  return 1 / (1 + 2 ** -bits)
}
