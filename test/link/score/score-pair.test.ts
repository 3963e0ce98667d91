import { expect, test } from 'vitest'
import { DUPLICATE_FREE, HOUSEHOLD_LIKE } from '../../../src/link/records/records.ts'
import { explainScore, pairScorer, type ScoredPair, scorePair } from '../../../src/link/score/score-pair.ts'
import { type PlainRecord, recordsOf } from '../records/plain-records.ts'
import { plainModel } from './plain-model.ts'

const MARY = { first: 'MARY', last: 'NOWAK', birth: '1971-06-24' }
const ELM = { house: '12', street: 'ELM ST', city: 'SPRINGFIELD', state: 'FL', zip: '32999' }

test('a pair weighs what its explanation adds up to, in either order', () => {
  const records = recordsOf(manyRecords(), [0, DUPLICATE_FREE, HOUSEHOLD_LIKE])
  const scorer = pairScorer(plainModel(records))
  let edges = 0
  let conflicts = 0
  for (let i = 0; i < records.count; i++) {
    for (let j = 0; j < records.count; j++) {
      if (i === j) continue
      const weight = scorePair(i, j, scorer)
      const { bits, terms, conflict } = explainScore(i, j, scorer)
      expect(terms.reduce((sum, term) => sum + term.bits, 0)).toBeCloseTo(bits, 9)
      if (bits >= -2 && conflict === undefined) {
        edges++
        expect(weight).toBe(bits)
        expect(scorePair(j, i, scorer)).toBeCloseTo(weight, 12)
      } else if (bits >= -2) {
        conflicts++
        expect(weight).toBe(Number.NEGATIVE_INFINITY)
      } else expect(weight).toBeLessThan(-2)
    }
  }
  expect([edges > 50, conflicts > 10]).toEqual([true, true])
})

test('the terms are the prior, log2(m / u) of each level, the rarity of the value, and the household', () => {
  const records = recordsOf([{ phones: ['15125550101'] }, { phones: ['15125550101'] }])
  const { bits, terms } = explainScore(0, 1, pairScorer(plainModel(records)))
  // At least one other record could have the number, among one record and 200 people whose numbers are unknown.
  const rarity = Math.log2(0.000001 / ((1 + 200 * 0.000001) / 201))
  expect(rarity).toBeLessThan(-12)
  const prior = Math.log2(0.001 / 0.997)
  const phone = Math.log2(0.6 / 0.000001)
  // A household: its prior, its share of telephones, and the same rarity.
  const household = Math.log2(0.002 / 0.997) + Math.log2(0.4 / 0.000001) - 12
  expect(terms).toEqual([
    { comparison: 'prior', level: 'two records at random', bits: expect.closeTo(prior, 9) as number },
    { comparison: 'phone', level: 'same', bits: expect.closeTo(phone, 9) as number },
    // No value is rarer or more frequent than 12 bits.
    { comparison: 'phone', level: 'frequency', bits: -12 },
    {
      comparison: 'household',
      level: 'could be relatives',
      bits: expect.closeTo(-Math.log2(1 + 2 ** household), 9) as number,
    },
  ])
  expect(bits).toBeCloseTo(prior + phone - 12 - Math.log2(1 + 2 ** household), 9)
})

test('a rare value weighs more than a frequent one', () => {
  const plain = Array.from({ length: 40 }, (_, n) => ({ traits: { trade: n < 2 ? 'CARPENTER' : 'CLERK' } }))
  const scorer = pairScorer(plainModel(recordsOf(plain)))
  const rarityOf = (i: number, j: number): number =>
    explainScore(i, j, scorer).terms.find(({ level }) => level === 'frequency')!.bits
  // 38 records have CLERK: 37 others of 39; one has CARPENTER. 200 people with unknown trades share in each by u.
  expect(rarityOf(2, 3) - rarityOf(0, 1)).toBeCloseTo(Math.log2((1 + 200 * 0.05) / (37 + 200 * 0.05)), 4)
})

test('an agreement that another one explains weighs less', () => {
  const person = { addresses: [ELM], traits: { school: 'SPRINGFIELD HIGH' } }
  const records = recordsOf([person, person, { ...person, addresses: [] }])
  const repeats = [{ comparison: 'school', of: 'address', agreement: 0.9 }]
  const scorer = pairScorer(plainModel(records, { repeats }))
  expect(repeated(explainScore(0, 1, scorer))).toHaveLength(1)
  expect(repeated(explainScore(0, 1, scorer))[0]).toBeLessThan(-1)
  expect(repeated(explainScore(0, 2, scorer))).toEqual([])
})

test('what households share weighs little, what one person has alone weighs', () => {
  const home = { last: 'NOWAK', addresses: [ELM], phones: ['15125550101'] }
  const records = recordsOf([
    { ...home, first: 'MARY' },
    { ...home, first: 'ROBERT' },
    { ...MARY, ...home },
    { ...MARY, birth: '1971-06-24' },
  ])
  const scorer = pairScorer(plainModel(records))
  expect(scorePair(0, 1, scorer)).toBeLessThan(-2)
  expect(scorePair(0, 2, scorer)).toBeGreaterThan(0)
  expect(scorePair(2, 3, scorer)).toBeGreaterThan(0)
})

test('a score does not depend on the address of the pair that was scored before', () => {
  const person = { last: 'NOWAK', traits: { school: 'SPRINGFIELD HIGH' } }
  const home = { ...person, addresses: [ELM] }
  const records = recordsOf([home, home, person, person])
  const repeats = [{ comparison: 'school', of: 'address', agreement: 0.9 }]
  const { bits } = explainScore(2, 3, pairScorer(plainModel(records, { repeats })))
  // With this prior, the pair weighs −1: just enough to be an edge.
  const match_probability = 0.001 * 2 ** (-1 - bits)
  const scorer = pairScorer(plainModel(records, { repeats, match_probability }))
  explainScore(0, 1, scorer)
  expect(scorePair(2, 3, scorer)).toBeCloseTo(-1, 1)
})

// Every third record repeats the one before with something else: a typo, another source, another house.
function manyRecords(): PlainRecord[] {
  return Array.from({ length: 60 }, (_, n) => {
    const person = Math.floor(n / 3)
    return {
      source: n % 3,
      first: of(['MARY', 'ROBERT', 'LUIS', 'ANN'], person),
      last: n % 7 === 0 ? 'NOVAK' : of(['NOWAK', 'GARCIA', 'SMITH'], person),
      ...(n % 5 === 0 ? { suffix: of(['JR', 'SR'], n) } : {}),
      ...(n % 4 === 0 ? {} : { birth: of(['1971-06-24', '1944-11-05', '1980-03-04', '1971-06-25', '1965-01-01'], person) }),
      addresses: n % 2 === 0 ? [{ ...ELM, house: of(['12', '13', '977'], person) }] : [],
      phones: n % 3 === 0 ? [] : [`151255501${of(['01', '02', '17', '55'], person)}`],
      emails: n % 4 === 1 ? [`p${person % 6}.nowak@example.com`] : [],
      traits: n % 3 === 1 ? { trade: of(['CARPENTER', 'CLERK'], person) } : {},
    }
  }) // prettier-ignore
}

function of<T>(items: readonly T[], n: number): T {
  return items[n % items.length]!
}

function repeated({ terms }: ScoredPair): number[] {
  return terms.filter(({ level }) => level === 'repeats another agreement').map(({ bits }) => bits)
}
