import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseName, parseWhole } from '../../src/normalize/name.ts'
import { censusNames } from '../../src/normalize/name-frequencies.ts'
import {
  CREDENTIALS,
  GENERATIONS,
  organisationWords,
  PARTICLES,
  TITLE_LEADS,
  TITLES,
  TRUST_SORTS,
  VIETNAMESE,
} from '../../src/normalize/name-words.ts'
import { readPlainName } from '../../src/normalize/plain-name.ts'
import { referenceWords } from '../../src/normalize/reference.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
const FIRMS = referenceWords('known-firms.txt').filter((name) => name.includes(' '))
// What the reader treats in ways of its own, and what stands beside it there.
const MARKED = [
  ...[TITLES, TITLE_LEADS, CREDENTIALS, PARTICLES, TRUST_SORTS, VIETNAMESE, organisationWords()].flatMap((words) => [...words]), // prettier-ignore
  ...GENERATIONS.keys(),
  ...'AND OR TRUSTEE TRS ET AL UX ETAL WIFE MINOR SINGLE MARRIED WIDOW LIFE ESTATE EST OF BY TENANTS IN COM JT TEN DBA AKA CARE ATTN HEIRS BANK SAVINGS LIABILITY BROTHERS SONS AVE HWY LES LOS TEMPLE BETH GRACE SA DE LA JO ANNE SHA THI'.split(' '), // prettier-ignore
].filter((word) => /^[A-Z]+$/.test(word))

const word = fc.oneof(
  fc.constantFrom(...censusNames()),
  fc.constantFrom(...MARKED),
  fc.constantFrom(...LETTERS),
  fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 2, maxLength: 9 }),
)
const name = fc.oneof(
  { weight: 20, arbitrary: fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => words.join(' ')) },
  { weight: 1, arbitrary: fc.constantFrom(...FIRMS) },
)

describe('names of plain words', () => {
  test('are read as the whole reader reads them, or left to it', () => {
    let plain = 0
    fc.assert(
      fc.property(name, (text) => {
        const person = readPlainName(text)
        if (person === null) return
        plain++
        expect(parseWhole(text, 'given_first')).toEqual(parseName(text, 'given_first'))
        expect(parseWhole(text, 'given_first').people).toEqual([person])
      }),
      { numRuns: 20_000 },
    )
    expect(plain).toBeGreaterThan(3_000)
  })

  test.each(['Jane Roe', 'jane q roe', 'JANE ANNE ROE', 'J Roe'])('%s is one', (text) => {
    expect(readPlainName(text)?.last).toBe('ROE')
  })

  test.each([
    'Roe',
    'Jane Roe Jr',
    'Dr Jane Roe',
    'Roe, Jane',
    'Jane  Roe',
    "Jane O'Roe",
    'Jane De Roe',
    'Swanson Peter',
    'Roe Plumbing',
    'Jane R',
    'Burger King',
  ])(
    // prettier-ignore
    '%s is left to the whole reader',
    (text) => {
      expect(readPlainName(text)).toBeNull()
    },
  )
})
