import { expect, test } from 'vitest'
import { evidenceOf, GroupSums } from '../../../src/link/cluster/group-evidence.ts'
import { explainScore, pairScorer } from '../../../src/link/score/score-pair.ts'
import { type PlainRecord, recordsOf } from '../records/plain-records.ts'
import { plainModel } from '../score/plain-model.ts'

const MARY = { first: 'MARY', last: 'NOWAK' }
const [ONE_DAY, OTHER_DAY] = [{ birth: '1971-06-24' }, { birth: '1944-11-05' }]
const ELM = { house: '12', street: 'ELM ST', city: 'SPRINGFIELD', state: 'FL', zip: '32999' }
const ORCHARD = { house: '977', street: 'ORCHARD RD', city: 'AUSTIN', state: 'TX', zip: '78701' }

test.each<[PlainRecord, PlainRecord]>([
  [MARY, { ...MARY, ...ONE_DAY, addresses: [ELM] }],
  [
    { ...MARY, ...ONE_DAY },
    { ...MARY, ...OTHER_DAY },
  ],
  [
    { ...MARY, addresses: [ELM, ORCHARD] },
    { ...MARY, addresses: [ORCHARD] },
  ],
  [MARY, { first: 'NOWAK', last: 'MARY' }],
])('two groups of one record, %j and %j, weigh what the pair weighs', (left, right) => {
  const records = recordsOf([left, right])
  const model = plainModel(records)
  const { bits } = explainScore(0, 1, pairScorer(model))
  expect(new GroupSums(evidenceOf(model, -2)).between([0], [1])).toBeCloseTo(bits, 9)
})

test('one conflict between their records keeps two groups apart', () => {
  const sums = sumsOf([{ ...MARY, suffix: 'JR' }, MARY, { ...MARY, suffix: 'SR' }])
  expect(sums.between([0, 1], [2])).toBe(Number.NEGATIVE_INFINITY)
  expect(sums.between([1], [2])).toBeGreaterThan(-2)
})

test('of birth dates, the mean of the weights counts; of addresses, the mean of the likelihoods', () => {
  const dates = sumsOf([
    { ...MARY, ...ONE_DAY },
    { ...MARY, ...OTHER_DAY },
    { ...MARY, ...ONE_DAY },
  ])
  const mean = (dates.between([0], [2]) + dates.between([1], [2])) / 2
  // Only the household term is not linear.
  expect(Math.abs(dates.between([0, 1], [2]) - mean)).toBeLessThan(1)
  const homes = sumsOf([{ ...MARY, addresses: [ELM] }, { ...MARY, addresses: [ORCHARD] }, { ...MARY, addresses: [ELM] }]) // prettier-ignore
  // Half of the likelihood of the address that agrees is one bit less.
  const lost = homes.between([0], [2]) - homes.between([0, 1], [2])
  expect([lost > 0, lost < 2]).toEqual([true, true])
  expect(homes.between([0], [2]) - homes.between([1], [2])).toBeGreaterThan(3)
})

test('groups without an edge are not joined, whatever the sum of their evidence', () => {
  const sums = sumsOf([MARY, { ...MARY, ...ONE_DAY }, { first: 'LUIS', last: 'GARCIA' }])
  sums.start(Int32Array.of(0, 1, 2))
  expect(sums.bits(0, 1)).toBeGreaterThan(-2)
  expect(sums.bits(0, 2)).toBe(Number.NEGATIVE_INFINITY)
})

function sumsOf(plain: readonly PlainRecord[]): GroupSums {
  return new GroupSums(evidenceOf(plainModel(recordsOf(plain)), -2))
}
