import { expect, test } from 'vitest'
import { clusterMentions, type Clusters, decideComponents } from '../../src/linkage/clusters.ts'
import type { Components } from '../../src/linkage/components.ts'
import { NEVER } from '../../src/linkage/pair-bits.ts'
import type { Edges } from '../../src/linkage/score.ts'

interface Graph {
  readonly count: number
  readonly bits: ReadonlyMap<string, number>
}

const OPTIONS = { atLeast: 0, mostMentions: 100 }

test.each(Array.from({ length: 25 }, (_, seed) => seed + 1))(
  'clusters of random graph %i are what a second, naive clustering finds',
  async (seed) => {
    const graph = randomGraph(seed)
    expect(groupsOf((await clustered(graph)).smallest)).toEqual(naive(graph))
  },
)

test.each([3, 17, 40])(
  'clusters of random graph %i do not depend on the order of its edges',
  async (seed) => {
    const graph = randomGraph(seed)
    const edges = edgesOf(graph)
    const backwards: Edges = {
      count: edges.count,
      left: edges.left.toReversed(),
      right: edges.right.toReversed(),
      bits: edges.bits.toReversed(),
    }
    const found = await clustered(graph, edges)
    expect((await clustered(graph, backwards)).smallest).toEqual(found.smallest)
  },
)

test('a weak bridge between two groups that know each other well is cut', async () => {
  const bits = new Map<string, number>()
  for (const group of [
    [0, 1, 2],
    [3, 4, 5],
  ])
    for (const i of group) for (const j of group) if (i < j) bits.set(`${i} ${j}`, 10)
  for (const i of [0, 1, 2]) for (const j of [3, 4, 5]) bits.set(`${i} ${j}`, -11)
  bits.set('2 3', 2)
  const graph = { count: 6, bits }
  expect(groupsOf((await clustered(graph)).smallest)).toEqual(['0 1 2', '3 4 5'])
})

test('between sources without duplicates the best mutual link wins', async () => {
  // 0 and 1 are of one source, 2 and 3 of the other; 0 could be either of them, 1 only the second.
  const bits = new Map([['0 1', NEVER], ['2 3', NEVER], ['0 2', 9], ['0 3', 7], ['1 3', 8], ['1 2', -9]]) // prettier-ignore
  const graph = { count: 4, bits }
  expect(groupsOf((await clustered(graph)).smallest)).toEqual(['0 2', '1 3'])
})

test('a component above the limit is cut at its weak edges and named', async () => {
  const bits = new Map<string, number>()
  for (let i = 0; i < 40; i++) {
    for (let j = i + 1; j < 40 && j - (i % 4) <= i - (i % 4) + 3 && j % 4 > i % 4; j++)
      bits.set(`${i} ${j}`, 9)
    if (i % 4 === 3) bits.set(`${i} ${i + 1}`, 1)
  }
  const graph = { count: 40, bits }
  const found = await clustered(graph, edgesOf(graph), { atLeast: 0, mostMentions: 10 })
  expect(found.cut).toEqual([{ mention: 0, size: 40 }])
  expect(groupsOf(found.smallest)).toContain('0 1 2 3')
})

async function clustered(graph: Graph, edges = edgesOf(graph), options = OPTIONS): Promise<Clusters> {
  const mentions = { ranks: Float64Array.from({ length: graph.count }, (_, i) => i) }
  const decide = (components: Components, smallest: Int32Array): void => {
    const ranges = [[0, components.count] as const]
    decideComponents({ mentions, components, smallest, options }, bitsIn(graph), () => ranges.pop())
  }
  return clusterMentions(graph.count, edges, decide, options)
}

function naive({ count, bits }: Graph): string[] {
  const voting = (i: number, j: number): number => {
    const weight = bits.get(i < j ? `${i} ${j}` : `${j} ${i}`) ?? -20
    if (weight === NEVER) return NEVER
    return weight >= 0 ? Math.min(12, weight) : Math.max(-12, Math.min(0, weight + 6))
  }
  let groups = Array.from({ length: count }, (_, i) => [i])
  const reach = (i: number): Set<number> => {
    const seen = new Set([i])
    for (const at of seen) {
      for (let j = 0; j < count; j++)
        if (j !== at && (bits.get(at < j ? `${at} ${j}` : `${j} ${at}`) ?? -1) >= 0) seen.add(j)
    }
    return seen
  }
  for (;;) {
    let best: { mean: number; a: number[]; b: number[] } | undefined
    for (const a of groups) {
      for (const b of groups) {
        if (a[0]! >= b[0]! || !reach(a[0]!).has(b[0]!)) continue
        const pairs = a.flatMap((i) => b.map((j) => voting(i, j)))
        const mean = pairs.reduce((sum, weight) => sum + weight, 0) / pairs.length
        if (mean >= 0 && (best === undefined || mean > best.mean + 1e-9)) best = { mean, a, b }
      }
    }
    if (best === undefined)
      return groups
        .map((group) => group.join(' '))
        .filter((group) => group.includes(' '))
        .sort()
    const joined = [...best.a, ...best.b].sort((x, y) => x - y)
    groups = [...groups.filter((group) => group !== best.a && group !== best.b), joined].sort(
      (x, y) => x[0]! - y[0]!,
    )
  }
}

// Weights are odd multiples of a small prime's fraction, so that no two means are equal by accident.
function randomGraph(seed: number): Graph {
  let state = seed * 48_271
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) / 8_388_608
  }
  const count = 4 + Math.floor(next() * 9)
  const bits = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      const kind = next()
      if (kind < 0.08) bits.set(`${i} ${j}`, NEVER)
      else bits.set(`${i} ${j}`, kind < 0.4 ? next() * 14 : -next() * 20)
    }
  }
  return { count, bits }
}

function edgesOf({ bits }: Graph): Edges {
  const kept = [...bits].filter(([, weight]) => weight >= 0)
  const ends = kept.map(([pair]) => pair.split(' ').map(Number))
  return {
    count: kept.length,
    left: Int32Array.from(ends, ([left]) => left!),
    right: Int32Array.from(ends, ([, right]) => right!),
    bits: Float64Array.from(kept, ([, weight]) => weight),
  }
}

function bitsIn({ bits }: Graph): (i: number, j: number) => number {
  return (i, j) => bits.get(i < j ? `${i} ${j}` : `${j} ${i}`) ?? -20
}

function groupsOf(smallest: Int32Array): string[] {
  const groups = new Map<number, number[]>()
  smallest.forEach((group, i) => groups.set(group, [...(groups.get(group) ?? []), i]))
  return [...groups.values()]
    .map((group) => group.join(' '))
    .filter((group) => group.includes(' '))
    .sort()
}
