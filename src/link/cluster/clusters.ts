import { type Components, componentsOf } from './components.ts'
import type { FrequencyWeights } from '../model/frequencies.ts'
import { evidenceOf, GroupSums } from './group-evidence.ts'
import type { LinkThreads, NextRange, Work } from '../threads/threads.ts'
import type { Mentions } from '../records/mentions.ts'
import { chosenEdges, type Edges } from './edges.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { shared } from '../records/texts.ts'
import type { LevelWeights } from '../model/weights.ts'

export interface ClusterOptions {
  /** Edges of at least so many bits tie components: what one pair leaves open, the rest of the two groups may decide. */
  readonly edgesFrom: number
  /** Least weight, in bits, at which two groups become one; 0 is even odds. */
  readonly atLeast: number
  /** Components above this many mentions are cut at ever stronger edges before they are clustered. */
  readonly mostMentions: number
}

/** No data set needs others. */
export const CLUSTER_OPTIONS: ClusterOptions = { edgesFrom: -2, atLeast: 0, mostMentions: 100 }

/** Pairs of at least this many bits are kept as edges. */
export const LEAST_BITS = CLUSTER_OPTIONS.edgesFrom

const CUT_STEP = 4

export interface Clusters {
  /** Per mention, the smallest mention of its cluster. */
  readonly smallest: Int32Array
  /** Components under all edges, as they were before the largest were cut. */
  readonly components: Components
  /** Components that were above the limit, with their sizes: what a report must name. */
  readonly cut: readonly { mention: number; size: number }[]
}

/** What threads need to decide components; `smallest` is what they fill. */
export interface ClusterInput {
  readonly mentions: Mentions
  readonly weights: LevelWeights
  readonly frequencies: FrequencyWeights
  readonly components: Components
  readonly smallest: Int32Array
  readonly options: ClusterOptions
}

/** Of them, what the decision needs besides the weights of pairs. */
export type DecideInput = Pick<ClusterInput, 'components' | 'smallest' | 'options'> & {
  readonly mentions: Pick<Mentions, 'ranks'>
}

/** Decides components that are not above the limit: fills in the smallest mention of each cluster. */
export type Decide = (
  components: Components,
  smallest: Int32Array,
  options: ClusterOptions,
) => void | Promise<void>

/**
 * Clusters of `count` mentions. Each connected component of the edges is decided by itself: the two groups that are most surely
 * one person, by all that their records say (pairs that were blocked or not), are joined until none are, or only such as have
 * members that can never be one. So a weak bridge between two groups is outvoted, what one record does not know another
 * may, and between duplicate-free sources the best mutual links win. Depends on the set of edges only, not on their order.
 * `all`: the components under all edges, where they are known already.
 */
export async function clusterMentions(
  count: number,
  edges: Edges,
  decide: Decide,
  options: ClusterOptions,
  all: Components = componentsOf(count, edges, options.edgesFrom),
): Promise<Clusters> {
  const smallest = shared(Int32Array, count)
  for (let i = 0; i < count; i++) smallest[i] = i
  const cut: { mention: number; size: number }[] = []
  let from = edges
  let components = all
  for (let atLeast = options.edgesFrom; ;) {
    await decide(components, smallest, options)
    const tooLarge = new Set<number>()
    for (let c = 0; c < components.count; c++) {
      const members = components.members.subarray(components.starts[c], components.starts[c + 1])
      if (members.length <= options.mostMentions) continue
      if (atLeast === options.edgesFrom) cut.push({ mention: members[0]!, size: members.length })
      for (const member of members) tooLarge.add(member)
    }
    if (tooLarge.size === 0) return { smallest, components: all, cut }
    atLeast += CUT_STEP
    from = edgesWithin(from, tooLarge, atLeast)
    components = componentsOf(count, from, atLeast)
  }
}

/** Decides components by the evidence of a model. A unit of work is a component. Fills in `smallest`, which all threads share. */
export function decideByModel(input: ClusterInput, next: NextRange): void {
  decideComponents(input, new GroupSums(evidenceOf(input, input.options.edgesFrom)), next)
}

const DECIDE_BY_MODEL: Work<ClusterInput, void> = { module: import.meta.url, run: decideByModel }

/** Returns a function that decides components on the threads. */
export function decideOnThreads(
  input: Pick<ClusterInput, 'mentions' | 'weights' | 'frequencies'>,
  threads: LinkThreads,
): Decide {
  return async (components, smallest, options) => {
    const amount = { units: components.count, records: components.members.length }
    await threads.run(DECIDE_BY_MODEL, { ...input, components, smallest, options }, amount)
  }
}

/** Decides ranges of components by the evidence between groups. Their members are taken by rank, so that ties end alike whatever their numbers. */
export function decideComponents(
  { mentions, components, smallest, options }: DecideInput,
  sums: GroupSums,
  next: NextRange,
): void {
  for (let range = next(); range !== undefined; range = next()) {
    for (let c = range[0]; c < range[1]; c++) {
      const members = components.members.slice(components.starts[c], components.starts[c + 1])
      if (members.length > options.mostMentions) continue
      members.sort((i, j) => mentions.ranks[i]! - mentions.ranks[j]! || i - j)
      joinGroups(members, sums, options.atLeast, smallest)
    }
  }
}

function joinGroups(members: Int32Array, sums: GroupSums, atLeast: number, smallest: Int32Array): void {
  const size = members.length
  sums.start(members)
  const isJoined = new Uint8Array(size)
  const group = Int32Array.from({ length: size }, (_, a) => a)
  for (;;) {
    let best = Number.NEGATIVE_INFINITY
    let into = -1
    let from = -1
    for (let a = 0; a < size; a++) {
      if (isJoined[a] === 1) continue
      for (let b = a + 1; b < size; b++) {
        if (isJoined[b] === 1) continue
        const bits = sums.bits(a, b)
        if (bits <= best) continue
        best = bits
        into = a
        from = b
      }
    }
    if (into < 0 || best < atLeast) break
    isJoined[from] = 1
    sums.join(into, from, isJoined)
    for (let a = 0; a < size; a++) if (group[a] === from) group[a] = into
  }
  const least = new Int32Array(size).fill(0x7fffffff)
  for (let a = 0; a < size; a++) least[group[a]!] = Math.min(least[group[a]!]!, members[a]!)
  for (let a = 0; a < size; a++) smallest[members[a]!] = least[group[a]!]!
}

function edgesWithin(edges: Edges, members: ReadonlySet<number>, atLeast: number): Edges {
  const kept = new GrowingIntegers()
  for (let k = 0; k < edges.count; k++) {
    if (edges.bits[k]! >= atLeast && members.has(edges.left[k]!)) kept.push(k)
  }
  return chosenEdges(edges, kept.view())
}
