import { expect, test } from 'vitest'
import { WeighedPeople } from '../../src/lookup/identify/weighed-people.ts'

test('everybody is there once, however many they are, and nobody for the next row', () => {
  const found = new WeighedPeople()
  const people = Array.from({ length: 100_000 }, (_, n) => (n * 7919) % 1_000_003)
  for (let row = 0; row < 2; row++) {
    expect(people.every((person, index) => found.add(person) === index)).toBe(true)
    expect(people.every((person) => found.add(person) === -1)).toBe(true)
    expect(found.count).toBe(people.length)
    found.clear()
  }
})
