import { describe, expect, test } from 'vitest'
import { mayMeanSuppressed, nameKey, type NameInWords, namesInTexts, type SuppressedNames } from '../../src/lookup/format/suppressed-names.ts' // prettier-ignore
import { stateCode } from '../../src/lookup/format/states.ts'

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

const of = (name: NameInWords): SuppressedNames =>
  new Map(Array.from(namesInTexts(name), ([key, initials]) => [key, [{ initials, states: new Set() }]]))

describe('somebody of several surnames or given names', () => {
  const MARIA = of({ first: ['MARIA'], last: ['GARCIA', 'LOPEZ'], initials: 'E' })
  const MARY = of({ first: ['MARY', 'ANN'], last: ['BAKER'], initials: '' })
  const ANA = of({ first: ['ANA', 'LUZ'], last: ['DE', 'LA', 'CRUZ', 'ORTIZ'], initials: '' })

  test.each([
    ['both surnames', MARIA, 'Maria Garcia Lopez'],
    ['both, as a roll writes them', MARIA, 'GARCIA LOPEZ MARIA E'],
    ['a hyphen between them', MARIA, 'GARCIA-LOPEZ MARIA'],
    ['the first of them', MARIA, 'GARCIA MARIA'],
    ['the second, and the middle name', MARIA, 'Maria Elena Lopez'],
    ['both given names', MARY, 'Mary Ann Baker'],
    ['both in one word', MARY, 'BAKER MARYANN'],
    ['the first of them', MARY, 'BAKER MARY'],
    ['the first of them and the other’s initial', MARY, 'Mary A Baker'],
    ['the first of both', ANA, 'CRUZ ANA'],
    ['a surname without its particles', ANA, 'Ana L Ortiz'],
  ])('may be meant by a text that has %s', (_, names, text) => {
    expect(mayMeanSuppressed(names, text, 'TX')).toBe(true)
  })

  test.each([
    ['another middle name', MARIA, 'Maria Teresa Lopez'],
    ['another first name', MARIA, 'GARCIA MARTA'],
    ['another second given name', MARY, 'Mary Teresa Baker'],
    ['the second given name for the first', MARY, 'BAKER ANN'],
    ['a particle for a surname', ANA, 'Ana Delgado La'],
  ])('and is not by one that has %s', (_, names, text) => {
    expect(mayMeanSuppressed(names, text, 'TX')).toBe(false)
  })
})
