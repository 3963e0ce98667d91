import { expect, test } from 'vitest'
import { blockParts } from '../../../src/link/block/block-parts.ts'
import { blockLimit, joinedBlocks, type RuleBlocks, ruleBlocks } from '../../../src/link/block/blocking.ts'
import { PairFinder } from '../../../src/link/block/candidates.ts'
import { numberedRules, ruleName } from '../../../src/link/block/rules.ts'
import { DUPLICATE_FREE } from '../../../src/link/records/records.ts'
import { type PlainRecord, recordsOf } from '../records/plain-records.ts'

// By telephone: by its number, then by the first letter of the first name and by the sound of the last name.
const PHONE = numberedRules().findIndex(({ name }) => name === 'phone')

const phone = (first: string, last: string, number = '15125550101'): PlainRecord => ({
  first,
  last,
  phones: [number],
})

test('a block of the limit is whole, one above it is split by each child rule', () => {
  const family = [phone('ANN', 'NOWAK'), phone('AMY', 'GARCIA'), phone('BOB', 'NOWAK')]
  expect(blocksOf(family, 3)).toEqual({ phone: ['0 1 2'] })
  expect(blocksOf(family, 2)).toEqual({ 'phone+first_letter': ['0 1'], 'phone+last_sound': ['0 2'] })
  expect(found(family, 2).oversized.nodes).toHaveLength(1)
})

test('one large block does not split another', () => {
  const records = [
    phone('ANN', 'NOWAK'),
    phone('AMY', 'GARCIA'),
    phone('BOB', 'NOWAK'),
    phone('ANN', 'LOPEZ', '15125550102'),
    phone('BOB', 'SMITH', '15125550102'),
  ]
  expect(blocksOf(records, 2)).toEqual({
    phone: ['3 4'],
    'phone+first_letter': ['0 1'],
    'phone+last_sound': ['0 2'],
  })
})

test('a block above the limit without a child rule is dropped and named, and its other splits stay', () => {
  const records = ['NOWAK', 'GARCIA', 'LOPEZ', 'SMITH', 'NOWAK'].map((last) => phone('ANN', last))
  expect(blocksOf(records, 3)).toEqual({ 'phone+last_sound': ['0 4'] })
  const { dropped } = found(records, 3)
  expect(dropped).toMatchObject([{ size: 5, record: 0 }])
  expect(ruleName(dropped[0]!.node)).toBe('phone+first_letter')
})

test('a run above the limit is not compared whole, which needs no report', () => {
  const parts = blockParts(recordsOf([{}, {}, {}]))
  expect([...ruleBlocks({ parts, limit: 3 }, 0).members]).toEqual([0, 1, 2])
  const { members, dropped, oversized } = ruleBlocks({ parts, limit: 2 }, 0)
  expect([[...members], dropped, [...oversized.nodes]]).toEqual([[], [], [0]])
})

test('candidates are found once, and not within a source without duplicates unless they share an identifier', () => {
  const plain: PlainRecord[] = [
    { ...phone('ANN', 'NOWAK'), source: 1 },
    { ...phone('ANN', 'NOWAK'), source: 1, identifiers: { voter: '100234' } },
    { ...phone('ANN', 'NOWAK'), source: 1, identifiers: { voter: '100234' } },
    { ...phone('ANN', 'NOWAK'), emails: ['ann.nowak@example.com'] },
  ]
  const records = recordsOf(plain, [0, DUPLICATE_FREE])
  const parts = blockParts(records)
  const rules = numberedRules().map((_, rule) => ruleBlocks({ parts, limit: 10 }, rule))
  const finder = new PairFinder(records, joinedBlocks(rules, records.count))
  const pairs = plain.flatMap((_, i) =>
    [...finder.candidates.subarray(0, finder.find(i))].map((j) => `${i} ${j}`),
  )
  expect(pairs.sort()).toEqual(['0 3', '1 2', '1 3', '2 3'])
})

test('large runs have smaller blocks, within bounds', () => {
  expect([10, 3_000, 100_000, 10_000_000].map(blockLimit)).toEqual([1500, 1000, 30, 25])
})

function found(plain: readonly PlainRecord[], limit: number): RuleBlocks {
  return ruleBlocks({ parts: blockParts(recordsOf(plain)), limit }, PHONE)
}

/** Returns the members of the blocks by the name of their rule. */
function blocksOf(plain: readonly PlainRecord[], limit: number): Record<string, string[]> {
  const { starts, members, nodes } = found(plain, limit)
  const blocks: Record<string, string[]> = {}
  starts.forEach((start, b) => {
    const own = members.slice(start, starts[b + 1]).join(' ')
    const name = ruleName(nodes[b]!)
    blocks[name] = [...(blocks[name] ?? []), own]
  })
  return blocks
}
