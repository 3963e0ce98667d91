import { LEAST_BITS } from '../cluster/clusters.ts'
import { PairComparer } from '../compare/compare.ts'
import { type Conflict, conflictOf } from '../compare/conflicts.ts'
import { AT } from '../compare/levels.ts'
import type { AppliedModel } from '../model/applied-model.ts'
import { PairWeigher, type Term } from '../model/weights.ts'
import type { Records } from '../records/records.ts'
import { Reach } from './reach.ts'

/** Scores pairs by one model. It is the working memory of one thread. */
export interface PairScorer {
  readonly records: Records
  readonly prior: number
  readonly comparer: PairComparer
  readonly weigher: PairWeigher
  readonly reach: Reach
}

/**
 * Creates a scorer. `isOfFew`: only few pairs will be scored, so bounds are computed per pair instead of for all
 * records in advance.
 */
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

// Floating-point sums in another order differ in their last digits. A pair is given up only when it is further below
// the limit than this.
const ROUNDING = 1e-6

/**
 * Returns the match weight of two records (the log2 odds that they are one person) if it is at least `LEAST_BITS`.
 * Below `LEAST_BITS`, returns some lower number; for records in conflict, returns −Infinity. Symmetric.
 * Compares names, then contacts, then places. Stops as soon as the remaining comparisons cannot reach `LEAST_BITS`;
 * most pairs stop after their names.
 */
export function scorePair(left: number, right: number, scorer: PairScorer): number {
  const { records, prior, comparer, weigher, reach } = scorer
  const worth = LEAST_BITS - ROUNDING
  comparer.compareNames(left, right)
  const places = reach.places(left, right)
  let sure = prior + weigher.bitsOf(comparer, 0, AT.address)
  if (sure + places + reach.contacts(left, right) < worth) return Number.NEGATIVE_INFINITY
  // The weight of a trait may depend on whether the places agree (see `repeats.ts`). Forget the places of the pair
  // before: this pair's places are not compared yet.
  comparer.forgetPlaces()
  comparer.compareContacts(left, right)
  sure += weigher.bitsOf(comparer, AT.phone, comparer.levels.length)
  if (sure + places < worth) return Number.NEGATIVE_INFINITY
  comparer.comparePlaces(left, right)
  const weight = weigher.weighFrom(comparer, worth)
  if (weight < LEAST_BITS) return weight
  return conflictOf(records, comparer, left, right) === undefined ? weight : Number.NEGATIVE_INFINITY
}

/** A scored pair with the terms of its match weight. */
export interface ScoredPair {
  /** The sum of the terms, also below `LEAST_BITS` and for records in conflict. */
  readonly bits: number
  readonly terms: readonly Term[]
  readonly conflict: Conflict | undefined
}

/**
 * Scores two records by all comparisons, term by term. If `scorePair` returns a weight of at least `LEAST_BITS`,
 * `bits` equals it exactly.
 */
export function explainScore(left: number, right: number, scorer: PairScorer): ScoredPair {
  const { records, comparer, weigher } = scorer
  comparer.compare(left, right)
  return {
    bits: weigher.weigh(comparer),
    terms: weigher.terms(comparer, records.attributes),
    conflict: conflictOf(records, comparer, left, right),
  }
}
