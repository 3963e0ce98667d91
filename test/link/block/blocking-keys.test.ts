import { describe, expect, test } from 'vitest'
import { GrowingIntegers } from '../../../src/arrays.ts'
import { blockParts } from '../../../src/link/block/block-parts.ts'
import { blockingKeys, childPrefix, rootPrefix } from '../../../src/link/block/blocking-keys.ts'
import { AT_PART, type Part } from '../../../src/link/block/rules.ts'
import { markRemoved } from '../../../src/link/records/records.ts'
import { type PlainRecord, recordsOf } from '../records/plain-records.ts'

test('a rule of one part gives a key for each value', () => {
  const [one, other, none] = keysOf(['phone'], [
    { phones: ['15125550101', '15125550102'] },
    { phones: ['15125550102'] },
    { phones: [] },
  ]) // prettier-ignore
  expect(one).toHaveLength(2)
  expect(one).toContain(other![0])
  expect(none).toEqual([])
})

test('a rule of two parts gives a key for each pair of values, and none where a part has no value', () => {
  const [both, half, none] = keysOf(['phone', 'email'], [
    { phones: ['15125550101', '15125550102', '15125550103'], emails: ['a@example.com', 'b@example.com'] },
    { phones: ['15125550103'], emails: ['b@example.com'] },
    { phones: ['15125550103'] },
  ]) // prettier-ignore
  expect(new Set(both).size).toBe(6)
  expect(both).toEqual(expect.arrayContaining(half!))
  expect(none).toEqual([])
})

test('a value that a record has twice gives one key, and more than eight values of one part give eight', () => {
  const phones = Array.from({ length: 12 }, (_, n) => `151255501${n + 10}`)
  const [twice, many] = keysOf(['phone'], [{ phones: ['15125550101', '15125550101'] }, { phones }])
  expect(twice).toHaveLength(1)
  expect(new Set(many).size).toBe(8)
})

test('equal values under two rules, or in two blocks that are split, give two keys', () => {
  const record = [{ phones: ['15125550101'], last: 'NOWAK' }]
  const prefixes = [rootPrefix(1), rootPrefix(2), childPrefix(17, 1), childPrefix(17, 2), childPrefix(18, 1)]
  const keys = prefixes.flatMap((prefix) => keysOf(['phone'], record, prefix)[0]!)
  expect(new Set(keys).size).toBe(prefixes.length)
})

test('a removed record has no keys', () => {
  const records = recordsOf([{ last: 'NOWAK' }, { last: 'NOWAK' }])
  markRemoved(records, Int32Array.of(0))
  const keys = new GrowingIntegers()
  blockingKeys(blockParts(records), 0, [AT_PART.any], rootPrefix(0), keys)
  expect(keys.length).toBe(0)
})

describe('the values of each part', () => {
  const elm = { house: '12', street: 'ELM ST', city: 'SPRINGFIELD', state: 'FL', zip: '32999' }
  test.each<readonly [Part, PlainRecord, PlainRecord]>([
    ['any', {}, {}],
    ['first_class', { first: 'ROBERT' }, { first: 'BOB' }],
    ['first_letter', { first: 'ROBERT' }, { first: 'ROSA' }],
    ['first_start', { first: 'ROBERT' }, { first: 'ROBERTA' }],
    ['first_end', { first: 'ROBERT' }, { first: 'GILBERT' }],
    ['last_sound', { last: 'SMITH' }, { last: 'SMYTH' }],
    ['last_sound', { last: 'GARCIA LOPEZ' }, { last: 'GARCIA' }],
    ['last_sound', { last: 'NOWAK', others: ['SMITH'] }, { last: 'SMYTH' }],
    // A single word may be the last name.
    ['last_sound', { first: 'SMITH' }, { last: 'SMYTH' }],
    ['last', { last: 'NOWAK' }, { first: 'ANN', last: 'NOWAK' }],
    ['last_letter', { last: 'NOWAK' }, { last: 'NELSON' }],
    ['last_start', { last: 'NOWAK' }, { last: 'NOWICKI' }],
    ['last_end', { last: 'NOWAK' }, { last: 'PAWAK' }],
    ['name_pair', { first: 'JAMES', last: 'ORCHARD' }, { first: 'ORCHARD', last: 'JAMES' }],
    ['name_pair', { first: 'LEE', middle: 'JAMES', last: 'ORCHARD' }, { first: 'JAMES', last: 'ORCHARD' }],
    ['middle_letter', { middle: 'ANN' }, { middle: 'A' }],
    ['year', { birth: '1971-06-24' }, { birth: '1971-00-00' }],
    ['month_day', { birth: '1971-06-11' }, { birth: '1944-11-06' }],
    ['year_month', { birth: '1971-06-24' }, { birth: '1971-06-00' }],
    ['year_day', { birth: '1971-06-24' }, { birth: '1971-07-24' }],
    ['birth_date', { birth: '1971-06-11' }, { birth: '1971-11-06' }],
    ['phone', { phones: ['15125550101'] }, { phones: ['15125550102', '15125550101'] }],
    ['email', { emails: ['mary@example.com'] }, { emails: ['MARY@EXAMPLE.COM'] }],
    ['email_name', { emails: ['mary.nowak@example.com'] }, { emails: ['mary.nowak@example.net'] }],
    ['building', { addresses: [elm] }, { addresses: [{ ...elm, unit: '4' }] }],
    ['house_zip', { addresses: [elm] }, { addresses: [{ ...elm, street: 'OAK ST' }] }],
    ['house_street', { addresses: [elm] }, { addresses: [{ ...elm, zip: '32998' }] }],
    ['zip', { addresses: [elm] }, { addresses: [{ zip: '32999' }] }],
    ['city', { addresses: [elm] }, { addresses: [{ city: 'SPRINGFIELD' }] }],
    ['identifier', { identifiers: { voter: '100234' } }, { identifiers: { voter: '100234' } }],
    ['trait', { traits: { trade: 'CARPENTER' } }, { traits: { trade: 'CARPENTER' } }],
  ])('%s: %j and %j share a key', (part, left, right) => {
    const [one, other] = keysOf([part], [left, right])
    expect(one!.some((key) => other!.includes(key))).toBe(true)
  })

  test.each<readonly [Part, PlainRecord, PlainRecord]>([
    ['first_class', { first: 'ROBERT' }, { first: 'RUBEN' }],
    ['first_start', { first: 'ANN' }, { first: 'ANN' }],
    ['last_sound', { last: 'SMITH' }, { last: 'NOWAK' }],
    ['last', { last: 'SMITH' }, { last: 'SMYTH' }],
    // January 1 says only the year.
    ['month_day', { birth: '1971-01-01' }, { birth: '1944-01-01' }],
    ['birth_date', { birth: '1971-01-01' }, { birth: '1971-01-01' }],
    ['year_day', { birth: '1971-06-00' }, { birth: '1971-06-00' }],
    ['phone', { phones: ['0000000'] }, { phones: ['0000000'] }],
    // Too short to say much.
    ['email_name', { emails: ['mary@example.com'] }, { emails: ['mary@example.net'] }],
    ['building', { addresses: [elm] }, { addresses: [{ ...elm, house: '13' }] }],
    ['house_zip', { addresses: [elm] }, { addresses: [{ ...elm, zip: '32998' }] }],
    ['identifier', { identifiers: { voter: '100234' } }, { identifiers: { npi: '100234' } }],
    // Half of all people share a gender.
    ['trait', { traits: { gender: 'F' } }, { traits: { gender: 'F' } }],
    ['trait', { traits: { trade: 'CARPENTER' } }, { traits: { school: 'CARPENTER' } }],
  ])('%s: %j and %j share none', (part, left, right) => {
    const [one, other] = keysOf([part], [left, right])
    expect(one!.filter((key) => other!.includes(key))).toEqual([])
  })
})

function keysOf(
  rule: readonly Part[],
  plain: readonly PlainRecord[],
  prefix = rootPrefix(0),
): readonly number[][] {
  const parts = blockParts(recordsOf(plain))
  return plain.map((_, record) => {
    const keys = new GrowingIntegers()
    blockingKeys(parts, record, rule.map((part) => AT_PART[part]), prefix, keys) // prettier-ignore
    return [...keys.view()]
  })
}
