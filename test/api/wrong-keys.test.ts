import { expect, test } from 'vitest'
import { WrongKeys } from '../../src/api/wrong-keys.ts'

test('an address that tried too many keys waits until tries come back, and good keys do not count', () => {
  const keys = new WrongKeys()
  for (let count = 0; count < 50; count++) expect(keys.try('198.51.100.1', 0)).toBe(0)
  expect(keys.try('198.51.100.1', 0)).toBeGreaterThan(0)
  expect(keys.try('198.51.100.2', 0)).toBe(0)
  keys.takeBack('198.51.100.1')
  expect(keys.try('198.51.100.1', 0)).toBe(0)
  expect(keys.try('198.51.100.1', 0)).toBeGreaterThan(0)
  expect(keys.try('198.51.100.1', 1_000)).toBe(0)
})

test('at most 10,000 addresses are remembered: with one more all start afresh', () => {
  const keys = new WrongKeys()
  while (keys.try('198.51.100.1', 0) === 0);
  for (let other = 1; other < 10_000; other++) keys.try(`address ${other}`, 0)
  expect(keys.try('198.51.100.1', 0)).toBeGreaterThan(0)
  keys.try('one more', 0)
  expect(keys.try('198.51.100.1', 0)).toBe(0)
})
