import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextIndex } from '../src/text-index.ts'

const NAMES = fc.uniqueArray(fc.string({ unit: 'binary-ascii', maxLength: 6 }), { maxLength: 80 })

/** The texts one behind the other, with a byte between them that belongs to none. */
function indexOf(texts: readonly string[]): TextIndex {
  const starts: number[] = []
  const ends: number[] = []
  let all = ''
  for (const text of texts) {
    starts.push(all.length)
    ends.push(all.length + text.length)
    all += `${text},`
  }
  return new TextIndex(Buffer.from(all, 'latin1'), Uint32Array.from(starts), Uint32Array.from(ends))
}

test('an index finds each of its texts by number, and no other text, as a map does', () => {
  fc.assert(
    fc.property(NAMES, NAMES, (texts, others) => {
      const index = indexOf(texts)
      const model = new Map(texts.map((text, number) => [text, number]))
      for (const text of [...texts, ...others]) expect(index.find(text)).toBe(model.get(text) ?? -1)
    }),
  )
})

test('a text beyond ASCII is not taken for the bytes that it consists of', () => {
  const bytes = Buffer.from('é')
  const index = new TextIndex(bytes, Uint32Array.of(0), Uint32Array.of(bytes.length))
  expect(index.find('é')).toBe(-1)
  expect(index.find(bytes.toString('latin1'))).toBe(-1)
})

test('an index of nothing finds nothing', () => {
  expect(indexOf([]).find('')).toBe(-1)
  expect(indexOf(['']).find('')).toBe(0)
})
