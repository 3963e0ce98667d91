import { LEAST_BITS } from '../cluster/clusters.ts'
import { PairComparer } from '../compare/compare.ts'
import { type Conflict, conflictOf } from '../compare/conflicts.ts'
import { AT } from '../compare/levels.ts'
import type { AppliedModel } from '../model/applied-model.ts'
import { PairWeigher, type Term } from '../model/weights.ts'
import type { Records } from '../records/records.ts'
import { Reach } from './reach.ts'

/** What scores pairs by one model: working memory of one thread. */
export interface PairScorer {
  readonly records: Records
  readonly prior: number
  readonly comparer: PairComparer
  readonly weigher: PairWeigher
  readonly reach: Reach
}

/** Makes a scorer. `isOfFew`: it will score few pairs, so bounds are worked out per pair and not for all records before. */
export function pairScorer(model: AppliedModel, isOfFew: boolean): PairScorer {
  const { records, weights, frequencies } = model
  return {
    records,
    prior: weights.prior,
    comparer: new PairComparer(records),
    weigher: new PairWeigher(weights, frequencies, records),
    reach: new Reach(records, weights, frequencies, isOfFew),
  }
}

// Sums in another order differ in their last digits: a pair is given up only when it is further than that from its aim.
const ROUNDING = 1e-6

/**
 * Returns the match weight of two records (the log2 odds that they are one person) where it is at least `LEAST_BITS`. Returns some lower number
 * where it is less, and −Infinity where a conflict keeps the records apart. Symmetric. Compares names, then contacts, then places,
 * and ends as soon as the rest cannot reach `LEAST_BITS`: most pairs end at their names.
 */
export function scorePair(left: number, right: number, scorer: PairScorer): number {
  const { records, prior, comparer, weigher, reach } = scorer
  const worth = LEAST_BITS - ROUNDING
  comparer.compareNames(left, right)
  const places = reach.places(left, right)
  let sure = prior + weigher.bitsOf(comparer, 0, AT.address)
  if (sure + places + reach.contacts(left, right) < worth) return Number.NEGATIVE_INFINITY
  // A trait can repeat the place. The place of the pair before must not count, and this pair has none yet.
  comparer.forgetPlaces()
  comparer.compareContacts(left, right)
  sure += weigher.bitsOf(comparer, AT.phone, comparer.levels.length)
  if (sure + places < worth) return Number.NEGATIVE_INFINITY
  comparer.comparePlaces(left, right)
  const weight = weigher.weighFrom(comparer, worth)
  if (weight < LEAST_BITS) return weight
  return conflictOf(records, comparer, left, right) === undefined ? weight : Number.NEGATIVE_INFINITY
}

/** A pair with the terms of its match weight. */
export interface ScoredPair {
  /** The sum of the terms, whatever it is, and also where a conflict keeps the records apart. */
  readonly bits: number
  readonly terms: readonly Term[]
  readonly conflict: Conflict | undefined
}

/** Scores two records by all comparisons, term by term. Where `scorePair` returns a weight, this one is equal to the last bit. */
export function explainScore(left: number, right: number, scorer: PairScorer): ScoredPair {
  const { records, comparer, weigher } = scorer
  comparer.compare(left, right)
  return {
    bits: weigher.weigh(comparer),
    terms: weigher.terms(comparer, records.attributes),
    conflict: conflictOf(records, comparer, left, right),
  }
}
