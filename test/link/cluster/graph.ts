import type { Edges } from '../../../src/link/cluster/edges.ts'
import type { Evidence } from '../../../src/link/cluster/group-evidence.ts'
import { groupSizeWeights } from '../../../src/link/model/group-size.ts'

/** Match weights of a pair by two comparisons. People have one value of the first and may have several of the second. Undefined: not known. */
export type Bits = readonly [number | undefined, number | undefined]

/** Records with the evidence of each pair, given by hand: keys of `bits` are two record numbers, the smaller first. Other pairs have −20. */
export interface Graph {
  readonly count: number
  readonly bits: ReadonlyMap<string, Bits | 'never'>
  /** How many people have 1, 2, 3 … records; absent: unknown. */
  readonly people?: readonly number[]
}

/** The options of a run, which tests may change. */
export const OPTIONS = { edgesFrom: -2, atLeast: 0, mostRecords: 100 }

/** Returns the evidence of a graph. It has no prior and no households: a pair weighs the sum of its two comparisons. */
export function evidenceIn(graph: Graph): Evidence {
  return {
    width: 2,
    isMultiValued: Uint8Array.of(0, 1),
    prior: 0,
    householdPrior: Number.NEGATIVE_INFINITY,
    people: groupSizeWeights(graph.people ?? []),
    edgesFrom: OPTIONS.edgesFrom,
    read: (i, j, { match, household, isKnown }) => {
      const bits = bitsOf(graph, i, j)
      if (bits === 'never') return 'cluster'
      bits.forEach((value, c) => {
        isKnown[c] = value === undefined ? 0 : 1
        // `Evidence` takes comparisons with several values as likelihoods.
        match[c] = c === 0 ? (value ?? 0) : 2 ** (value ?? 0)
        household[c] = c === 0 ? 0 : 1
      })
      return undefined
    },
  }
}

/** Returns the weights of a pair in either order. */
export function bitsOf({ bits }: Graph, i: number, j: number): Bits | 'never' {
  return bits.get(i < j ? `${i} ${j}` : `${j} ${i}`) ?? [-20, undefined]
}

/** Returns the match weight of a pair. */
export function totalOf(bits: Bits | 'never'): number {
  return bits === 'never' ? Number.NEGATIVE_INFINITY : (bits[0] ?? 0) + (bits[1] ?? 0)
}

/** Returns the pairs of at least `edgesFrom`, by left and then right record. */
export function edgesOf({ bits }: Graph): Edges {
  const kept = [...bits]
    .filter(([, pair]) => totalOf(pair) >= OPTIONS.edgesFrom)
    .sort(([a], [b]) => {
      const [left, right] = a.split(' ').map(Number)
      const [otherLeft, otherRight] = b.split(' ').map(Number)
      return left! - otherLeft! || right! - otherRight!
    })
  const ends = kept.map(([pair]) => pair.split(' ').map(Number))
  return {
    count: kept.length,
    left: Int32Array.from(ends, ([left]) => left!),
    right: Int32Array.from(ends, ([, right]) => right!),
    bits: Float64Array.from(kept, ([, pair]) => totalOf(pair)),
  }
}
