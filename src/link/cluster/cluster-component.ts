import { componentsOf } from './components.ts'
import { chosenEdges, type Edges } from './edges.ts'
import type { GroupSums } from './group-evidence.ts'

export interface ClusterOptions {
  /**
   * Edges of at least this match weight connect records to components. Whether two groups of a component become one
   * person depends on all their records.
   */
  readonly edgesFrom: number
  /** Least match weight at which two groups become one; 0 means even odds. */
  readonly atLeast: number
  /** A component with more records is first cut: weak edges are removed until its parts are small enough. */
  readonly mostRecords: number
}

/** The inputs of clustering that all components share. */
export interface ClusterRules {
  /** The evidence between groups by a model. Each component resets it. */
  readonly sums: GroupSums
  /**
   * A number per record that depends on the record id only. It breaks ties, so the result does not depend on record
   * numbers.
   */
  readonly ranks: Float64Array
  readonly options: ClusterOptions
}

/** The least match weight of edges rises by this much each time that a component is still too large. */
export const CUT_STEP = 4

/**
 * Clusters one connected component. Returns, for each record of `members`, the smallest record number of its cluster.
 * The algorithm is agglomerative. It repeatedly joins the two groups with the highest match weight until no two
 * groups reach `atLeast`. The weight uses all records of both groups, also pairs that were never candidates. So
 * several strong pairs outweigh one weak pair. Records with a conflict never get into one group.
 * `edges` are the edges between the members, by left and then right record. They are read only to cut a component
 * above the limit.
 */
export function clusterComponent(members: Int32Array, edges: Edges, rules: ClusterRules): Int32Array {
  return clusterFrom(members, edges, rules, rules.options.edgesFrom)
}

function clusterFrom(members: Int32Array, edges: Edges, rules: ClusterRules, from: number): Int32Array {
  if (members.length <= rules.options.mostRecords) return joinGroups(members, rules)
  const placeOf = new Map(Array.from(members, (member, place) => [member, place]))
  const strong: number[] = []
  for (let k = 0; k < edges.count; k++) {
    if (edges.bits[k]! >= from + CUT_STEP && placeOf.has(edges.left[k]!) && placeOf.has(edges.right[k]!))
      strong.push(k)
  }
  const kept = chosenEdges(edges, Int32Array.from(strong))
  const places = {
    ...kept,
    left: kept.left.map((record) => placeOf.get(record)!),
    right: kept.right.map((record) => placeOf.get(record)!),
  }
  const parts = componentsOf(members.length, places, from + CUT_STEP)
  const smallest = members.slice()
  for (let c = 0; c < parts.count; c++) {
    const own = parts.members.slice(parts.starts[c], parts.starts[c + 1])
    const found = clusterFrom(
      own.map((place) => members[place]!),
      kept,
      rules,
      from + CUT_STEP,
    )
    own.forEach((place, k) => (smallest[place] = found[k]!))
  }
  return smallest
}

function joinGroups(members: Int32Array, { sums, ranks, options }: ClusterRules): Int32Array {
  const size = members.length
  // Sort by rank: the first of several equally good pairs of groups is then the same in every run.
  const order = Int32Array.from(members.keys()).sort(
    (a, b) => ranks[members[a]!]! - ranks[members[b]!]! || members[a]! - members[b]!,
  )
  sums.start(order.map((place) => members[place]!))
  const isJoined = new Uint8Array(size)
  const group = Int32Array.from(members.keys())
  for (;;) {
    let best = Number.NEGATIVE_INFINITY
    let into = -1
    let from = -1
    for (let a = 0; a < size; a++) {
      if (isJoined[a] === 1) continue
      for (let b = a + 1; b < size; b++) {
        if (isJoined[b] === 1) continue
        const weight = sums.bits(a, b)
        if (weight <= best) continue
        best = weight
        into = a
        from = b
      }
    }
    if (into < 0 || best < options.atLeast) break
    isJoined[from] = 1
    sums.join(into, from, isJoined)
    for (let a = 0; a < size; a++) if (group[a] === from) group[a] = into
  }
  const least = new Int32Array(size).fill(0x7fffffff)
  order.forEach((place, a) => (least[group[a]!] = Math.min(least[group[a]!]!, members[place]!)))
  const smallest = new Int32Array(size)
  order.forEach((place, a) => (smallest[place] = least[group[a]!]!))
  return smallest
}
