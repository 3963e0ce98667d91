import type { Blocks } from './block/blocking.ts'
import {
  CLUSTER_OPTIONS,
  clusterMentions,
  type Clusters,
  type Decide,
  LEAST_BITS,
} from './cluster/clusters.ts'
import { type Components, componentsOf } from './cluster/components.ts'
import { type FrequencyWeights, frequencyWeights, type TermSource } from './model/frequencies.ts'
import type { Mentions } from './records/mentions.ts'
import type { LinkModel } from './model/model.ts'
import { countPeople, sampleOf } from './cluster/people-counts.ts'
import { type Edges, joinedEdges } from './cluster/edges.ts'
import { shared } from './records/texts.ts'
import type { LinkThreads, OnStep } from './threads/threads.ts'
import { levelWeights } from './model/weights.ts'

export interface Linked {
  readonly pairs: number
  readonly edges: Edges
  readonly clusters: Clusters
  readonly frequencies: FrequencyWeights
  readonly model: LinkModel
}

export interface LinkOptions {
  readonly threads: number
  readonly onStep?: OnStep | undefined
}

/** Weighs and clusters blocked mentions by a model. One that was just trained learns here how many records people have. */
export async function linkMentions(
  mentions: Mentions,
  blocks: Blocks,
  trained: LinkModel | Omit<LinkModel, 'people_by_records'>,
  terms: TermSource,
  threads: LinkThreads,
  onStep?: OnStep,
): Promise<Linked> {
  const frequencies = frequencyWeights(mentions, terms, trained)
  const known = { people_by_records: [], ...trained }
  const found = await threads.run({
    kind: 'edges',
    input: { mentions, blocks, frequencies },
    weights: levelWeights(known, mentions.attributes),
  })
  const pairs = found.reduce((total, part) => total + part.pairs, 0)
  const edges = joinedEdges(found.flatMap((part) => part.edges))
  onStep?.('score', pairs)
  const decideBy = (model: LinkModel): Decide => {
    const weights = levelWeights(model, mentions.attributes)
    return async (components, smallest, options) => {
      const input = { mentions, weights, frequencies, components, smallest, options }
      await threads.run({ kind: 'clusters', input })
    }
  }
  const components = componentsOf(mentions.count, edges, LEAST_BITS)
  const model =
    'people_by_records' in trained
      ? trained
      : { ...trained, people_by_records: await peopleFound(mentions, components, decideBy(known)) }
  const clusters = await clusterMentions(mentions.count, edges, decideBy(model), CLUSTER_OPTIONS, components)
  onStep?.('cluster', edges.count)
  return { pairs, edges, clusters, frequencies, model }
}

async function peopleFound(mentions: Mentions, components: Components, decide: Decide): Promise<number[]> {
  const sample = sampleOf(mentions, components)
  const smallest = shared(Int32Array, mentions.count)
  await decide(sample, smallest, CLUSTER_OPTIONS)
  return countPeople(sample, smallest, CLUSTER_OPTIONS.mostMentions)
}
