import type { AppliedModel } from '../model/applied-model.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { shared } from '../records/texts.ts'
import type { LinkThreads, NextRange, Work } from '../threads/threads.ts'
import { clusterComponent, type ClusterOptions, type ClusterRules } from './cluster-component.ts'
import type { Components } from './components.ts'
import { chosenEdges, type Edges } from './edges.ts'
import { evidenceOf, GroupSums } from './group-evidence.ts'

/** The clustering options of all runs. */
export const CLUSTER_OPTIONS: ClusterOptions = { edgesFrom: -2, atLeast: 0, mostRecords: 100 }

/** Least match weight of a pair that is kept as an edge. */
export const LEAST_BITS = CLUSTER_OPTIONS.edgesFrom

export interface Clusters {
  /** Per record, the smallest record number of its cluster. */
  readonly smallest: Int32Array
  /** The components above the size limit, which were cut at weak edges: one of their records, and their number of records. */
  readonly cut: readonly { record: number; size: number }[]
}

/**
 * Clusters the records of each connected component (`clusterComponent`). A record in no component is a cluster of its
 * own. `edges` are sorted by left and then right record. The result depends only on the set of edges, not on record
 * numbers or the number of threads.
 */
export async function clusterRecords(
  model: AppliedModel,
  components: Components,
  edges: Edges,
  threads: LinkThreads,
): Promise<Clusters> {
  const smallest = shared(Int32Array, model.records.count)
  for (let i = 0; i < smallest.length; i++) smallest[i] = i
  const { cut, edges: within } = largeComponents(components, edges, CLUSTER_OPTIONS.mostRecords)
  const amount = { units: components.count, records: components.members.length }
  await threads.run(CLUSTER_BY_MODEL, { ...model, components, edges: within, smallest }, amount)
  return { smallest, cut }
}

/** Returns the components of more than `mostRecords` records (`cut`), and the edges inside them. */
export function largeComponents(
  { count, starts, members }: Components,
  edges: Edges,
  mostRecords: number,
): { cut: { record: number; size: number }[]; edges: Edges } {
  const cut: { record: number; size: number }[] = []
  const isLarge = new Set<number>()
  for (let c = 0; c < count; c++) {
    const size = starts[c + 1]! - starts[c]!
    if (size <= mostRecords) continue
    cut.push({ record: members[starts[c]!]!, size })
    for (let k = starts[c]!; k < starts[c + 1]!; k++) isLarge.add(members[k]!)
  }
  const within = new GrowingIntegers()
  if (isLarge.size > 0) for (let k = 0; k < edges.count; k++) if (isLarge.has(edges.left[k]!)) within.push(k)
  return { cut, edges: chosenEdges(edges, within.view()) }
}

interface ClusterInput extends AppliedModel {
  readonly components: Components
  /** The edges inside components above the size limit. Other components are clustered without edges. */
  readonly edges: Edges
  /** Result array that all threads fill: per record, the smallest record number of its cluster. */
  readonly smallest: Int32Array
}

/** Clusters components by the evidence of a model, as work of one thread. A unit of work is a component. */
export function clusterByModel(input: ClusterInput, next: NextRange): void {
  const sums = new GroupSums(evidenceOf(input, LEAST_BITS))
  clusterComponents(input, { sums, ranks: input.records.ranks, options: CLUSTER_OPTIONS }, next)
}

const CLUSTER_BY_MODEL: Work<ClusterInput, void> = { module: import.meta.url, run: clusterByModel }

/**
 * Clusters ranges of components and writes into `smallest`, for each of their records, the smallest record number of
 * its cluster.
 */
export function clusterComponents(
  { components, edges, smallest }: Pick<ClusterInput, 'components' | 'edges' | 'smallest'>,
  rules: ClusterRules,
  next: NextRange,
): void {
  const { starts, members } = components
  for (let range = next(); range !== undefined; range = next()) {
    for (let c = range[0]; c < range[1]; c++) {
      const own = members.subarray(starts[c], starts[c + 1])
      const found = clusterComponent(own, edges, rules)
      for (let k = 0; k < own.length; k++) smallest[own[k]!] = found[k]!
    }
  }
}
