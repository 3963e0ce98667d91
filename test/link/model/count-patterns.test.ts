import { expect, test } from 'vitest'
import { AT, BIRTH, FIRST, PHONE } from '../../../src/link/compare/levels.ts'
import { countPairs } from '../../../src/link/model/count-patterns.ts'
import { mergedPatterns, type PatternCounts } from '../../../src/link/model/patterns.ts'
import { recordsOf } from '../records/plain-records.ts'
import { plainModel } from '../score/plain-model.ts'

const RECORDS = recordsOf([
  { first: 'MARY', phones: ['15125550101'] },
  { first: 'MARY', phones: ['15125550101'], birth: '1971-06-24' },
  { first: 'ROBERT', birth: '1971-06-24' },
])
const PAIRS = { left: Int32Array.of(0, 1, 0, 0), right: Int32Array.of(1, 2, 1, 2) }

/** Gives a thread one range after the other. */
function ranges(...given: [number, number][]): () => readonly [number, number] | undefined {
  return () => given.shift()
}

function read(patterns: PatternCounts): unknown[] {
  return mergedPatterns([patterns]).map(({ count, levels, frequency, sharedFrequency }) => ({
    count,
    levels: [AT.first_name, AT.birth_date, AT.phone].map((c) => levels[c]),
    frequencies: [frequency, sharedFrequency],
  }))
}

test('each drawn pair counts once in its pattern', () => {
  const found = read(countPairs({ records: RECORDS, pairs: PAIRS }, ranges([0, 2], [2, 4])))
  expect(found).toHaveLength(3)
  expect(found).toEqual(
    expect.arrayContaining([
      { count: 2, levels: [FIRST.exact, 0, PHONE.same], frequencies: [0, 0] },
      { count: 1, levels: [FIRST.different, BIRTH.exact, 0], frequencies: [0, 0] },
      { count: 1, levels: [FIRST.different, 0, 0], frequencies: [0, 0] },
    ]),
  )
})

test('with frequency weights, a pattern also has their sums: of all comparisons, and of those that households share', () => {
  const traits = recordsOf([{ phones: ['15125550101'], traits: { trade: 'CARPENTER' } }, { phones: ['15125550101'], traits: { trade: 'CARPENTER' } }]) // prettier-ignore
  const { frequencies } = plainModel(traits)
  const pairs = { left: Int32Array.of(0), right: Int32Array.of(1) }
  const patterns = countPairs({ records: traits, pairs, frequencies }, ranges([0, 1]))
  // The phone subtracts 12 bits, the least that counts. The trade, by definition: u is 0.05, and one of one other record has it, with 200
  // unseen people of whom a twentieth has it: log2(0.05 / (11 / 201)) is −0.13, which is rounded to 0. No household shares a trade.
  expect(read(patterns)).toMatchObject([{ frequencies: [-12, -12] }])
})
