import { expect, test } from 'vitest'
import { clusterComponent } from '../../../src/link/cluster/cluster-component.ts'
import { GroupSums } from '../../../src/link/cluster/group-evidence.ts'
import { type Bits, edgesOf, evidenceIn, type Graph, OPTIONS } from './graph.ts'

const CHAIN: Graph = {
  count: 13,
  bits: new Map<string, Bits | 'never'>([
    ['3 7', [5, undefined]],
    ['7 12', [5, undefined]],
    ['3 12', 'never'],
  ]),
}

test('for each member, in the order of the members, the smallest record of its cluster is returned', () => {
  const bits = new Map<string, Bits>([['3 7', [9, undefined]], ['5 12', [9, undefined]], ['5 7', [1, undefined]]]) // prettier-ignore
  const graph = { count: 13, bits }
  expect(clustered(graph, [3, 5, 7, 12])).toEqual([3, 5, 3, 5])
  expect(clustered(graph, [12, 7, 5, 3])).toEqual([5, 3, 5, 3])
})

test('one member is a cluster of its own, and no members give no clusters', () => {
  expect(clustered(CHAIN, [7])).toEqual([7])
  expect(clustered(CHAIN, [])).toEqual([])
})

test('between two equally sure pairs the ranks decide, not the order of the members', () => {
  const ranks = Float64Array.from({ length: 13 }, (_, record) => record)
  expect(clustered(CHAIN, [3, 7, 12], { ranks })).toEqual([3, 3, 12])
  expect(clustered(CHAIN, [12, 7, 3], { ranks })).toEqual([12, 3, 3])
  const reversed = ranks.map((rank) => -rank)
  expect(clustered(CHAIN, [3, 7, 12], { ranks: reversed })).toEqual([3, 7, 7])
  expect(clustered(CHAIN, [12, 3, 7], { ranks: reversed })).toEqual([7, 3, 7])
})

test('records that conflict are in two clusters, however strong the pairs between them are', () => {
  const bits = new Map<string, Bits | 'never'>([...CHAIN.bits, ['3 7', [40, undefined]], ['7 12', [30, undefined]]]) // prettier-ignore
  expect(clustered({ count: 13, bits }, [3, 7, 12])).toEqual([3, 3, 12])
  bits.set('3 12', [-9, undefined])
  expect(clustered({ count: 13, bits }, [3, 7, 12])).toEqual([3, 3, 3])
})

test('groups become one at `atLeast` and not below it', () => {
  const graph = { count: 2, bits: new Map<string, Bits>([['0 1', [3, undefined]]]) }
  expect(clustered(graph, [0, 1], { options: { ...OPTIONS, atLeast: 3 } })).toEqual([0, 0])
  expect(clustered(graph, [0, 1], { options: { ...OPTIONS, atLeast: 3.5 } })).toEqual([0, 1])
})

test('a component above the limit is cut at edges that get stronger by four, one of the limit is not', () => {
  // Two pairs and the edges between them, all of which the evidence would join.
  const bits = new Map<string, Bits>([['0 1', [9, undefined]], ['2 3', [9, undefined]]]) // prettier-ignore
  for (const pair of ['0 2', '0 3', '1 2', '1 3']) bits.set(pair, [5, undefined])
  const graph = { count: 4, bits }
  const atMost = (mostRecords: number): number[] =>
    clustered(graph, [0, 1, 2, 3], { options: { ...OPTIONS, mostRecords } })
  expect(atMost(4)).toEqual([0, 0, 0, 0])
  // The cut at 2 keeps the edges of 5, the cut at 6 does not.
  expect(atMost(3)).toEqual([0, 0, 2, 2])
  expect(atMost(1)).toEqual([0, 1, 2, 3])
})

test('a component above the limit whose records conflict nowhere else keeps its conflicts when it is cut', () => {
  const bits = new Map<string, Bits | 'never'>([...CHAIN.bits, ['7 9', [1, undefined]]])
  const options = { ...OPTIONS, mostRecords: 3 }
  expect(clustered({ count: 13, bits }, [3, 7, 9, 12], { options })).toEqual([3, 3, 9, 12])
})

function clustered(
  graph: Graph,
  members: readonly number[],
  {
    options = OPTIONS,
    ranks = Float64Array.from({ length: graph.count }, (_, record) => record),
  }: { options?: typeof OPTIONS; ranks?: Float64Array } = {},
): number[] {
  const sums = new GroupSums(evidenceIn(graph))
  return [...clusterComponent(Int32Array.from(members), edgesOf(graph), { sums, ranks, options })]
}
