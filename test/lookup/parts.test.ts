import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ageAt, DEAD, packDate } from '../../src/lookup/format/birth.ts'
import { deletionHashes, editLimit } from '../../src/lookup/format/deletions.ts'
import { Dictionary } from '../../src/lookup/format/dictionary.ts'
import { milesBetween } from '../../src/lookup/search/distance.ts'
import { matchScore } from '../../src/lookup/person/match-score.ts'
import { PersonSet } from '../../src/lookup/snapshot/person-set.ts'
import { ageOn } from '../../src/normalize/date.ts'
import { damerauLevenshtein } from '../../src/normalize/similarity.ts'

const day = fc
  .tuple(
    fc.integer({ min: 1850, max: 2026 }),
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 0, max: 28 }),
  )
  .map(
    ([year, month, date]) =>
      `${year}-${String(month).padStart(2, '0')}-${String(month === 0 ? 0 : date).padStart(2, '0')}`,
  )

describe('ages', () => {
  test('are those of the night, whatever parts of a date are known', () => {
    fc.assert(
      fc.property(day, fc.constantFrom('2026-01-01', '2026-06-15', '2026-12-31'), (birth, today) => {
        expect(ageAt(packDate(birth), packDate(today))).toBe(ageOn(birth, today))
      }),
    )
  })

  test('the dead and those without a year have none', () => {
    expect(ageAt(packDate('1950-01-01') + DEAD, packDate('2026-01-01'))).toBeNull()
    expect(ageAt(packDate('0000-05-01'), packDate('2026-01-01'))).toBeNull()
    expect(ageAt(packDate(null), packDate('2026-01-01'))).toBeNull()
  })
})

describe('dictionary', () => {
  test('finds every text, and all that begin with one', () => {
    const texts = ['', 'ANN', 'ANNA', 'BEN', 'ÉTIENNE', 'ZOË'].sort()
    const start = Uint32Array.from([
      0,
      ...texts.map((_, n) => Buffer.byteLength(texts.slice(0, n + 1).join(''))),
    ])
    const dictionary = new Dictionary(start, Buffer.from(texts.join('')))
    expect(texts.map((text) => dictionary.text(dictionary.find(text)))).toEqual(texts)
    expect(dictionary.find('AN')).toBe(-1)
    expect(dictionary.find('ZZZ')).toBe(-1)
    const { low, high } = dictionary.prefix('AN')
    expect(texts.slice(low, high)).toEqual(['ANN', 'ANNA'])
    expect(dictionary.prefix('X')).toEqual({ low: 4, high: 4 })
  })

  test('tells what is one edit away, as strings are compared', () => {
    const word = fc.string({ unit: fc.constantFrom('A', 'B', 'Ë'), maxLength: 6 })
    fc.assert(
      fc.property(word, word, (text, other) => {
        const dictionary = new Dictionary(Uint32Array.of(0, Buffer.byteLength(text)), Buffer.from(text))
        expect(dictionary.isOneEditAway(0, other)).toBe(damerauLevenshtein(other, text, 1) === 1)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('deletions', () => {
  test('words within the edit limit of one another share one', () => {
    const word = fc.string({ unit: fc.constantFrom('A', 'B', 'C'), minLength: 2, maxLength: 9 })
    fc.assert(
      fc.property(word, word, (left, right) => {
        const limit = editLimit(left)
        if (damerauLevenshtein(left, right, limit) > limit) return
        expect([...deletionHashes(left)].some((hash) => deletionHashes(right).has(hash))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('sets of people', () => {
  test.each([10, 1_500, 10_000])('%i members come back once each, and the set is empty then', (size) => {
    const people = new PersonSet(20_000)
    const members = Array.from({ length: size }, (_, n) => n * 2)
    for (let round = 0; round < 2; round++) {
      for (const member of members.toReversed()) people.add(member)
      people.addSome(Uint32Array.from(members), 0, size)
      people.addSome(Uint32Array.from(members), size - 1, size)
      expect([...people.take()].toSorted((a, b) => a - b)).toEqual(members)
      expect(people.take()).toHaveLength(0)
    }
  })
})

describe('scores', () => {
  test('exact matches are never below fuzzy ones', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (match, completeness) => {
          expect(matchScore(match, completeness, true)).toBeGreaterThanOrEqual(50)
          expect(matchScore(match, completeness, true)).toBeLessThanOrEqual(99)
          expect(matchScore(match, completeness, false)).toBeLessThan(50)
          expect(matchScore(match, completeness, false)).toBeGreaterThanOrEqual(1)
        },
      ),
    )
  })
})

test('distances are great-circle miles', () => {
  // Austin to Dallas.
  expect(milesBetween({ latitude: 30.2672, longitude: -97.7431 }, 32.7767, -96.797)).toBeCloseTo(181.7, 0)
  expect(milesBetween({ latitude: 30, longitude: -97 }, Number.NaN, -97)).toBeNaN()
})
