import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellValue, emailsOf, phonesOf, zipOf } from '../../src/enrich/read/cell-values.ts'
import { COMMA } from '../../src/enrich/read/records.ts'
import { safeCell } from '../../src/enrich/read/safe-cells.ts'
import { safeCsv } from '../../src/enrich/write/safe-csv.ts'
import { fieldText } from '../../src/enrich/read/rows.ts'

test.each([
  ['="00123"', '00123'],
  ["'+15125550101", '+15125550101'],
  ["'Jane'", "'Jane'"],
  [' N/A ', ''],
  ['#N/A', ''],
  ['Jane', 'Jane'],
])('a cell %s means %j', (cell, value) => {
  expect(cellValue(cell)).toBe(value)
})

test.each([
  ['2138', '02138'],
  ['78701-1234', '78701'],
  ['787011234', '78701'],
  ['78701-', '78701'],
  ['78701.0', '78701'],
  ['z:02138', '02138'],
  ['K1A 0B1', undefined],
])('a ZIP code written %s is %s', (text, zip) => {
  expect(zipOf(text)).toBe(zip)
})

test('a cell may hold several phones; an extension is none', () => {
  expect(phonesOf('512-555-0101 / 512-555-0102').map((one) => one.trim())).toEqual(['512-555-0101', '512-555-0102']) // prettier-ignore
  expect(phonesOf('(512) 555-0101 ::: 5125550102')).toHaveLength(2)
  expect(phonesOf('(512) 555-0101, ext. 4455')).toEqual(['(512) 555-0101, ext. 4455'])
  expect(phonesOf('512/555/0101')).toEqual(['512/555/0101'])
})

test('a cell may hold several e-mails, or a name beside one', () => {
  expect(emailsOf('a@example.com; b@example.com')).toEqual(['a@example.com', 'b@example.com'])
  expect(emailsOf('Jane Smith <jane@example.com>')).toEqual(['jane@example.com'])
  expect(emailsOf('Jane Smith,jane@example.com')).toEqual(['Jane Smith,jane@example.com'])
})

test.each([
  '=1+1',
  "=cmd|' /C calc'!A0",
  '+SUM(A1)',
  '-2+A1',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  '\n-1 x',
  ' =HYPERLINK("https://evil.example")',
  '＝1',
  '＠A1',
  '="a"&A1',
])('a cell %j gets an apostrophe, and means the same', (cell) => {
  expect(safeCell(cell)).toBe(`'${cell}`)
  expect(cellValue(safeCell(cell))).toBe(cell.trim())
})

test.each([
  '+15125550101',
  '+1 (512) 555-0101',
  '-12.50',
  '-1,234',
  '+1.5E+09',
  '-3%',
  '-',
  '--',
  '="00123"',
  'Jane',
  "'x",
  'a=b',
  '',
])('a cell %j stays as it is', (cell) => expect(safeCell(cell)).toBe(cell))

const CELL = fc.string({
  unit: fc.constantFrom(...Array.from('=+-@ \t\r\n,;"\'aE1%(.＝\u00a0é')),
  maxLength: 12,
})
const LONG = fc.integer({ min: 995, max: 1_003 }).map((length) => `=${'x'.repeat(length)}`)

test('whatever a cell is, it is read as the same value when it is guarded, and it is guarded once', () => {
  fc.assert(
    fc.property(fc.oneof(CELL, LONG), (cell) => {
      expect(cellValue(safeCell(cell))).toBe(cellValue(cell))
      expect(safeCell(safeCell(cell))).toBe(safeCell(cell))
    }),
    { seed: 38, numRuns: 2_000 },
  )
})

test('CSV with safe cells has each cell guarded, wherever the stream is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(CELL, CELL, CELL), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      async (rows, size) => {
        const csv = Buffer.from(
          rows.map((row) => `${row.map((cell) => fieldText(cell, COMMA)).join(',')}\n`).join(''),
        )
        async function* parts(): AsyncGenerator<Buffer> {
          for (let at = 0; at < csv.length; at += size) yield csv.subarray(at, at + size)
        }
        const out: Buffer[] = []
        for await (const bytes of safeCsv(parts())) out.push(bytes)
        const read = parse(Buffer.concat(out), { record_delimiter: '\n', relax_quotes: true })
        expect(read).toEqual(rows.map((row) => row.map(safeCell)))
      },
    ),
    { seed: 38, numRuns: 500 },
  )
})
