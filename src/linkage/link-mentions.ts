import type { Blocks } from './blocking.ts'
import { CLUSTER_OPTIONS, clusterMentions, type Clusters } from './clusters.ts'
import { type FrequencyWeights, frequencyWeights, type TermSource } from './frequencies.ts'
import type { Mentions } from './mentions.ts'
import type { LinkModel } from './model.ts'
import { type Edges, joinedEdges } from './score.ts'
import type { LinkThreads } from './threads.ts'
import { levelWeights } from './weights.ts'

/** Pairs of at least this many bits are kept as edges. No data set needs another value. */
export const LEAST_BITS = CLUSTER_OPTIONS.edgesFrom

export interface Linked {
  readonly pairs: number
  readonly edges: Edges
  readonly clusters: Clusters
  readonly frequencies: FrequencyWeights
}

export interface LinkOptions {
  readonly threads: number
  /** Told after each step. */
  readonly lap?: ((step: string, rows: number) => void) | undefined
}

/** Weighs and clusters blocked mentions by a model. */
export async function linkMentions(
  mentions: Mentions,
  blocks: Blocks,
  model: LinkModel,
  terms: TermSource,
  threads: LinkThreads,
  lap?: LinkOptions['lap'],
): Promise<Linked> {
  const frequencies = frequencyWeights(mentions, terms, model.agreements, model.own_records)
  const weights = levelWeights(model, mentions.attributes)
  const found = await threads.run({
    kind: 'edges',
    input: { mentions, blocks, frequencies },
    weights,
    atLeast: LEAST_BITS,
  })
  const pairs = found.reduce((total, part) => total + part.pairs, 0)
  const edges = joinedEdges(found.flatMap((part) => part.edges))
  lap?.('score', pairs)
  const clusters = await clusterMentions(mentions.count, edges, async (components, smallest) => {
    const input = { mentions, weights, frequencies, components, smallest, options: CLUSTER_OPTIONS }
    await threads.run({ kind: 'clusters', input })
  })
  lap?.('cluster', edges.count)
  return { pairs, edges, clusters, frequencies }
}
