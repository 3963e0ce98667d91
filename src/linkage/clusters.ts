import { type Components, componentsOf } from './components.ts'
import type { FrequencyWeights } from './frequencies.ts'
import type { NextRange } from './jobs.ts'
import type { Mentions } from './mentions.ts'
import { NEVER, type PairBits } from './pair-bits.ts'
import type { Edges } from './score.ts'
import { shared } from './texts.ts'
import type { LevelWeights } from './weights.ts'

export interface ClusterOptions {
  /** Least mean weight, in bits, at which two groups become one; 0 is even odds. */
  readonly atLeast: number
  /** Components above this many mentions are cut at ever stronger edges before they are clustered. */
  readonly mostMentions: number
}

export const CLUSTER_OPTIONS: ClusterOptions = { atLeast: 0, mostMentions: 100 }

// One overwhelming edge must not outvote the pairs that speak against it, nor one clash what speaks for.
const MOST_BITS = 12
const LEAST_BITS = -12
// Two records that others tie together are no longer two records at random: so much of the prior against them is paid.
// A pair that merely knows little of each other (another address, no birth date) then says nothing, one that contradicts still does.
const TIED_BITS = 6
const CUT_STEP = 4

export interface Clusters {
  /** Per mention, the smallest mention of its cluster. */
  readonly smallest: Int32Array
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
export type Decide = (components: Components, smallest: Int32Array) => void | Promise<void>

/**
 * Clusters of `count` mentions. Each connected component of the edges is decided by itself: every pair in it is weighed
 * (blocked or not), and the two groups with the highest mean weight are joined until no mean reaches the threshold or
 * every such pair has members that can never be one. So a weak bridge between two groups is outvoted, and between
 * duplicate-free sources the best mutual links win. Depends on the set of edges only, not on their order.
 */
export async function clusterMentions(
  count: number,
  edges: Edges,
  decide: Decide,
  options: ClusterOptions = CLUSTER_OPTIONS,
): Promise<Clusters> {
  const smallest = shared(Int32Array, count)
  for (let i = 0; i < count; i++) smallest[i] = i
  const cut: { mention: number; size: number }[] = []
  let from = edges
  for (let atLeast = options.atLeast; ; atLeast += CUT_STEP) {
    const components = componentsOf(count, from, atLeast)
    await decide(components, smallest)
    const tooLarge = new Set<number>()
    for (let c = 0; c < components.count; c++) {
      const members = components.members.subarray(components.starts[c], components.starts[c + 1])
      if (members.length <= options.mostMentions) continue
      if (atLeast === options.atLeast) cut.push({ mention: members[0]!, size: members.length })
      for (const member of members) tooLarge.add(member)
    }
    if (tooLarge.size === 0) return { smallest, cut }
    from = edgesWithin(from, tooLarge, atLeast + CUT_STEP)
  }
}

/** Decides ranges of components by the weights of pairs. Their members are taken by rank, so that ties end alike whatever their numbers. */
export function decideComponents(
  { mentions, components, smallest, options }: DecideInput,
  bitsOf: PairBits,
  next: NextRange,
): void {
  for (let range = next(); range !== undefined; range = next()) {
    for (let c = range[0]; c < range[1]; c++) {
      const members = components.members.slice(components.starts[c], components.starts[c + 1])
      if (members.length > options.mostMentions) continue
      members.sort((i, j) => mentions.ranks[i]! - mentions.ranks[j]! || i - j)
      joinGroups(members, bitsOf, options.atLeast, smallest)
    }
  }
}

function joinGroups(members: Int32Array, bitsOf: PairBits, atLeast: number, smallest: Int32Array): void {
  const size = members.length
  const sums = new Float64Array(size * size)
  for (let a = 0; a < size; a++) {
    for (let b = a + 1; b < size; b++) {
      const bits = bitsOf(members[a]!, members[b]!)
      const bounded = votingBits(bits)
      sums[a * size + b] = bounded
      sums[b * size + a] = bounded
    }
  }
  const sizes = new Int32Array(size).fill(1)
  const group = Int32Array.from({ length: size }, (_, a) => a)
  for (;;) {
    let best = NEVER
    let into = -1
    let from = -1
    for (let a = 0; a < size; a++) {
      if (sizes[a] === 0) continue
      for (let b = a + 1; b < size; b++) {
        if (sizes[b] === 0) continue
        const mean = sums[a * size + b]! / (sizes[a]! * sizes[b]!)
        if (mean <= best) continue
        best = mean
        into = a
        from = b
      }
    }
    if (into < 0 || best < atLeast) break
    for (let c = 0; c < size; c++) {
      sums[into * size + c]! += sums[from * size + c]!
      sums[c * size + into]! += sums[c * size + from]!
    }
    sizes[into]! += sizes[from]!
    sizes[from] = 0
    for (let a = 0; a < size; a++) if (group[a] === from) group[a] = into
  }
  const least = new Int32Array(size).fill(0x7fffffff)
  for (let a = 0; a < size; a++) least[group[a]!] = Math.min(least[group[a]!]!, members[a]!)
  for (let a = 0; a < size; a++) smallest[members[a]!] = least[group[a]!]!
}

function votingBits(bits: number): number {
  if (bits === NEVER) return NEVER
  if (bits >= 0) return Math.min(MOST_BITS, bits)
  return Math.max(LEAST_BITS, Math.min(0, bits + TIED_BITS))
}

function edgesWithin(edges: Edges, members: ReadonlySet<number>, atLeast: number): Edges {
  const kept: number[] = []
  for (let k = 0; k < edges.count; k++) {
    if (edges.bits[k]! >= atLeast && members.has(edges.left[k]!)) kept.push(k)
  }
  return {
    count: kept.length,
    left: Int32Array.from(kept, (k) => edges.left[k]!),
    right: Int32Array.from(kept, (k) => edges.right[k]!),
    bits: Float64Array.from(kept, (k) => edges.bits[k]!),
  }
}
