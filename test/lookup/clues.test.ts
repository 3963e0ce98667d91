import { expect, test } from 'vitest'
import { ContactClue } from '../../src/lookup/identify/clues.ts'

test.each([1, 2, 32, 33, 500])(
  'a contact of %i people is each one’s as surely as listed, and nobody else’s',
  (count) => {
    const people = Array.from({ length: count }, (_, n) => ({ person: (n * 7919) % 10_007, score: n % 101 }))
    const clue = new ContactClue(people)
    for (const { person, score } of people) expect(clue.qualityOf(person)).toBe(0.5 + score / 200)
    expect(clue.total).toBeCloseTo(people.reduce((sum, { score }) => sum + 0.5 + score / 200, 0))
    expect([10_007, 20_014].map((person) => clue.qualityOf(person))).toEqual([0, 0])
  },
)
