import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PersonSet } from '../../src/lookup/snapshot/person-set.ts'
import { type AnyWord, PairSearch, pairsOf, peopleWithBoth } from '../../src/lookup/snapshot/word-pairs.ts'

const WORDS = 60
const PEOPLE = 5_000

type Pair = readonly [rare: number, common: number]

/** A column of pairs as publication writes it: each once, with three people of its own. */
function columnsOf(pairs: readonly Pair[]) {
  const sorted = [...new Set(pairs.map(([rare, common]) => rare * WORDS + common))].sort((a, b) => a - b)
  const word_partner_start = new Uint32Array(WORDS + 1)
  for (const pair of sorted) word_partner_start[Math.floor(pair / WORDS) + 1]!++
  for (let word = 0; word < WORDS; word++) word_partner_start[word + 1]! += word_partner_start[word]!
  return {
    word_partner_start,
    partner_words: Uint32Array.from(sorted, (pair) => pair % WORDS),
    partner_people_start: Uint32Array.from({ length: sorted.length + 1 }, (_, at) => at * 3),
    partner_people: Uint32Array.from({ length: sorted.length * 3 }, (_, at) => (at * 7) % PEOPLE),
  }
}

const word = fc.integer({ min: 0, max: WORDS - 1 })
const wanted = fc.record({
  words: fc.uniqueArray(word, { maxLength: 30 }),
  range: fc.option(fc.tuple(word, word)),
})
type Wanted = typeof wanted extends fc.Arbitrary<infer Value> ? Value : never

/** Every word that may stand for a wanted one. */
function meant({ words, range }: Wanted): Set<number> {
  const [low, high] = range === null ? [0, 0] : [Math.min(...range), Math.max(...range)]
  return new Set([...words, ...Array.from({ length: high - low }, (_, at) => low + at)])
}

test('one search after the other finds everyone who has two wanted words, and nobody else', () => {
  const pair = fc.tuple(word, word)
  // More pairs than are followed up at once.
  const pairs = fc.array(pair, { minLength: 20, maxLength: 3_000, size: 'max' })
  const searches = fc.array(fc.tuple(wanted, wanted), { minLength: 1, maxLength: 4 })
  let most = 0
  fc.assert(
    fc.property(pairs, searches, (all, asked) => {
      const columns = columnsOf(all)
      const search = new PairSearch(columns)
      const people = new PersonSet(PEOPLE)
      const anyOf = (one: Wanted): AnyWord => {
        const words = Uint32Array.from(one.words).sort()
        const [low, high] = one.range === null ? [0, 0] : [Math.min(...one.range), Math.max(...one.range)]
        return { low, high, words, pairs: pairsOf(columns, words) }
      }
      for (const [one, other] of asked) {
        const expected = new Set<number>()
        for (const left of meant(one)) {
          for (const right of meant(other)) {
            for (const person of peopleWithBoth(columns, left, right)) expected.add(person)
            for (const person of peopleWithBoth(columns, right, left)) expected.add(person)
          }
        }
        search.addPeopleWithBoth(anyOf(one), anyOf(other), people)
        expect([...people.take()].toSorted((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b))
        most = Math.max(most, expected.size)
      }
    }),
    // Columns this long would be made smaller for minutes.
    { numRuns: 60, endOnFailure: true },
  )
  expect(most).toBeGreaterThan(256)
})
