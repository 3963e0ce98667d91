import { expect, test } from 'vitest'
import { TokenBuckets } from '../../src/state/token-buckets.ts'

test('an address that tried too many keys waits until tries come back, and good keys do not count', () => {
  const keys = new TokenBuckets(5, 50)
  for (let count = 0; count < 50; count++) expect(keys.take('198.51.100.1', 0)).toBe(0)
  expect(keys.take('198.51.100.1', 0)).toBeGreaterThan(0)
  expect(keys.take('198.51.100.2', 0)).toBe(0)
  keys.giveBack('198.51.100.1')
  expect(keys.take('198.51.100.1', 0)).toBe(0)
  expect(keys.take('198.51.100.1', 0)).toBeGreaterThan(0)
  expect(keys.take('198.51.100.1', 1_000)).toBe(0)
})

test('at most 10,000 addresses are remembered: with one more all start afresh', () => {
  const keys = new TokenBuckets(5, 50)
  while (keys.take('198.51.100.1', 0) === 0);
  for (let other = 1; other < 10_000; other++) keys.take(`address ${other}`, 0)
  expect(keys.take('198.51.100.1', 0)).toBeGreaterThan(0)
  keys.take('one more', 0)
  expect(keys.take('198.51.100.1', 0)).toBe(0)
})
