import type { Blocks } from '../block/blocking.ts'
import { type NewPairs, PairFinder } from '../block/candidates.ts'
import { LEAST_BITS } from '../cluster/clusters.ts'
import { type Edges, GrowingEdges } from '../cluster/edges.ts'
import type { AppliedModel } from '../model/applied-model.ts'
import type { Amount, NextRange, Work } from '../threads/threads.ts'
import { pairScorer, scorePair } from './score-pair.ts'

export interface EdgeInput extends AppliedModel {
  readonly blocks: Blocks
  /** Set in an incremental run: only these pairs are scored. */
  readonly newPairs?: NewPairs | undefined
}

/**
 * Scores candidate pairs. Keeps pairs of at least `LEAST_BITS` without a conflict as edges. A unit of work is a
 * record; with `newPairs`, it is one record of `newPairs`.
 */
export function findEdges(input: EdgeInput, next: NextRange): { pairs: number; edges: Edges } {
  const { records, blocks, newPairs } = input
  const scorer = pairScorer(input)
  const finder = new PairFinder(records, blocks, newPairs)
  const found = new GrowingEdges()
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    for (let unit = range[0]; unit < range[1]; unit++) {
      const count = finder.find(unit)
      const i = finder.recordOf(unit)
      pairs += count
      for (let k = 0; k < count; k++) {
        const j = finder.candidates[k]!
        const weight = scorePair(i, j, scorer)
        if (weight >= LEAST_BITS) found.push(Math.min(i, j), Math.max(i, j), weight)
      }
    }
  }
  return { pairs, edges: found.edges() }
}

export const FIND_EDGES: Work<EdgeInput, ReturnType<typeof findEdges>> = {
  module: import.meta.url,
  run: findEdges,
}

/** Returns the amount of work for the thread pool. */
export function amountOf({ records, newPairs }: EdgeInput): Amount {
  return { units: newPairs?.records.length ?? records.count, records: records.count }
}
