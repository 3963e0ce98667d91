import { expect, test } from 'vitest'
import { type Components } from '../../../src/link/cluster/components.ts'
import { countPeople, sampleOf } from '../../../src/link/cluster/people-counts.ts'
import { groupSizeWeight, groupSizeWeights } from '../../../src/link/model/group-size.ts'

test('where one record more says nothing of the next, groups gain what a person has records on average, whatever their sizes', () => {
  const bits = groupSizeWeights(Array.from({ length: 60 }, (_, k) => Math.round(100_000_000 * 0.75 ** k)))
  for (const [a, b] of [[1, 1], [1, 4], [3, 3]] as const) expect(groupSizeWeight(bits, a, b)).toBeCloseTo(2, 3) // prettier-ignore
})

test('where hardly anybody has two records, two groups are as likely one person as two records are', () => {
  expect(groupSizeWeight(groupSizeWeights([10_000_000, 10_000]), 1, 1)).toBeCloseTo(0, 1)
})

test('records that have nobody yet are the surer one person, the more people have two', () => {
  const few = groupSizeWeight(groupSizeWeights([4000, 600]), 1, 1)
  const many = groupSizeWeight(groupSizeWeights([4000, 6000]), 1, 1)
  expect(many).toBeGreaterThan(few + 1)
})

test('a group that would have more records than anybody loses as many bits as it can, and no more', () => {
  expect(groupSizeWeight(groupSizeWeights([1e6, 1e6, 1e6]), 3, 3)).toBe(-6)
  expect(groupSizeWeight(groupSizeWeights([1, 1e6, 1e6]), 1, 1)).toBe(6)
})

test('groups of more records than a chance can be written for are still weighed, and like smaller ones', () => {
  const bits = groupSizeWeights([10_000_000, 100])
  expect(groupSizeWeight(bits, 50, 40)).toBeCloseTo(groupSizeWeight(bits, 5, 4), 9)
  expect(groupSizeWeight(bits, 90, 90)).toBeCloseTo(groupSizeWeight(bits, 5, 4), 9)
  const never = groupSizeWeights([10_000_000, 1_000_000])
  for (let k = 3; k < 200; k++) expect(never[k + 1]! - never[k]!).toBeCloseTo(never[4]! - never[3]!, 6)
})

test('people are counted by their records, those of components above the limit left out', () => {
  // Components 0 1 2 3 and 5 6 7; 4 and 8 have nobody.
  const components: Components = {
    count: 2,
    starts: Int32Array.of(0, 4, 7),
    members: Int32Array.of(0, 1, 2, 3, 5, 6, 7),
  }
  const records = { count: 9, ranks: Float64Array.from({ length: 9 }, (_, i) => i) }
  const sample = sampleOf(records, components)
  const smallest = Int32Array.of(0, 0, 0, 3, 4, 5, 5, 7, 8)
  expect(countPeople(sample, smallest, 100)).toEqual([4, 1, 1])
  expect(countPeople(sample, smallest, 3)).toEqual([3, 1])
})
