import { describe, expect, test } from 'vitest'
import { normalizeAddress } from '../../src/normalize/address.ts'
import { parseName } from '../../src/normalize/name.ts'
import { addressNotation, nameNotation, orderOf, readLabelledLines } from './labelled-lines.ts'

// Labelled by hand from the rules of the field before anything was read with the code (test/fixtures/normalize).
function kindOf(text: string, expected: string): string {
  const { kind } = parseName(text, 'unknown')
  return expected.split('/').includes(kind) ? expected : kind
}

describe.each<[string, (text: string, expected: string) => string]>([
  ['addresses', (text) => addressNotation(normalizeAddress({ line_1: text }))],
  ['names', nameNotation],
  ['organisations', kindOf],
])('%s', (set, read) => {
  const lines = readLabelledLines(`${set}.txt`)
  const sections = Map.groupBy(lines, ({ section }) => section)

  test.each([...sections])('%s', (_, section) => {
    const asserted = section.filter(({ isKnownLimit }) => !isKnownLimit)
    expect(asserted.map(({ text, expected }) => `${text} => ${read(text, expected)}`)).toEqual(
      asserted.map(({ text, expected }) => `${text} => ${expected}`),
    )
  })

  test('a known limit that is one no longer loses its mark', () => {
    const limits = lines.filter(({ isKnownLimit }) => isKnownLimit)
    expect(limits.filter(({ text, expected }) => read(text, expected) === expected)).toEqual([])
  })
})

const AUSTIN = { city: 'Austin', state: 'TX', zip: '78701' }

test('a normalised address, shown in fields or in one, is the same address', () => {
  const shown = readLabelledLines('addresses.txt').flatMap(({ text, expected }) => {
    const once = normalizeAddress({ line_1: text, ...(expected.split('|').length > 8 ? {} : AUSTIN) })
    return once.address_key === null ? [] : [once]
  })
  expect(shown.length).toBeGreaterThan(900)
  for (const once of shown) {
    const { line1: line_1, city, state, zip } = once
    const inFields = normalizeAddress({ line_1, city, state, zip })
    expect([inFields.address_key, inFields.line1]).toEqual([once.address_key, line_1])
    expect(normalizeAddress({ line_1: once.full_address }).address_key).toBe(once.address_key)
  }
})

test('a person with one surname, shown, is read as the same person', () => {
  const lines = readLabelledLines('names.txt').filter(({ isKnownLimit }) => !isKnownLimit)
  const people = lines
    .flatMap(({ text }) => parseName(text.slice(2), orderOf(text)).people)
    .filter(({ first, last }) => first !== null && last !== null && !last.includes(' '))
  expect(people.length).toBeGreaterThan(500)
  // 'Pat Old' could be anything, and 'Mercer Dana' is turned round when nobody says that it is in order.
  const unlike = people.filter((person) => {
    const found = parseName(person.display, 'given_first').people
    return found.length !== 1 || found[0]!.display !== person.display || found[0]!.last !== person.last
  })
  expect(unlike.map(({ display }) => display)).toEqual(['Mercer Dana', 'Pat Old'])
})
