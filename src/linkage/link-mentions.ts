import { type Blocks, buildBlocks } from './blocking.ts'
import { clusterMentions, type Clusters, NEVER, type PairBits } from './clusters.ts'
import { PairComparer } from './compare.ts'
import { conflictOf } from './conflicts.ts'
import { frequencyWeights, type FrequencyWeights, type TermSource } from './frequencies.ts'
import type { Mentions } from './mentions.ts'
import type { LinkModel } from './model.ts'
import type { Edges } from './score.ts'
import { scoreBlocks } from './threads.ts'
import { levelWeights, PairWeigher } from './weights.ts'

/** Pairs of at least this many bits are kept: 0 is even odds. No data set needs another value. */
export const LEAST_BITS = 0

// A pair that is barred from being an edge counts against its cluster as much as any pair can.
const BARRED_BITS = -12

export interface Linked {
  readonly pairs: number
  readonly edges: Edges
  readonly clusters: Clusters
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
}

export interface LinkOptions {
  readonly threads: number
  /** Told after each step. */
  readonly lap?: ((step: string, rows: number) => void) | undefined
}

/** Blocks, weighs and clusters mentions by a model. */
export async function linkMentions(
  mentions: Mentions,
  model: LinkModel,
  terms: TermSource,
  options: LinkOptions & { blocks?: Blocks },
): Promise<Linked> {
  const blocks = options.blocks ?? buildBlocks(mentions, model.block_limit)
  options.lap?.('block', blocks.count)
  const frequencies = frequencyWeights(mentions, terms, model.agreements, model.own_records)
  options.lap?.('weigh terms', mentions.texts.count)
  const weights = levelWeights(model, mentions.attributes)
  const task = { kind: 'edges', weights, atLeast: LEAST_BITS } as const
  const { pairs, edges } = await scoreBlocks({ mentions, blocks, frequencies }, task, options.threads)
  options.lap?.('score', pairs)
  const clusters = clusterMentions(mentions.count, edges!, pairBits(mentions, model, frequencies))
  options.lap?.('cluster', edges!.count)
  return { pairs, edges: edges!, clusters, blocks, frequencies }
}

/** Weight of any pair, conflicts included, for clustering. */
export function pairBits(mentions: Mentions, model: LinkModel, frequencies: FrequencyWeights): PairBits {
  const comparer = new PairComparer(mentions)
  const weigher = new PairWeigher(levelWeights(model, mentions.attributes), frequencies)
  return (i, j) => {
    comparer.compare(i, j)
    const conflict = conflictOf(mentions, comparer, i, j)
    if (conflict?.bars === 'cluster') return NEVER
    const bits = weigher.weigh(comparer)
    return conflict === undefined ? bits : Math.min(bits, BARRED_BITS)
  }
}
