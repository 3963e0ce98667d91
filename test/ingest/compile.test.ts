import { expect, test } from 'vitest'
import type { Expression } from '../../src/ingest/definition.ts'
import { exampleRows } from '../../src/ingest/examples.ts'
import { withWarehouse } from '../support/warehouse.ts'
import { defined } from './night.ts'

const COLUMNS = ['A', 'B', 'C']
const CODES = {
  counties: { '16': '12011', '21': '12021' },
  flags: { Y: true, N: false },
  weights: { a: 1.5 },
}

/** The value of one expression over one row, through the SQL that loads files. */
async function valueOf(
  expression: Expression,
  given: Record<string, string>,
  column = 'legal_description',
): Promise<unknown> {
  const source = defined({
    id: 'us/fl/test.values',
    title: 'Values',
    publisher: 'Nobody',
    states: ['FL'],
    everyDays: 1,
    codes: CODES,
    files: [
      {
        kind: 'values',
        pattern: '(?<year>\\d{4})(?<part>[a-z])?\\.csv',
        format: { type: 'delimited', delimiter: ',', header: true, columns: ['KEY', ...COLUMNS] },
        identity: ['KEY'],
        supersedes: [],
        rows: [{ into: 'parcels', set: { [column]: expression } }],
      },
    ],
    examples: [
      { note: 'a row', kind: 'values', file: '2025.csv', given: { KEY: '1', ...given }, expect: {} },
    ],
  })
  const [example] = source.examples
  if (example === undefined) throw new Error('there is an example')
  let value: unknown
  await withWarehouse(async (db) => {
    const rows = await exampleRows(db, source, example)
    value = rows.parcels?.[0]?.[column]
  })
  return value
}

test.each<[string, Expression, Record<string, string>, string, unknown]>([
  ['a column is trimmed', 'A', { A: '  12 MAIN ST ' }, 'line_1', '12 MAIN ST'],
  ['a blank column is null', 'A', { A: '   ' }, 'line_1', null],
  ['a literal stands for itself', { literal: 'TX' }, {}, 'state', 'TX'],
  ['a group of the file name', { file: 'year' }, {}, 'roll_year', 2025],
  ['the name of the file', { file: 'name' }, {}, 'line_1', '2025.csv'],
  ['a group that did not take part is null', { file: 'part' }, {}, 'line_1', null],
  ['the first that is not blank', { firstOf: ['A', 'B'] }, { A: ' ', B: 'b' }, 'line_1', 'b'],
  ['a join leaves blanks out', { join: ['A', 'B', 'C'], with: ' ' }, { A: 'a', C: 'c' }, 'line_1', 'a c'],
  ['a join of blanks is null', { join: ['A', 'B'], with: '-' }, {}, 'line_1', null],
  ['a code has its value', { codes: 'counties', of: 'A' }, { A: '16' }, 'county_fips', '12011'],
  ['an unknown code has none', { codes: 'counties', of: 'A' }, { A: '99' }, 'county_fips', null],
  [
    'or the value that stands in for it',
    { codes: 'counties', of: 'A', otherwise: 'A' },
    { A: '99' },
    'line_1',
    '99',
  ],
  ['a code table of flags', { codes: 'flags', of: 'A' }, { A: 'N' }, 'is_vacant', false],
  [
    'a date in the second format',
    { date: 'A', formats: ['%m/%d/%Y', '%Y%m%d'] },
    { A: '20250131' },
    'deed_on',
    '2025-01-31',
  ],
  ['a date that is none', { date: 'A', formats: ['%m/%d/%Y'] }, { A: '02/30/2025' }, 'deed_on', null],
  [
    'a year of two digits up to the pivot',
    { date: 'A', formats: ['%m/%d/%y'], pivot: 25 },
    { A: '01/31/25' },
    'deed_on',
    '2025-01-31',
  ],
  [
    'a year of two digits behind the pivot',
    { date: 'A', formats: ['%m/%d/%y'], pivot: 25 },
    { A: '01/31/68' },
    'deed_on',
    '1968-01-31',
  ],
  [
    'a year of four digits beside a pivot',
    { date: 'A', formats: ['%m/%d/%Y', '%m/%d/%y'], pivot: 25 },
    { A: '01/31/1999' },
    'deed_on',
    '1999-01-31',
  ],
  [
    'a sentinel is no date',
    { date: 'A', formats: ['%m-%d-%Y'], sentinels: ['12-30-1899'] },
    { A: '12-30-1899' },
    'deed_on',
    null,
  ],
  [
    'a month without a day',
    { monthDate: { year: 'A', month: 'B' } },
    { A: '2024', B: '9' },
    'deed_on',
    '2024-09-01',
  ],
  [
    'a whole birth date',
    { birthDate: 'A', formats: ['%m/%d/%Y'] },
    { A: '7/4/1976' },
    'line_1',
    '1976-07-04',
  ],
  [
    'a birth date without a day',
    { birthDate: 'A', formats: ['%Y%m%d'] },
    { A: '19760700' },
    'line_1',
    '1976-07-00',
  ],
  ['a birth year', { birthDate: 'A', formats: ['%Y%m%d', '%Y'] }, { A: '1976' }, 'line_1', '1976-00-00'],
  ['a birth date of zeros', { birthDate: 'A', formats: ['%Y%m%d'] }, { A: '00000000' }, 'line_1', null],
  [
    'a birth date that no calendar has',
    { birthDate: 'A', formats: ['%Y%m%d'] },
    { A: '19760231' },
    'line_1',
    null,
  ],
  ['a number with separators', { number: 'A' }, { A: '$1,234.50' }, 'tax_usd', 1234.5],
  [
    'an identifier that looks like a power of ten is no number',
    { number: 'A' },
    { A: '000837E2' },
    'tax_usd',
    null,
  ],
  ['implied decimals', { number: 'A', impliedDecimals: 4 }, { A: '0000012500' }, 'tax_usd', 1.25],
  [
    'a written point counts before an implied one',
    { number: 'A', impliedDecimals: 4 },
    { A: '1.5' },
    'tax_usd',
    1.5,
  ],
  ['acres as square feet', { number: 'A', times: 43560 }, { A: '0.5' }, 'lot_sqft', 21780],
  ['a zero that means nothing', { number: 'A', zeroIsNull: true }, { A: '0.00' }, 'tax_usd', null],
  ['a negative number', { number: 'A' }, { A: '-12' }, 'tax_usd', -12],
  ['a whole number with decimals of zero', { integer: 'A' }, { A: '1987.0000' }, 'year_built', 1987],
  ['a fraction is not rounded into a whole number', { integer: 'A' }, { A: '1.5' }, 'year_built', null],
  ['a number that is reckoned is rounded', { integer: { number: 'A' } }, { A: '1.6' }, 'year_built', 2],
  ['a sum counts blanks as zero', { sum: ['A', 'B'] }, { A: '5' }, 'tax_usd', 5],
  ['a sum of blanks is null', { sum: ['A', 'B'] }, {}, 'tax_usd', null],
  [
    'a pattern replaced',
    { replace: ' +', of: 'A', with: ' ' },
    { A: '1742  EAST   31ST' },
    'line_1',
    '1742 EAST 31ST',
  ],
  ['the group of a pattern', { extract: '^(\\d+)-', of: 'A' }, { A: '206-555' }, 'line_1', '206'],
  ['a pattern without a group', { extract: '\\d+', of: 'A' }, { A: 'x206-555' }, 'line_1', '206'],
  ['padding', { padStart: 'A', length: 5, with: '0' }, { A: '42' }, 'line_1', '00042'],
  [
    'padding leaves longer text alone',
    { padStart: 'A', length: 3, with: '0' },
    { A: '12345' },
    'line_1',
    '12345',
  ],
  ['a slice', { slice: 'A', from: 2, length: 3 }, { A: 'abcdef' }, 'line_1', 'bcd'],
  ['lower case', { lower: 'A' }, { A: 'A@EXAMPLE.COM' }, 'line_1', 'a@example.com'],
  ['a flag is never null', { flag: { is: 'A', in: ['Y'] } }, {}, 'is_vacant', false],
  [
    'one of two',
    { when: { matches: '^PO BOX', of: 'A' }, then: { literal: 'box' }, otherwise: 'A' },
    { A: 'PO BOX 12' },
    'line_1',
    'box',
  ],
  ['the other of two', { when: { isBlank: 'A' }, then: 'B', otherwise: 'A' }, { B: 'b' }, 'line_1', 'b'],
  [
    'a number compared as a number',
    { flag: { is: { number: 'A' }, in: ['100'] } },
    { A: '100.00' },
    'is_vacant',
    true,
  ],
  [
    'conditions together',
    {
      flag: {
        all: [{ notBlank: 'A' }, { not: { any: [{ inCodes: 'counties', of: 'A' }, { isBlank: 'B' }] } }],
      },
    },
    { A: '99', B: 'b' },
    'is_vacant',
    true,
  ],
  [
    'a number in a text column is written as files write it',
    { number: 'A' },
    { A: '0012.0' },
    'line_1',
    '12',
  ],
  ['text in a date column', 'A', { A: '2025-01-31' }, 'deed_on', '2025-01-31'],
  ['text that is no number in a number column', 'A', { A: 'n/a' }, 'tax_usd', null],
])('%s', async (_name, expression, given, column, expected) => {
  expect(await valueOf(expression, given, column)).toEqual(expected)
})

test.each<[string, Expression, string]>([
  [
    'column',
    'NOT_THERE',
    'us/fl/test.values, values, parcels.legal_description: there is no column NOT_THERE',
  ],
  [
    'group',
    { file: 'month' },
    'us/fl/test.values, values, parcels.legal_description: there is no group of the file pattern month',
  ],
  [
    'code table',
    { codes: 'colours', of: 'A' },
    'us/fl/test.values, values, parcels.legal_description: there is no code table colours',
  ],
  ['part of a birth date', { birthDate: 'A', formats: ['%d %b %Y'] }, 'may have only %Y, %m and %d, not %b'],
])('an expression with an unknown %s is a bad definition', async (_name, expression, message) => {
  await expect(valueOf(expression, {})).rejects.toThrow(message)
})
