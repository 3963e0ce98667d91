import { expect, test } from 'vitest'
import { clusterComponents, type Clusters, largeComponents } from '../../../src/link/cluster/clusters.ts'
import { componentsOf } from '../../../src/link/cluster/components.ts'
import { GroupSums } from '../../../src/link/cluster/group-evidence.ts'
import { type Bits, bitsOf, edgesOf, evidenceIn, type Graph, OPTIONS, totalOf } from './graph.ts'

test.each(Array.from({ length: 25 }, (_, seed) => seed + 1))(
  'clusters of random graph %i are what a second, naive clustering finds',
  (seed) => {
    const graph = randomGraph(seed)
    expect(groupsOf(clustered(graph).smallest)).toEqual(naive(graph))
  },
)

test('a weak bridge between two groups that know each other well is cut', () => {
  const bits = new Map<string, Bits>()
  for (const group of [
    [0, 1, 2],
    [3, 4, 5],
  ])
    for (const i of group) for (const j of group) if (i < j) bits.set(`${i} ${j}`, [10, undefined])
  for (const i of [0, 1, 2]) for (const j of [3, 4, 5]) bits.set(`${i} ${j}`, [-11, undefined])
  bits.set('2 3', [2, undefined])
  const graph = { count: 6, bits }
  expect(groupsOf(clustered(graph).smallest)).toEqual(['0 1 2', '3 4 5'])
})

test('a second address is no contradiction where another record has the one that fits', () => {
  // 0 and 1 are one person at two addresses, 2 shares that of 1 only.
  const bits = new Map<string, Bits>([['0 1', [9, undefined]], ['1 2', [4, 3]], ['0 2', [4, -9]]]) // prettier-ignore
  expect(groupsOf(clustered({ count: 3, bits }).smallest)).toEqual(['0 1 2'])
})

test('a pair that is no edge by itself is joined where the rest of their group has more to say', () => {
  const bits = new Map<string, Bits>([['0 1', [9, undefined]], ['1 2', [-4, 3]], ['0 2', [2, -3]]]) // prettier-ignore
  expect(groupsOf(clustered({ count: 3, bits }).smallest)).toEqual(['0 1 2'])
  expect(groupsOf(clustered({ count: 2, bits: new Map([['0 1', [2, -3]]]) }).smallest)).toEqual([])
})

test('two groups that no edge ties are two people, whatever their records have in common between them', () => {
  // 4 ties them into one component and can be neither. 0 and 2 share an address under other names, the other pairs a first name at most.
  const pairs: [string, Bits | 'never'][] = [['0 1', [9, undefined]], ['2 3', [9, undefined]], ['0 2', [-9, 6]], ['1 3', [3, -6]], ['0 3', [4, -7]], ['1 2', [3, -6]], ['1 4', [1, undefined]], ['2 4', [1, undefined]], ['0 4', 'never'], ['3 4', 'never']] // prettier-ignore
  expect(groupsOf(clustered({ count: 5, bits: new Map(pairs) }).smallest)).toEqual(['0 1', '2 3'])
  const tied = new Map([...pairs, ['0 2', [-7, 6]] as const])
  expect(groupsOf(clustered({ count: 5, bits: tied }).smallest)).toEqual(['0 1 2 3'])
})

test('a second birth date is one: what fits and what does not are weighed against each other', () => {
  const bits = new Map<string, Bits>([['0 1', [undefined, 9]], ['1 2', [3, 4]], ['0 2', [-9, 4]]]) // prettier-ignore
  // Alone 1 and 2 would be one; 0 and 1 are more surely one, and together they are not 2.
  expect(groupsOf(clustered({ count: 3, bits }).smallest)).toEqual(['0 1 2'])
  const worse = new Map<string, Bits>([...bits, ['0 2', [-13, 4]]])
  expect(groupsOf(clustered({ count: 3, bits: worse }).smallest)).toEqual(['0 1'])
})

test('what one record does not know is no vote against another that does', () => {
  // 0 and 3 have other birth dates; that 1 and 2 have none must not outvote it.
  const bits = new Map<string, Bits>()
  for (const pair of ['0 1', '0 2', '1 2', '1 3', '2 3'])
    bits.set(pair, [undefined, pair.endsWith('3') ? 5 : 8])
  bits.set('0 3', [-17, 5])
  expect(groupsOf(clustered({ count: 4, bits }).smallest)).toEqual(['0 1 2'])
})

test('between sources without duplicates the best mutual link wins', () => {
  // 0 and 1 are of one source, 2 and 3 of the other; 0 could be either of them, 1 only the second.
  const bits = new Map<string, Bits | 'never'>([['0 1', 'never'], ['2 3', 'never'], ['0 2', [9, undefined]], ['0 3', [7, undefined]], ['1 3', [8, undefined]], ['1 2', [-9, undefined]]]) // prettier-ignore
  const graph = { count: 4, bits }
  expect(groupsOf(clustered(graph).smallest)).toEqual(['0 2', '1 3'])
})

test('nobody has more records than people have, where what is shared leaves it open', () => {
  // Two groups of two, of one name: where people have up to four records they are one person, where nobody has above three they are not.
  const bits = new Map<string, Bits>([['0 1', [9, undefined]], ['2 3', [9, undefined]]]) // prettier-ignore
  for (const pair of ['0 2', '0 3', '1 2', '1 3']) bits.set(pair, [1, undefined])
  const people = [300, 300, 300, 300]
  expect(groupsOf(clustered({ count: 4, bits, people }).smallest)).toEqual(['0 1 2 3'])
  const fewer = { count: 4, bits, people: people.slice(0, 3) }
  expect(groupsOf(clustered(fewer).smallest)).toEqual(['0 1', '2 3'])
})

test('a component above the limit is cut at its weak edges and named', () => {
  const bits = new Map<string, Bits>()
  for (let i = 0; i < 40; i++) {
    for (let j = i + 1; j < 40 && j - (i % 4) <= i - (i % 4) + 3 && j % 4 > i % 4; j++)
      bits.set(`${i} ${j}`, [9, undefined])
    if (i % 4 === 3) bits.set(`${i} ${i + 1}`, [1, undefined])
  }
  const graph = { count: 40, bits }
  const found = clustered(graph, { edgesFrom: -2, atLeast: 0, mostRecords: 10 })
  expect(found.cut).toEqual([{ record: 0, size: 40 }])
  expect(groupsOf(found.smallest)).toContain('0 1 2 3')
})

function clustered(graph: Graph, options = OPTIONS): Clusters {
  const edges = edgesOf(graph)
  const components = componentsOf(graph.count, edges, options.edgesFrom)
  const { cut, edges: within } = largeComponents(components, edges, options.mostRecords)
  const smallest = Int32Array.from({ length: graph.count }, (_, i) => i)
  const rules = { sums: new GroupSums(evidenceIn(graph)), ranks: Float64Array.from(smallest), options }
  const ranges = [[0, components.count] as const]
  clusterComponents({ components, edges: within, smallest }, rules, () => ranges.pop())
  return { smallest, cut }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function naive(graph: Graph): string[] {
  const weight = (a: number[], b: number[]): number => {
    const pairs = a.flatMap((i) => b.map((j) => bitsOf(graph, i, j)))
    if (pairs.includes('never')) return Number.NEGATIVE_INFINITY
    if (!pairs.some((bits) => totalOf(bits) >= OPTIONS.edgesFrom)) return Number.NEGATIVE_INFINITY
    const known = (c: 0 | 1): number[] =>
      pairs.flatMap((bits) => (bits === 'never' ? [] : [bits[c]])).filter((value) => value !== undefined)
    const [ones, others] = [known(0), known(1)]
    return (
      (ones.length === 0 ? 0 : mean(ones)) +
      (others.length === 0 ? 0 : Math.log2(mean(others.map((bits) => 2 ** bits)))) +
      naivePeopleBits(graph.people ?? [], a.length, b.length)
    )
  }
  const reach = (i: number): Set<number> => {
    const seen = new Set([i])
    for (const at of seen) {
      for (let j = 0; j < graph.count; j++)
        if (j !== at && totalOf(bitsOf(graph, at, j)) >= OPTIONS.edgesFrom) seen.add(j)
    }
    return seen
  }
  let groups = Array.from({ length: graph.count }, (_, i) => [i])
  for (;;) {
    let best: { bits: number; a: number[]; b: number[] } | undefined
    for (const a of groups) {
      for (const b of groups) {
        if (a[0]! >= b[0]! || !reach(a[0]!).has(b[0]!)) continue
        const bits = weight(a, b)
        if (bits >= 0 && (best === undefined || bits > best.bits + 1e-9)) best = { bits, a, b }
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

// Chance that groups of a and b records are one person against that of two records at random; 20 people beside those counted.
function naivePeopleBits(counts: readonly number[], a: number, b: number): number {
  const people = counts.reduce((sum, count) => sum + count, 0)
  const records = counts.reduce((sum, count, k) => sum + count * (k + 1), 0)
  if (people === records) return 0
  const share = (k: number): number =>
    ((counts[k - 1] ?? 0) + 20 * (people / records) * (1 - people / records) ** (k - 1)) / (people + 20)
  const sizes = Array.from({ length: 200 }, (_, k) => k + 1)
  const expected = (of: (k: number) => number): number => sizes.reduce((sum, k) => sum + share(k) * of(k), 0)
  const atRandom = expected((k) => k * (k - 1)) / expected((k) => k) ** 2
  return Math.max(-6, Math.min(6, Math.log2((2 * share(a + b)) / (share(a) * share(b) * atRandom))))
}

// Weights are odd multiples of a small prime's fraction, so that no two are equal by accident.
function randomGraph(seed: number): Graph {
  let state = seed * 48_271
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) / 8_388_608
  }
  const some = (): number | undefined => (next() < 0.3 ? undefined : next() < 0.5 ? next() * 9 : -next() * 12)
  const count = 4 + Math.floor(next() * 9)
  const bits = new Map<string, Bits | 'never'>()
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) bits.set(`${i} ${j}`, next() < 0.08 ? 'never' : [some(), some()])
  }
  const people = seed % 3 === 0 ? [] : Array.from({ length: 5 }, () => Math.floor(next() * 400))
  return { count, bits, people }
}

function groupsOf(smallest: Int32Array): string[] {
  const groups = new Map<number, number[]>()
  smallest.forEach((group, i) => groups.set(group, [...(groups.get(group) ?? []), i]))
  return [...groups.values()]
    .map((group) => group.join(' '))
    .filter((group) => group.includes(' '))
    .sort()
}
