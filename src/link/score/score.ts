import { LEAST_BITS } from '../cluster/clusters.ts'
import { PairComparer } from '../compare/compare.ts'
import { conflictOf } from '../compare/conflicts.ts'
import { type Edges, GrowingEdges } from '../cluster/edges.ts'
import type { Blocks } from '../block/blocking.ts'
import { type NewPairs, pairFinder } from '../block/candidates.ts'
import type { FrequencyWeights } from '../model/frequencies.ts'
import type { Mentions } from '../records/mentions.ts'
import type { Amount, NextRange, Work } from '../threads/threads.ts'
import { AT } from '../compare/levels.ts'
import { Reach } from './reach.ts'
import { ReadAhead } from '../compare/read-ahead.ts'
import { type LevelWeights, PairWeigher } from '../model/weights.ts'

export interface EdgeInput {
  readonly mentions: Mentions
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
  readonly weights: LevelWeights
  /** With it, an incremental run scores only these pairs. */
  readonly newPairs?: NewPairs | undefined
}

// Sums in another order differ in their last digits: a pair is given up only when it is further than that from its aim.
const ROUNDING = 1e-6

/** Scores candidate pairs and keeps those of at least `LEAST_BITS` without a conflict: one list of edges per range of records. */
export function findEdges(
  { mentions, blocks, frequencies, weights, newPairs }: EdgeInput,
  next: NextRange,
): { pairs: number; edges: readonly Edges[] } {
  const comparer = new PairComparer(mentions)
  const weigher = new PairWeigher(weights, frequencies, mentions)
  const finder = pairFinder(mentions, blocks, newPairs)
  const reach = new Reach(mentions, weights, frequencies, newPairs !== undefined)
  const ahead = new ReadAhead(mentions)
  const { prior } = weights
  const comparisons = comparer.levels.length
  const worth = LEAST_BITS - ROUNDING
  const edges: Edges[] = []
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    const found = new GrowingEdges()
    for (let unit = range[0]; unit < range[1]; unit++) {
      const count = finder.find(unit)
      const i = finder.recordOf(unit)
      const first = found.count
      pairs += count
      ahead.names(finder.mates, count)
      for (let k = 0; k < count; k++) {
        const j = finder.mates[k]!
        // Step by step, and no further than the rest could still make an edge of it: most pairs end at their names.
        comparer.compareNames(i, j)
        const places = reach.places(i, j)
        let sure = prior + weigher.bitsOf(comparer, 0, AT.address)
        if (sure + places + reach.contacts(i, j) < worth) continue
        // A trait can repeat the place. The place of the pair before must not count, and this pair has none yet.
        comparer.forgetPlaces()
        comparer.compareContacts(i, j)
        sure += weigher.bitsOf(comparer, AT.phone, comparisons)
        if (sure + places < worth) continue
        comparer.comparePlaces(i, j)
        const bits = weigher.weighFrom(comparer, worth)
        if (bits >= LEAST_BITS && conflictOf(mentions, comparer, i, j) === undefined)
          found.push(Math.min(i, j), Math.max(i, j), bits)
      }
      found.sortFrom(first)
    }
    if (found.count > 0) edges.push(found.edges())
  }
  return { pairs, edges }
}

export const FIND_EDGES: Work<EdgeInput, ReturnType<typeof findEdges>> = {
  module: import.meta.url,
  run: findEdges,
}

/** Returns how much work the pairs of an input are. */
export function amountOf({ mentions, newPairs }: EdgeInput): Amount {
  return { units: newPairs?.records.length ?? mentions.count, records: mentions.count }
}
