import { expect, test } from 'vitest'
import { pairsSharing } from '../../../src/link/model/draw-pairs.ts'
import { DUPLICATE_FREE, type Records } from '../../../src/link/records/records.ts'
import { mixInto } from '../../../src/link/records/texts.ts'
import { recordsOf } from '../records/plain-records.ts'

/** As many records as `sources` has numbers; source 1 lists nobody twice. The ranks spread as those of real record ids. */
function recordsFrom(sources: readonly number[]): Records {
  const records = recordsOf(sources.map((source) => ({ source })), [0, DUPLICATE_FREE]) // prettier-ignore
  return { ...records, ranks: records.ranks.map((rank) => mixInto(7, rank) >>> 0) }
}

function drawn(values: readonly number[], wanted: number, sources = values.map(() => 0)): string[] {
  const order = Int32Array.from(values.keys()).toReversed()
  const { left, right } = pairsSharing(recordsFrom(sources), order, wanted, (record) => values[record]!)
  return [...left].map((one, k) => `${one} ${right[k]!}`).sort()
}

test('with fewer pairs than wanted, each pair of a group of odd size is drawn once, the smaller number left', () => {
  // Value 7: records 0, 2, 4. Value 9: records 1, 3, 5. Value 8 has one record, and 0 is no value.
  expect(drawn([7, 9, 7, 9, 7, 9, 8, 0, 0, 0], 100)).toEqual(['0 2', '0 4', '1 3', '1 5', '2 4', '3 5'])
})

test('in a group of even size, only opposite records of the ring may be drawn not once', () => {
  // The ring is 3, 2, 1, 0: records 3 and 1 are opposite, and so are 2 and 0.
  const pairs = drawn([7, 7, 7, 7], 100)
  expect(pairs).toEqual(expect.arrayContaining(['0 1', '0 3', '1 2', '2 3']))
  expect(pairs.filter((pair) => pair !== '0 2' && pair !== '1 3')).toHaveLength(4)
})

test('pairs within a source that lists nobody twice are left out', () => {
  expect(drawn([7, 7, 7], 100, [1, 1, 0])).toEqual(['0 2', '1 2'])
  expect(drawn([7, 7, 7], 100, [0, 0, 0])).toHaveLength(3)
})

test('of many pairs about as many as wanted are drawn, none twice, and each record in as many', () => {
  // 101 records have 5,050 pairs. A tenth of them is five per record.
  const pairs = drawn(Array.from({ length: 101 }, () => 7), 505) // prettier-ignore
  expect(new Set(pairs).size).toBe(505)
  const of = pairs.flatMap((pair) => pair.split(' '))
  expect(new Set(of.map((record) => of.filter((one) => one === record).length))).toEqual(new Set([10]))
})

test('a share that is no whole number of pairs per record is drawn on average', () => {
  // 6.25 pairs per record: a quarter of the records draws seven.
  expect(drawn(Array.from({ length: 401 }, () => 7), 2506).length / 401).toBeCloseTo(6.25, 0) // prettier-ignore
})
