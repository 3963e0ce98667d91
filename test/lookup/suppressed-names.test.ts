import { describe, expect, test } from 'vitest'
import { mayMeanSuppressed, nameKey, type SuppressedNames } from '../../src/lookup/suppressed-names.ts'
import { stateCode } from '../../src/lookup/states.ts'

const TEXAN = { initials: 'A', states: new Set([stateCode('TX')]) }
const NAMES: SuppressedNames = new Map([
  [nameKey('JANE', 'SMITH'), [TEXAN]],
  [nameKey('MARIA', 'DELACRUZ'), [{ initials: '', states: new Set<number>() }]],
])

describe('a text that may mean somebody suppressed', () => {
  test.each([
    ['their name', 'Jane Smith', 'TX'],
    ['their name as a county writes it', 'SMITH JANE A', 'TX'],
    ['with the middle name in full', 'Jane Ann Smith', 'TX'],
    ['with a suffix', 'Jane Smith Jr', 'TX'],
    ['beside a spouse', 'SMITH JOHN Q & JANE A', 'TX'],
    ['their trust', 'Jane A Smith Revocable Living Trust', 'TX'],
    ['their estate', 'Estate of Jane Smith', 'TX'],
    ['where it is not known which state the text is of', 'Jane Smith', null],
    ['a surname of several words', 'Maria de la Cruz', 'NY'],
  ])('%s', (_, text, state) => {
    expect(mayMeanSuppressed(NAMES, text, state)).toBe(true)
  })

  test.each([
    ['another first name', 'John Smith', 'TX'],
    ['another middle name', 'Jane Teresa Smith', 'TX'],
    ['the name in a state in which they never lived', 'Jane Smith', 'FL'],
    ['a surname alone', 'Smith Family Trust', 'TX'],
    ['a company that has their name', 'Jane Smith LLC', 'TX'],
    ['a bank', 'Invented Savings Bank', 'TX'],
    ['nothing', '', 'TX'],
  ])('and one that does not: %s', (_, text, state) => {
    expect(mayMeanSuppressed(NAMES, text, state)).toBe(false)
  })

  test('none does when nobody is suppressed', () => {
    expect(mayMeanSuppressed(new Map(), 'Jane Smith', 'TX')).toBe(false)
  })
})
