import { expect, test } from 'vitest'
import { monthOf, startOfNextMonth } from '../../src/state/usage.ts'

test('a month is the one in UTC, and the next begins at its first instant', () => {
  const last = Date.parse('2026-12-31T23:59:59.999Z')
  expect([monthOf(last), monthOf(last + 1)]).toEqual(['2026-12', '2027-01'])
  expect(startOfNextMonth(last)).toBe(last + 1)
  expect(startOfNextMonth(last + 1)).toBe(Date.parse('2027-02-01T00:00:00Z'))
})
