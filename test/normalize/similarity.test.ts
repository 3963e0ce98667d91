import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { damerauLevenshtein, fewEdits, jaroWinkler, jaroWinklerOf } from '../../src/normalize/similarity.ts'

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

// The definition, letter by letter: a letter matches the first free equal one within reach.
function plainJaroWinkler(a: string, b: string): number {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const free = b.split('').map(() => true)
  const found = a.split('').map((letter, i) => {
    const at = free.findIndex((isFree, j) => isFree && b[j] === letter && Math.abs(i - j) <= reach)
    if (at >= 0) free[at] = false
    return at
  })
  const ofA = a.split('').filter((_, i) => found[i]! >= 0)
  const ofB = b.split('').filter((_, j) => !free[j])
  const common = ofA.length
  if (common === 0) return 0
  const swaps = ofA.filter((letter, k) => letter !== ofB[k]).length / 2
  const jaro = (common / a.length + common / b.length + (common - swaps) / common) / 3
  if (jaro <= 0.7) return jaro
  const prefix = [0, 1, 2, 3].findIndex((k) => k >= a.length || k >= b.length || a[k] !== b[k])
  return jaro + (prefix < 0 ? 4 : prefix) * 0.1 * (1 - jaro)
}

test('similarity agrees with its definition, for strings and for bytes inside a longer array', () => {
  fc.assert(
    fc.property(word, word, (left, right) => {
      const expected = left === right ? 1 : plainJaroWinkler(left, right)
      expect(jaroWinkler(left, right)).toBeCloseTo(expected, 12)
      if (left === '' || right === '') return
      const bytes = Buffer.from(`X${left}Y${right}`)
      const start = left.length + 2
      expect(jaroWinklerOf(bytes, 1, left.length, bytes, start, right.length)).toBeCloseTo(expected, 12)
    }),
    { numRuns: 2000 },
  )
})

test('few edits agree with the textbook: none, one, or more', () => {
  fc.assert(
    fc.property(word, word, (left, right) => {
      const bytes = Buffer.from(`X${left}Y${right}`)
      const start = left.length + 2
      const edits = fewEdits(bytes, 1, 1 + left.length, bytes, start, start + right.length)
      expect(edits).toBe(Math.min(oracle(left, right), 2))
    }),
    { numRuns: 4000 },
  )
})
