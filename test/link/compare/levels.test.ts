import { describe, expect, test } from 'vitest'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { conflictOf } from '../../../src/link/compare/conflicts.ts'
import { AT, comparisonsOf } from '../../../src/link/compare/levels.ts'
import { DUPLICATE_FREE, HOUSEHOLD_LIKE } from '../../../src/link/records/records.ts'
import { textAt } from '../../../src/link/records/texts.ts'
import { type PlainRecord, recordsOf } from '../records/plain-records.ts'

type Case = readonly [left: PlainRecord, right: PlainRecord, levels: Readonly<Record<string, string>>]

describe('names', () => {
  test.each<Case>([
    [named('MARY', 'NOWAK'), named('MARY', 'NOWAK'), { first_name: 'exact MARY', last_name: 'exact NOWAK' }],
    [named('ROBERT', 'NOWAK'), named('BOB', 'NOWACK'), { first_name: 'nickname', last_name: 'near' }],
    [named('CHARLSE'), named('CHARLES'), { first_name: 'near' }],
    // Both are names that people bear.
    [named('GARY'), named('MARY'), { first_name: 'similar' }],
    [named('MARY ANN'), named('MARY'), { first_name: 'nickname' }],
    [named('JO ANN', 'LOPEZ'), named('ANN', 'GARCIA LOPEZ'), { first_name: 'part', last_name: 'part' }],
    [named('J', 'NOWAK'), named('JOHN', 'NOWAK'), { first_name: 'initial', last_name: 'exact NOWAK' }],
    [named('J', 'NOWAK'), named('MARY', 'N'), { first_name: 'different', last_name: 'different' }],
    [named('UNKNOWN', 'NOWAK'), named('MARY', 'NOWAK'), { last_name: 'exact NOWAK' }],
    [named('JAMES', 'ORCHARD'), named('ORCHARD', 'JAMES'), { first_name: 'swapped' }],
    [named('JAMES', 'ORCHARD'), named('JAMES', undefined), { first_name: 'exact JAMES' }],
    [named('ORCHARD', undefined), named('JAMES', 'ORCHARD'), { first_name: 'single' }],
    // First names that only sound alike do not keep a name of one word from being a last name.
    [named('RITE'), named('WRIGHT', 'RITE'), { first_name: 'single' }],
  ])('%j and %j', expectLevels)

  test.each<Case>([
    [named('LEE', 'NOWAK', { middle: 'MARY' }), named('MARY', 'NOWAK'), { first_name: 'middle MARY', last_name: 'exact NOWAK' }],
    [{ middle: 'ANN' }, { middle: 'ANN' }, { middle_name: 'exact ANN' }],
    [{ middle: 'A' }, { middle: 'ANN' }, { middle_name: 'initial' }],
    [{ middle: 'B' }, { middle: 'ANN' }, { middle_name: 'different' }],
    [{ middle: 'THOMAS' }, { middle: 'THOMSA' }, { middle_name: 'near' }],
    [{ last: 'NOWAK', others: ['ORCHARD'] }, { last: 'ORCHARD' }, { last_name: 'former ORCHARD' }],
    [{ suffix: 'JR' }, { suffix: 'JR' }, { name_suffix: 'same' }],
    [{ suffix: 'JR' }, { suffix: 'SR' }, { name_suffix: 'different' }],
    // A Junior may sign as the second.
    [{ suffix: 'JR' }, { suffix: 'II' }, {}],
  ])('%j and %j', expectLevels) // prettier-ignore
})

describe('telephones, e-mail addresses, identifiers and traits', () => {
  test.each<Case>([
    [{ phones: ['15125550101'] }, { phones: ['15125550177', '15125550101'] }, { phone: 'same 15125550101' }],
    [{ phones: ['15125550101'] }, { phones: ['15125550107'] }, { phone: 'near' }],
    [{ phones: ['15125550101'] }, { phones: ['15125556677'] }, { phone: 'different' }],
    [{ phones: ['15125550101'] }, { phones: ['0000000'] }, {}],
    [{ emails: ['MARY@EXAMPLE.COM'] }, { emails: ['mary@example.com'] }, { email: 'same MARY@EXAMPLE.COM' }],
    [{ emails: ['mary@example.com'] }, { emails: ['mary@example.net'] }, { email: 'name' }],
    [{ emails: ['mary.nowak@example.com'] }, { emails: ['mary.nowack@example.net'] }, { email: 'near' }],
    [
      { emails: ['mary.nowak@example.com'] },
      {
        emails: [
          'mary.nowack@example.net',
          'mary.nowak@example.net',
          'mary.nowack@example.org',
          'mary.novak@example.net',
        ],
      },
      { email: 'name' },
    ],
    [{ emails: ['mary@example.com'] }, { emails: ['john@example.com'] }, { email: 'different' }],
    [{ emails: ['mary@example.com'] }, { emails: ['none@none.com'] }, {}],
    [{ identifiers: { voter: '100234' } }, { identifiers: { voter: '100234' } }, { voter: 'same 100234' }],
    [{ identifiers: { voter: '100234' } }, { identifiers: { voter: '110234' } }, { voter: 'near' }],
    // Numbers given out in a row differ at their end.
    [{ identifiers: { voter: '100234' } }, { identifiers: { voter: '100235' } }, { voter: 'different' }],
    [{ traits: { trade: 'CARPENTER' } }, { traits: { trade: 'CARPENTRE' } }, { trade: 'near' }],
    [{ traits: { trade: 'CARPENTER' } }, { traits: { trade: 'PAINTER' } }, { trade: 'different' }],
    [{ traits: { trade: 'CARPENTER' } }, { traits: { school: 'CARPENTER' } }, {}],
  ])('%j and %j', expectLevels)
})

describe('addresses and places', () => {
  const elm = { house: '12', street: 'ELM ST', city: 'SPRINGFIELD', state: 'FL', zip: '32999' }
  test.each([
    [elm, elm, { address: 'unit' }],
    [elm, { ...elm, unit: '4' }, { address: 'building' }],
    [{ ...elm, unit: '5' }, { ...elm, unit: '4' }, { address: 'other_unit' }],
    [elm, { ...elm, street: 'ELN ST' }, { address: 'near' }],
    [elm, { ...elm, house: '13' }, { address: 'neighbour' }],
    [elm, { ...elm, house: '977' }, { address: 'street' }],
    [elm, { ...elm, street: 'ORCHARD RD', house: '977' }, { address: 'different', place: 'zip 32999' }],
    [elm, { city: 'SPRINGFIELD', state: 'FL' }, { place: 'city SPRINGFIELD' }],
    [elm, { city: 'SPRINGFEILD', state: 'FL' }, { place: 'near' }],
    [elm, { zip: '32998' }, { place: 'near' }],
    [elm, { city: 'MIAMI', state: 'FL', zip: '33101' }, { place: 'state' }],
    [elm, { city: 'SPRINGFIELD', state: 'IL', zip: '62701' }, { place: 'near' }],
    [elm, { city: 'AUSTIN', state: 'TX', zip: '78701' }, { place: 'different' }],
    // One state says too little.
    [{ state: 'FL' }, { state: 'FL' }, {}],
    [elm, {}, {}],
  ])('%j and %j', (left, right, levels) => {
    expectLevels({ addresses: [left] }, { addresses: [right] }, levels)
  })

  test('of several addresses the two that are most alike count', () => {
    const other = { house: '977', street: 'ORCHARD RD', city: 'AUSTIN', state: 'TX', zip: '78701' }
    expectLevels({ addresses: [other, elm] }, { addresses: [elm] }, { address: 'unit' })
    const places = { addresses: [other, { zip: '32999' }, { city: 'MIAMI', state: 'FL', zip: '33101' }] }
    expectLevels(places, { addresses: [elm] }, { address: 'different', place: 'zip 32999' })
  })

  test('in a source that lists households, one building is only one place', () => {
    const records = recordsOf([{ addresses: [elm] }, { addresses: [elm], source: 1 }], [0, HOUSEHOLD_LIKE])
    const comparer = new PairComparer(records)
    comparer.compare(0, 1)
    expect([...comparer.levels].slice(AT.address, AT.phone)).toEqual([0, 1])
  })
})

describe('conflicts', () => {
  const mary = { first: 'MARY', last: 'NOWAK', birth: '1971-06-24' }
  test.each<[left: PlainRecord, right: PlainRecord, bars: string | undefined]>([
    [mary, mary, undefined],
    [{ ...mary, source: 1 }, mary, undefined],
    [{ ...mary, source: 1 }, { ...mary, source: 1 }, 'cluster'],
    // Two issues of one record.
    [{ source: 1, identifiers: { voter: '100234' } }, { source: 1, identifiers: { voter: '100234' } }, undefined],
    [{ ...mary, suffix: 'JR' }, { ...mary, suffix: 'SR' }, 'cluster'],
    [mary, { first: 'ROBERT', last: 'ORCHARD' }, 'edge'],
    [mary, { first: 'ROBERT', last: 'ORCHARD', birth: '1971-06-24' }, undefined],
    [mary, { ...mary, first: 'ROBERT', birth: '1944-11-05' }, 'edge'],
    [mary, { ...mary, first: 'ROBERT', birth: '1944-00-00' }, undefined],
  ])('%j and %j: %s', (left, right, bars) => {
    const records = recordsOf([left, right], [0, DUPLICATE_FREE])
    const comparer = new PairComparer(records)
    comparer.compare(0, 1)
    expect(conflictOf(records, comparer, 0, 1)?.bars).toBe(bars)
  }) // prettier-ignore
})

/** Expects these levels, none in all other comparisons, and the same for the pair in the other order. A text after the level must be what agrees. */
function expectLevels(left: PlainRecord, right: PlainRecord, levels: Readonly<Record<string, string>>): void {
  const records = recordsOf([left, right])
  const comparisons = comparisonsOf(records.attributes)
  for (const [i, j] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const comparer = new PairComparer(records)
    comparer.compare(i, j)
    const found = comparisons.flatMap(({ name, levels: all }, c) => {
      const level = comparer.levels[c]!
      if (level === 0) return []
      const isWithText = levels[name]?.includes(' ') === true
      const agreed = isWithText ? ` ${textAt(records.texts, comparer.agreed[c]!)}` : ''
      return [[name, all[level - 1]!.name + agreed]]
    })
    expect(Object.fromEntries(found)).toEqual(levels)
  }
}

function named(first?: string, last?: string, rest: PlainRecord = {}): PlainRecord {
  return { ...rest, ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) }
}
