import { describe, expect, test } from 'vitest'
import {
  type Edges,
  type Traits,
  birthsConflict,
  clusterMentions,
  generationOf,
} from '../../src/link/clusters.ts'

/** Numbers from a seed, the same on every machine (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function noTraits(size: number): Traits {
  return {
    birth: new Int32Array(size + 1),
    generation: new Uint8Array(size + 1),
    middle: new Int32Array(size + 1),
    gender: new Uint8Array(size + 1),
  }
}

function edgesOf(list: [left: number, right: number, weight: number][]): Edges {
  const sorted = list.toSorted((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1])
  return {
    left: Int32Array.from(sorted, ([left]) => left),
    right: Int32Array.from(sorted, ([, right]) => right),
    weight: Uint8Array.from(sorted, ([, , weight]) => weight),
  }
}

function randomEdges(random: () => number, size: number, count: number): [number, number, number][] {
  return Array.from({ length: count }, () => [
    1 + Math.floor(random() * size),
    1 + Math.floor(random() * size),
    40 + Math.floor(random() * 61),
  ])
}

/** The oracle: groups as sets, merged one edge at a time, every rule checked member against member. */
function naiveGroups(traits: Traits, edges: Edges): Set<number>[] {
  const groups = Array.from({ length: traits.birth.length }, (_, mention) => new Set([mention]))
  for (let edge = 0; edge < edges.left.length; edge++) {
    const left = groups[edges.left[edge]!]!
    const right = groups[edges.right[edge]!]!
    const weight = edges.weight[edge]!
    if (left === right || (weight < 93 && conflict(traits, left, right, weight))) continue
    for (const member of right) {
      left.add(member)
      groups[member] = left
    }
  }
  return groups
}

function knownOf(column: ArrayLike<number>, group: Set<number>): Set<number> {
  return new Set([...group].map((member) => column[member]!).filter((value) => value > 0))
}

function conflict(traits: Traits, left: Set<number>, right: Set<number>, weight: number): boolean {
  // One letter each may differ from another, but one letter in common is enough.
  const differ = (column: ArrayLike<number>): boolean => {
    const [a, b] = [knownOf(column, left), knownOf(column, right)]
    return a.size > 0 && b.size > 0 && ![...a].some((value) => b.has(value))
  }
  if (differ(traits.birth) || differ(traits.generation)) return true
  if (weight >= 72) return false
  return differ(traits.middle) || differ(traits.gender) || left.size + right.size > 400
}

function smallestOf(groups: Set<number>[]): number[] {
  return groups.map((group) => Math.min(...group))
}

describe('without conflicting traits clusters are the connected components', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('on random graph %i', (seed) => {
    const random = randomNumbers(seed)
    const size = 300
    const traits = noTraits(size)
    const edges = edgesOf(randomEdges(random, size, Math.floor(random() * 500)))
    const { clusterOf, refused } = clusterMentions(traits, edges)
    expect([...clusterOf]).toEqual(smallestOf(naiveGroups(traits, edges)))
    expect(refused).toBe(0)
  })
})

describe('with conflicting traits clusters are what the naive merging makes', () => {
  test.each([11, 12, 13, 14, 15, 16, 17, 18])('on random graph %i', (seed) => {
    const random = randomNumbers(seed)
    const size = 200
    const traits = noTraits(size)
    for (let mention = 1; mention <= size; mention++) {
      // Dates far from each other: no two are one slip of the pen apart. No certain edges, so a cluster has one date.
      if (random() < 0.4) traits.birth[mention] = [19400101, 19620714, 19851130][Math.floor(random() * 3)]!
      if (random() < 0.1) traits.generation[mention] = random() < 0.5 ? 1 : 2
      if (random() < 0.3) traits.middle[mention] = 1 << Math.floor(1 + random() * 5)
      if (random() < 0.5) traits.gender[mention] = random() < 0.5 ? 1 : 2
    }
    const list = randomEdges(random, size, 260).map(([left, right, weight]): [number, number, number] => [
      left,
      right,
      Math.min(weight, 71),
    ])
    const edges = edgesOf(list)
    const { clusterOf, refused } = clusterMentions(traits, edges)
    expect([...clusterOf]).toEqual(smallestOf(naiveGroups(traits, edges)))
    expect(refused).toBeGreaterThan(0)
  })
})

test('an identifier of the source joins what a wrong birth date would keep apart', () => {
  const traits = noTraits(2)
  traits.birth.set([19500101, 19800202], 1)
  expect(clusterMentions(traits, edgesOf([[1, 2, 100]])).clusterOf[2]).toBe(1)
  expect(clusterMentions(traits, edgesOf([[1, 2, 90]])).clusterOf[2]).toBe(2)
})

test('a father and a son who share all but the suffix stay two through a third record without one', () => {
  const traits = noTraits(3)
  traits.generation.set([generationOf('SR'), 0, generationOf('JR')], 1)
  const { clusterOf } = clusterMentions(traits, edgesOf([[1, 2, 80], [2, 3, 79]])) // prettier-ignore
  expect([...clusterOf]).toEqual([0, 1, 1, 3])
})

test.each([
  [19800304, 19800304, false],
  [19800304, 0, false],
  [19800304, 19800000, false],
  [19800304, 19800300, false],
  [19800304, 19810000, true],
  [19800304, 19800403, false],
  [19800304, 19800314, false],
  [19800304, 19080304, false],
  [19800304, 19790514, true],
  [19800304, 19820504, true],
])('birth dates %i and %i conflict: %s', (left, right, expected) => {
  expect(birthsConflict(left, right)).toBe(expected)
  expect(birthsConflict(right, left)).toBe(expected)
})
