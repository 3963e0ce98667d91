import { array, assert, constantFrom, integer, property, string } from 'fast-check'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import {
  type Chunk,
  type Dialect,
  LONGEST_RECORD,
  RecordSplitter,
  recordsOf,
} from '../../src/enrich/read/records.ts'
import { fieldText } from '../../src/enrich/read/rows.ts'

const COMMA: Dialect = { delimiter: ',', quote: '"' }

function split(text: string, piece: number, dialect: Dialect = COMMA): Chunk[] {
  const splitter = new RecordSplitter(dialect)
  const bytes = Buffer.from(text)
  const chunks: Chunk[] = []
  for (let at = 0; at < bytes.length; at += piece)
    chunks.push(...splitter.push(bytes.subarray(at, at + piece)))
  return [...chunks, ...splitter.end()]
}

function read(chunks: readonly Chunk[], dialect: Dialect = COMMA) {
  return chunks.flatMap(({ bytes, firstLine }) => [
    ...recordsOf(Buffer.from(bytes).toString(), dialect, firstLine),
  ])
}

const Cell = string({
  unit: constantFrom('a', 'é', ' ', ',', '"', '\n', '\r\n', '€', "'", ';'),
  maxLength: 6,
})
const Rows = array(array(Cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 30 })

test('whatever stands in the fields, rows are read as csv-parse reads them, in pieces of any size', () => {
  assert(
    property(Rows, integer({ min: 1, max: 50 }), constantFrom('\n', '\r\n'), (rows, piece, lineEnd) => {
      const text =
        rows.map((row) => row.map((cell) => fieldText(cell, COMMA)).join(',')).join(lineEnd) + lineEnd
      const records = read(split(text, piece))
      const expected = parse(text, {
        relax_column_count: true,
        skip_empty_lines: true,
      })
      expect(records.map(({ cells }) => cells)).toEqual(expected)
      // What is passed on is the row's own text, line by line where it began.
      for (const { raw, line } of records)
        expect(
          text
            .split('\n')
            .slice(line - 1)
            .join('\n'),
        ).toContain(raw)
    }),
    { numRuns: 300 },
  )
})

test('chunks are cut alike whatever pieces the bytes come in, and number their rows and lines', () => {
  const rows = Array.from({ length: 20_000 }, (_, row) =>
    row % 7 === 0 ? `${row},"two\nlines",x` : `${row},one line,x`,
  )
  const text = rows.join('\n')
  const whole = split(text, text.length)
  expect(whole.length).toBeGreaterThan(1)
  expect(split(text, 4_099).map(({ bytes }) => bytes.length)).toEqual(whole.map(({ bytes }) => bytes.length))
  for (const { bytes, firstRow, firstLine } of whole) {
    const [first] = recordsOf(Buffer.from(bytes).toString(), COMMA, firstLine)
    expect(first?.cells?.[0]).toBe(String(firstRow - 1))
    expect(text.split('\n')[firstLine - 1]).toContain(`${firstRow - 1},`)
  }
})

test('a quote that is never closed breaks its own line only', () => {
  const chunks = split('a,1\nb,"2\nc,3\nd,4\n', 3)
  expect(read(chunks).map(({ cells, line }) => [line, cells?.[0]])).toEqual([[1, 'a'], [3, 'c'], [4, 'd']]) // prettier-ignore
  expect(chunks.flatMap(({ broken }) => broken ?? [])).toEqual([
    { row: 2, line: 2, reason: 'a quote is never closed', text: 'b,"2' },
  ])
})

test('a quote that swallows megabytes breaks its own line only, and a row of megabytes itself only', () => {
  const filler = 'x,y\n'.repeat(LONGEST_RECORD / 4 + 10)
  const swallowed = split(`a,1\nb,"2\n${filler}z,9\n`, 65_536)
  expect(read(swallowed).length).toBe(LONGEST_RECORD / 4 + 12)
  expect(swallowed.flatMap(({ broken }) => broken?.line ?? [])).toEqual([2])
  const long = split(`a,1\nb,${'y'.repeat(10 * LONGEST_RECORD)}\nc,3\n`, 65_536)
  expect(read(long).map(({ cells, line }) => [line, cells?.[0]])).toEqual([[1, 'a'], [3, 'c']]) // prettier-ignore
  const broken = long.flatMap((chunk) => chunk.broken ?? [])
  expect(broken).toMatchObject([{ row: 2, line: 2, reason: `the row has more than ${LONGEST_RECORD} bytes` }])
  expect(broken[0]?.text.length).toBeLessThan(300)
})

test('text behind a closing quote is no field, quotes within text are', () => {
  const records = read(split('1,"a"b,c\n2,5" pipe,c\n3,"x ""y"" z",c\n', 100))
  expect(records.map(({ cells }) => cells)).toEqual([null, ['2', '5" pipe', 'c'], ['3', 'x "y" z', 'c']])
})
