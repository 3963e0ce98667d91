import { describe, expect, test } from 'vitest'
import { normalizeAddress } from '../../src/normalize/address.ts'
import { parseName } from '../../src/normalize/name.ts'
import { addressNotation, nameNotation, readLabelledLines } from './labelled-lines.ts'

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
