import type { PairComparer } from '../compare/compare.ts'
import { frequencyWeight, type FrequencyWeights, rarityWeight } from './frequencies.ts'
import { comparisonsOf } from '../compare/levels.ts'
import type { Attribute, Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { NAME_CASES, namesIn } from '../compare/name-agreement.ts'
import { groupSizeWeights } from './group-size.ts'

/**
 * Match weights (log2) of a model, in flat arrays for threads. The weight of a level is at `(names * comparisons + c)
 * * 16 + level`; `names` is the agreement of the names. A comparison that repeats the names weighs less where the
 * names agree. Level 0 (unknown) weighs 0.
 */
export interface LevelWeights {
  readonly prior: number
  readonly match: Float64Array
  /**
   * Log2 odds of "one household" against "unrelated": the prior, and the weight of each level of a shared comparison.
   */
  readonly householdPrior: number
  readonly household: Float64Array
  /** Weights by the number of records of a group; see `groupSizeWeights`. */
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
    people: groupSizeWeights(model.people_by_records),
  }
}

/** One bar of the waterfall chart: the comparison, the level of the pair, and the match weight that it adds. */
export interface Term {
  readonly comparison: string
  readonly level: string
  readonly bits: number
}

/** Computes the match weight (log2 odds) of the pair that a comparer compared last. */
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

  /** Returns the match weight. */
  weigh(comparer: PairComparer): number {
    const { prior, match, householdPrior, household } = this.#weights
    const { levels, agreed } = comparer
    const start = namesIn(comparer) * this.#comparisons * 16
    let weight = prior
    let common = householdPrior
    for (let c = 0; c < this.#comparisons; c++) {
      const level = levels[c]!
      if (level === 0) continue
      weight += match[start + c * 16 + level]!
      common += household[start + c * 16 + level]!
      if (agreed[c] === 0) continue
      const frequency = frequencyWeight(this.#frequencies, this.#records, comparer, c)
      weight += frequency
      if (this.#frequencies.isShared[c]!) common += frequency
    }
    return weight - householdCorrection(common)
  }

  /** Returns the sum of the comparisons from `from` up to, not including, `to`, without prior and household correction. */
  sumOf(comparer: PairComparer, from: number, to: number): number {
    const { match } = this.#weights
    const { levels, agreed } = comparer
    const start = namesIn(comparer) * this.#comparisons * 16
    let sum = 0
    for (let c = from; c < to; c++) {
      const level = levels[c]!
      if (level === 0) continue
      sum += match[start + c * 16 + level]!
      if (agreed[c] !== 0) sum += frequencyWeight(this.#frequencies, this.#records, comparer, c)
    }
    return sum
  }

  /** Returns the terms of the match weight; their sum is the result of `weigh`. */
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
      const bits = frequencyWeight(this.#frequencies, this.#records, comparer, c)
      const rarity = rarityWeight(this.#frequencies, this.#records, comparer, c)
      if (this.#frequencies.isShared[c]!) common += bits
      terms.push({ comparison: name, level: 'frequency', bits: rarity })
      if (bits !== rarity)
        terms.push({ comparison: name, level: 'repeats another agreement', bits: bits - rarity })
    })
    terms.push({ comparison: 'household', level: 'could be relatives', bits: -householdCorrection(common) })
    return terms
  }
}

/**
 * Returns the household correction: how much an agreement loses because living together explains it as well. `bits`
 * are the log2 odds of "one household"; the result is log2(1 + odds).
 */
export function householdCorrection(bits: number): number {
  if (bits < -30) return 0
  return bits > 30 ? bits : Math.log2(1 + 2 ** bits)
}

/** Returns the match probability of a match weight. */
export function probabilityOf(bits: number): number {
  return 1 / (1 + 2 ** -bits)
}
