import { expect, test } from 'vitest'
import { ageOn } from '../../src/normalize/date.ts'

test.each([
  ['1980-05-10', '2026-05-09', 45],
  ['1980-05-10', '2026-05-10', 46],
  ['1980-05-00', '2026-05-09', 46],
  ['1980-05-00', '2026-04-30', 45],
  ['1980-00-00', '2026-01-01', 46],
  ['1980', '2026-01-01', 46],
  ['2026-01-01', '2026-01-01', 0],
])('born %s, on %s: %i', (birth, today, age) => {
  expect(ageOn(birth, today)).toBe(age)
})

test.each([null, '', '0000-00-00', '1850-01-01', '2030-01-01', 'unknown'])('born %j: not known', (birth) => {
  expect(ageOn(birth, '2026-01-01')).toBeNull()
})
