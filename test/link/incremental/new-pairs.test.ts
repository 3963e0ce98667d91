import { expect, test } from 'vitest'
import type { Blocks, OversizedKeys } from '../../../src/link/block/blocking.ts'
import { PairFinder } from '../../../src/link/block/candidates.ts'
import { newPairs, shareBlock } from '../../../src/link/incremental/new-pairs.ts'
import { recordsOf } from '../records/plain-records.ts'

const NONE: OversizedKeys = { nodes: new Int32Array(0), keys: new Int32Array(0) }

/** Blocks with these members. Block b has rule 10 + b and key 100 + b. */
function blocksOf(count: number, members: readonly (readonly number[])[]): Blocks {
  const own = Array.from({ length: count }, (_, record) => members.flatMap((block, b) => (block.includes(record) ? [b] : []))) // prettier-ignore
  return {
    count: members.length,
    starts: startsOf(members),
    members: Int32Array.from(members.flat()),
    nodes: Int32Array.from(members, (_, b) => 10 + b),
    keys: Int32Array.from(members, (_, b) => 100 + b),
    blockStarts: startsOf(own),
    blocksOf: Int32Array.from(own.flat()),
  }
}

/** Where each of the lists starts when all are joined. */
function startsOf(lists: readonly (readonly number[])[]): Int32Array {
  return Int32Array.from([0, ...lists.keys()], (_, k) => lists.slice(0, k).flat().length)
}

function oversizedKey(node: number, key: number): OversizedKeys {
  return { nodes: Int32Array.of(node), keys: Int32Array.of(key) }
}

/** The pairs that are compared, as `lower higher`. */
function pairs(blocks: Blocks, count: number, first: number, oversized = NONE): string[] {
  const records = recordsOf(Array.from({ length: count }, () => ({})))
  const found = newPairs(blocks, first, oversized)
  const finder = new PairFinder(records, blocks, found)
  return [...found.records.keys()]
    .flatMap((unit) =>
      [...finder.candidates.subarray(0, finder.find(unit))].map(
        (other) => `${other} ${finder.recordOf(unit)}`,
      ),
    ) // prettier-ignore
    .sort()
}

test('the pairs of added records are new, each once, and those of old records are not', () => {
  const blocks = blocksOf(6, [[0, 1, 4], [1, 4, 5], [2, 3]]) // prettier-ignore
  expect(pairs(blocks, 6, 4)).toEqual(['0 4', '1 4', '1 5', '4 5'])
  expect(pairs(blocks, 6, 6)).toEqual([])
  expect(pairs(blocks, 6, 0)).toEqual(['0 1', '0 4', '1 4', '1 5', '2 3', '4 5'])
})

test('the pairs of a block that was above the limit in the last run are new, with and without added records', () => {
  const blocks = blocksOf(5, [[0, 1, 2], [2, 3], [0, 4]]) // prettier-ignore
  const reopened = oversizedKey(10, 100)
  expect(pairs(blocks, 5, 5, reopened)).toEqual(['0 1', '0 2', '1 2'])
  expect(pairs(blocks, 5, 4, reopened)).toEqual(['0 1', '0 2', '0 4', '1 2'])
})

test('an added record in such a block has the pairs of all its blocks, each once', () => {
  const blocks = blocksOf(4, [[0, 1, 3], [2, 3]]) // prettier-ignore
  const reopened = oversizedKey(10, 100)
  expect(pairs(blocks, 4, 3, reopened)).toEqual(['0 1', '0 3', '1 3', '2 3'])
})

test('a key above the limit counts under its own rule alone', () => {
  const blocks = blocksOf(4, [[0, 1], [2, 3]]) // prettier-ignore
  expect(pairs(blocks, 4, 4, oversizedKey(11, 100))).toEqual([])
  expect(pairs(blocks, 4, 4, oversizedKey(10, 101))).toEqual([])
  expect(pairs(blocks, 4, 4, oversizedKey(11, 101))).toEqual(['2 3'])
})

test('two records share a block when one block has both', () => {
  const blocks = blocksOf(5, [[0, 1], [1, 2], [0, 3], [2, 3]]) // prettier-ignore
  const sharing = [0, 1, 2, 3, 4].map((i) =>
    [0, 1, 2, 3, 4].filter((j) => j !== i && shareBlock(blocks, i, j)),
  )
  expect(sharing).toEqual([[1, 3], [0, 2], [1, 3], [0, 2], []]) // prettier-ignore
})
