import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePhone } from '../../src/normalize/phone.ts'
import { anyLetter } from '../support/any-text.ts'

test.each([
  '206-555-0142',
  '(206) 555-0142',
  '206.555.0142',
  '2065550142',
  '12065550142',
  '+1 206 555 0142',
  '1-206-555-0142',
  '206 555 0142 x77',
  '206/555-0142 ext. 77',
  'Tel: 206-555-0142',
  '2065550142.0',
  ' 206–555–0142 ',
])('%j is one number', (text) => {
  expect(parsePhone(text)).toEqual({
    phone: '12065550142',
    national_format: '(206) 555-0142',
    is_toll_free: false,
  })
})

test('an extension glued to the number is taken off where the file says what it is', () => {
  expect(parsePhone('206555014277', '77')?.phone).toBe('12065550142')
  expect(parsePhone('2065550142', '77')?.phone).toBe('12065550142')
  expect(parsePhone('2065550142', '42')?.phone).toBe('12065550142')
})

test.each([
  '',
  '0000000000',
  '1111111111',
  '9999999999',
  '1234567890',
  '555-0142',
  '206555014',
  '0065550142',
  '9115550142',
  '2060550142',
  '+44 20 7946 0958',
  'none',
])('%j is no number', (text) => {
  expect(parsePhone(text)).toBeNull()
})

test('toll-free numbers say so', () => {
  expect(parsePhone('800-555-0142')?.is_toll_free).toBe(true)
})

test('Canada and the Caribbean are in the plan', () => {
  expect(parsePhone('416-555-0142')?.phone).toBe('14165550142')
  expect(parsePhone('809-555-0142')?.phone).toBe('18095550142')
})

test('a national number reads as itself, and nothing typed is an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: anyLetter }), fc.stringMatching(/^[0-9() .x+-]{7,16}$/)),
      (text) => {
        const found = parsePhone(text)
        if (found !== null) expect(parsePhone(found.national_format)).toEqual(found)
      },
    ),
  )
})

const isValid = (digits: string): boolean => parsePhoneNumberFromString(`+1${digits}`)?.isValid() === true

test('whether a number could be assigned never depends on its last four digits', () => {
  let state = 7
  const below = (of: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * of)
  }
  const wrong: string[] = []
  for (let n = 0; n < 6_000; n += 1) {
    const exchange = String(200_000 + below(800_000))
    const lines = ['0000', '9999', String(below(10_000)).padStart(4, '0')]
    const answers = lines.map((line) => isValid(exchange + line))
    if (new Set(answers).size > 1) wrong.push(exchange)
  }
  expect(wrong).toEqual([])
})
