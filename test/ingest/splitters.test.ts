import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Framer, MAX_RECORD_BYTES } from '../../src/ingest/framing.ts'
import { fixedSplitter, QuotedSplitter, unquotedSplitter } from '../../src/ingest/splitters.ts'
import type { Splitter } from '../../src/ingest/framing.ts'

interface Framed {
  records: { line: number; text: string }[]
  refused: { line: number; text: string; reason: string }[]
  physical: number
}

function frame(text: string | Buffer, splitter: Splitter, blockBytes = 1 << 20): Framed {
  const framed: Framed = { records: [], refused: [], physical: 0 }
  const framer = new Framer(
    splitter,
    {
      record: (line, bytes, start, end) =>
        framed.records.push({ line, text: bytes.toString('utf8', start, end) }),
      refuse: (line, raw, reason) => framed.refused.push({ line, text: raw.toString('latin1'), reason }),
    },
    { encoding: 'utf-8', firstLine: 1 },
  )
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += blockBytes)
    framer.push(bytes.subarray(at, at + blockBytes), false)
  framer.push(Buffer.alloc(0), true)
  framed.physical = framer.physicalRecords
  return framed
}

const quoted = (fieldCount: number): QuotedSplitter =>
  new QuotedSplitter({ delimiter: ',', fieldCount, trailingDelimiter: false })

test('a quoted field may hold delimiters, doubled quotes and line ends; lines are counted through it', () => {
  const framed = frame('1,"a, ""b""",x\r\n2,"two\nlines",y\r\n3,c,z\r\n', quoted(3))
  expect(framed.refused).toEqual([])
  expect(framed.records).toEqual([
    { line: 1, text: '1,"a, ""b""",x' },
    { line: 2, text: '2,"two\nlines",y' },
    { line: 4, text: '3,c,z' },
  ])
})

test.each([
  ['opens and never ends', '2,"b,x', 'a quoted field does not end'],
  ['stands inside a field', '2,b"b,x', 'a quote stands inside an unquoted field'],
  ['ends in the middle of a field', '2,"b"b,x', 'a closing quote is followed by text'],
])('a stray quote that %s costs its own line only', (_name, line, reason) => {
  const framed = frame(`1,a,x\n${line}\n3,"c",z\n4,d,"w"\n`, quoted(3))
  expect(framed.refused).toEqual([{ line: 2, text: line, reason }])
  expect(framed.records.map((record) => record.line)).toEqual([1, 3, 4])
  expect(framed.physical).toBe(4)
})

test('two stray quotes in the last field do not swallow the record between them', () => {
  const framed = frame('1,a,"\n2,b,"\n3,c,z\n', quoted(3))
  expect(framed.refused.map((record) => record.line)).toEqual([1, 2])
  expect(framed.records).toEqual([{ line: 3, text: '3,c,z' }])
})

test('a record with too few or too many fields is refused with both numbers', () => {
  const framed = frame('1,a\n1,a,b\n1,a,b,c\n', quoted(3))
  expect(framed.refused.map(({ line, reason }) => [line, reason])).toEqual([
    [1, 'the line has 2 fields instead of 3'],
    [3, 'the line has 4 fields instead of 3'],
  ])
})

test('blank lines, a missing last line end and the end-of-file mark of DOS are no records', () => {
  const framed = frame('\n1,a,x\n  \n\r\n2,b,y\n\u001a', quoted(3))
  expect(framed.records.map((record) => record.line)).toEqual([2, 5])
  expect(framed.physical).toBe(2)
  expect(frame('1,a,x', quoted(3)).records).toEqual([{ line: 1, text: '1,a,x' }])
})

test('without quotes a quote is an ordinary character, and the delimiter may end the line', () => {
  const splitter = unquotedSplitter({ delimiter: '|', fieldCount: 3, trailingDelimiter: true })
  const framed = frame('1|5" PIPE|x|\n2|b|y\n3|c|z|\n', splitter)
  expect(framed.records.map((record) => record.line)).toEqual([1, 3])
  expect(framed.refused).toEqual([{ line: 2, text: '2|b|y', reason: 'the line has 2 fields instead of 3' }])
})

test('a longer fixed-width record is fine, a shorter one refused', () => {
  const framed = frame('abcdef\r\nabcdefgh\r\nabc\r\n', fixedSplitter(6))
  expect(framed.records.map((record) => record.line)).toEqual([1, 2])
  expect(framed.refused).toEqual([{ line: 3, text: 'abc', reason: 'the record has 3 bytes instead of 6' }])
})

test('bytes that are no UTF-8 and NUL bytes cost their line only', () => {
  const bytes = Buffer.concat([
    Buffer.from('1,a,x\n2,'),
    Buffer.from([0xff, 0xe9]),
    Buffer.from(',y\n3,\0,z\n4,é,w\n'),
  ])
  const framed = frame(bytes, quoted(3))
  expect(framed.refused.map(({ line, reason }) => [line, reason])).toEqual([
    [2, 'the line is not valid UTF-8'],
    [3, 'the line holds a NUL byte'],
  ])
  expect(framed.records.map((record) => record.line)).toEqual([1, 4])
})

test('a monstrous line is refused with its length, and never kept in memory', () => {
  const monster = 'x'.repeat(3 * MAX_RECORD_BYTES)
  const framed = frame(`1,a,x\n${monster}\n3,c,z\n`, quoted(3), 1 << 16)
  expect(framed.refused).toEqual([
    {
      line: 2,
      text: 'x'.repeat(4000),
      reason: `the line has ${3 * MAX_RECORD_BYTES} bytes, more than ${MAX_RECORD_BYTES}`,
    },
  ])
  expect(framed.records.map((record) => record.line)).toEqual([1, 3])
})

const field = fc.string({
  unit: fc.constantFrom('a', 'b', '1', ',', '"', '\n', ' ', 'é', '\r'),
  maxLength: 6,
})

test('what is written as RFC 4180 is read back, whatever the size of the blocks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(9), field, field), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 40 }),
      (rows, blockBytes) => {
        const lines = rows.map(
          ([id, b, c]) => `${id},"${b.replaceAll('"', '""')}","${c.replaceAll('"', '""')}"`,
        )
        const framed = frame(`${lines.join('\n')}\n`, quoted(3), blockBytes)
        // A line of a field that is itself a whole record of the right count is taken for one, by intent.
        fc.pre(framed.refused.length === 0)
        const read = framed.records.map(({ text }) => parse(text)[0])
        expect(read).toEqual(rows.map(([id, b, c]) => [String(id), b, c]))
      },
    ),
    { numRuns: 300, seed: 1 },
  )
})

test('every line of any text is accounted for, and blocks of any size give the same', () => {
  const anything = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' '), maxLength: 60 })
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 9 }), (text, blockBytes) => {
      const whole = frame(text, quoted(3))
      expect(frame(text, quoted(3), blockBytes)).toEqual(whole)
      expect(whole.physical).toBe(whole.records.length + whole.refused.length)
      const inside = whole.records.reduce((sum, record) => sum + record.text.split('\n').length - 1, 0)
      const blank = text.split('\n').filter((line) => line.replaceAll(/[ \r]/g, '') === '').length
      const lines = text.split('\n').length
      const blankInside = whole.records.flatMap((record) =>
        record.text
          .split('\n')
          .slice(1)
          .filter((line) => line.replaceAll(/[ \r]/g, '') === ''),
      ).length
      expect(whole.physical + inside + blank - blankInside).toBe(lines)
    }),
    { numRuns: 1000, seed: 2 },
  )
})
