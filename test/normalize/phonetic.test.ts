import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { phoneticKey } from '../../src/normalize/phonetic.ts'
import { anyLetter } from '../support/any-text.ts'

test.each([
  ['SMITH', 'SMYTH'],
  ['KATHERINE', 'CATHERINE'],
  ['PHILLIPS', 'FILIPS'],
  ['KNIGHT', 'NIGHT'],
  ['MCDONALD', 'MACDONALD'],
  ['CHRISTINA', 'KRISTINA'],
  ['WRIGHT', 'RITE'],
  ['JOHNSON', 'JONSON'],
  ['PEÑA', 'PENA'],
])('%s sounds like %s', (left, right) => {
  expect(phoneticKey(left)).toBe(phoneticKey(right))
})

test.each([
  ['SMITH', 'SM0'],
  ['THOMPSON', 'TMPSN'],
  ['SCHNEIDER', 'XNTR'],
  ['HUGHES', 'HS'],
  ['', ''],
  ['123', ''],
])('%s is coded %s', (word, code) => {
  expect(phoneticKey(word)).toBe(code)
})

test('every word has a code of at most six letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter }), (word) => {
      expect(phoneticKey(word)).toMatch(/^[A-Z0]{0,6}$/)
    }),
    { numRuns: 1000 },
  )
})
