import { PairComparer } from './compare.ts'
import { conflictOf } from './conflicts.ts'
import type { FrequencyWeights } from './frequencies.ts'
import type { Mentions } from './mentions.ts'
import { type LevelWeights, PairWeigher } from './weights.ts'

/** How a pair stands: its weight in bits, or `NEVER` where the two cannot be one person whatever else agrees. */
export type PairBits = (i: number, j: number) => number
export const NEVER = Number.NEGATIVE_INFINITY

// A pair that is barred from being an edge counts against its cluster as much as any pair can.
const BARRED_BITS = -12

export interface PairBitsInput {
  readonly mentions: Mentions
  readonly weights: LevelWeights
  readonly frequencies: FrequencyWeights
}

/** Weight of any pair, conflicts included, for clustering. */
export function pairBits({ mentions, weights, frequencies }: PairBitsInput): PairBits {
  const comparer = new PairComparer(mentions)
  const weigher = new PairWeigher(weights, frequencies, mentions)
  return (i, j) => {
    comparer.compare(i, j)
    const conflict = conflictOf(mentions, comparer, i, j)
    if (conflict?.bars === 'cluster') return NEVER
    const bits = weigher.weigh(comparer)
    return conflict === undefined ? bits : Math.min(bits, BARRED_BITS)
  }
}
