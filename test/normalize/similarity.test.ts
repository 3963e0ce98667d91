import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { damerauLevenshtein, jaroWinkler } from '../../src/normalize/similarity.ts'

test.each([
  ['MARTHA', 'MARHTA', 0.9611],
  ['DWAYNE', 'DUANE', 0.84],
  ['DIXON', 'DICKSONX', 0.8133],
  ['ROE', 'ROE', 1],
  ['ABC', 'XYZ', 0],
  ['', 'ROE', 0],
])('Jaro-Winkler of %s and %s, as published', (left, right, similarity) => {
  expect(jaroWinkler(left, right)).toBeCloseTo(similarity, 3)
})

test.each([
  ['ROE', 'ROE', 0],
  ['ROE', 'REO', 1],
  ['SMITH', 'SMYTH', 1],
  ['SMITH', 'SMTIH', 1],
  ['KITTEN', 'SITTING', 3],
])('edits from %s to %s', (left, right, edits) => {
  expect(damerauLevenshtein(left, right, 5)).toBe(edits)
})

// The textbook table, without stopping early.
function oracle(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replace = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      table[i]![j] = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, replace)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1)
    }
  }
  return table[a.length]![b.length]!
}

const word = fc.string({ unit: fc.constantFrom('A', 'B', 'C', 'D'), maxLength: 9 })

test('edits agree with the textbook up to the limit', () => {
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 4 }), (left, right, limit) => {
      expect(damerauLevenshtein(left, right, limit)).toBe(Math.min(oracle(left, right), limit + 1))
    }),
    { numRuns: 2000 },
  )
})

test('similarity is between 0 and 1, and the same both ways', () => {
  fc.assert(
    fc.property(word, word, (left, right) => {
      const similarity = jaroWinkler(left, right)
      expect(similarity).toBeGreaterThanOrEqual(0)
      expect(similarity).toBeLessThanOrEqual(1)
      expect(jaroWinkler(right, left)).toBeCloseTo(similarity, 10)
    }),
  )
})
