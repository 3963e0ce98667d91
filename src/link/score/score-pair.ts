import { LEAST_BITS } from '../cluster/clusters.ts'
import { PairComparer } from '../compare/compare.ts'
import { type Conflict, conflictOf } from '../compare/conflicts.ts'
import { AT } from '../compare/levels.ts'
import type { AppliedModel } from '../model/applied-model.ts'
import { PairWeigher, type Term } from '../model/weights.ts'
import type { Records } from '../records/records.ts'
import { UpperBounds } from './upper-bounds.ts'

/** The objects that one thread needs to score pairs by a model. They keep the last pair, so threads cannot share them. */
export interface PairScorer {
  readonly records: Records
  readonly prior: number
  readonly comparer: PairComparer
  readonly weigher: PairWeigher
  readonly bounds: UpperBounds
}

/** Creates a scorer. */
export function pairScorer({ records, weights, frequencies }: AppliedModel): PairScorer {
  return {
    records,
    prior: weights.prior,
    comparer: new PairComparer(records),
    weigher: new PairWeigher(weights, frequencies, records),
    bounds: new UpperBounds(records, weights, frequencies),
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
  const { records, prior, comparer, weigher, bounds } = scorer
  const worth = LEAST_BITS - ROUNDING
  comparer.compareNames(left, right)
  const places = bounds.places(left, right)
  let sure = prior + weigher.sumOf(comparer, 0, AT.address)
  if (sure + places + bounds.contacts(left, right) < worth) return Number.NEGATIVE_INFINITY
  // The weight of a trait may depend on whether the places agree (see `repeats.ts`). Forget the places of the pair
  // before: this pair's places are not compared yet.
  comparer.forgetPlaces()
  comparer.compareContacts(left, right)
  sure += weigher.sumOf(comparer, AT.phone, comparer.levels.length)
  if (sure + places < worth) return Number.NEGATIVE_INFINITY
  comparer.comparePlaces(left, right)
  const weight = weigher.weigh(comparer)
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
