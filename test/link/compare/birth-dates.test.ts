import { expect, test } from 'vitest'
import { compareBirthDates } from '../../../src/link/compare/birth-dates.ts'
import { BIRTH } from '../../../src/link/compare/levels.ts'

const date = (text: string): number => {
  const [year, month, day] = text.split('-').map(Number)
  return year! * 512 + month! * 32 + day!
}

test.each([
  ['1971-06-24', '1971-06-24', BIRTH.exact],
  ['1971-06-24', '1971-05-24', BIRTH.one_digit],
  ['1971-06-24', '1917-06-24', BIRTH.one_digit],
  ['1971-06-11', '1971-11-06', BIRTH.swapped],
  ['1971-06-24', '1971-01-01', BIRTH.january_first],
  ['1971-01-01', '1971-01-01', BIRTH.january_first],
  ['1971-06-24', '1971-00-00', BIRTH.partial],
  ['1971-06-24', '1971-07-00', BIRTH.year],
  ['1979-12-31', '1980-12-31', BIRTH.one_digit],
  ['1971-06-24', '1971-06-05', BIRTH.two_parts],
  ['1971-06-24', '1971-11-05', BIRTH.year],
  ['1971-06-24', '1970-11-05', BIRTH.close_year],
  ['1971-06-24', '1944-11-05', BIRTH.different],
  ['1971-06-24', '0000-00-00', 0],
  ['1971-00-00', '0000-06-24', 0],
])('birth dates %s and %s', (one, other, level) => {
  expect(compareBirthDates(date(one), date(other))).toBe(level)
  expect(compareBirthDates(date(other), date(one))).toBe(level)
})
