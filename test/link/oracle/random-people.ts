import { type Arbitrary, array, constant, constantFrom, integer, nat, oneof, record, sample, tuple, uniqueArray } from 'fast-check' // prettier-ignore
import type { MentionRow } from '../records/random-mentions.ts'

// Nicknames, names that sound alike, and names that begin like others.
const FIRST = words('JOHN JON JOHNNY MARY MARIE ROBERT BOB BOBBY ROBERTA AL ALBERT SUSIE SUSAN ANN CATHERINE KATHRYN KATE STEVEN STEPHEN GARY LEE J M') // prettier-ignore
const LAST = words('SMITH SMYTH SCHMIDT GARCIA LOPEZ NOWAK SIMPSON SIMSON SANDERS SANDERSON WRIGHT LEE LI PHILLIPS FILIPS JOHN MARY') // prettier-ignore
const MIDDLE = words('A B ANN LEE JOHN SMITH THOMAS THOMSA MARY')
const PHONES = words('15125550101 15125550107 15125550177 12065550101')
const EMAILS = words('john.smith@example.com john.smith@example.net john.smyth@example.com mary@example.org')
const STREETS = ['OAK ST', 'OAK STREET', 'ELM AVE', 'ELN AVE', 'ORCHARD RD']
const SPRINGFIELD = { city: 'SPRINGFIELD', state: 'FL', zip: '32999' }
const TOWNS = [
  SPRINGFIELD,
  SPRINGFIELD,
  { city: 'SPRINGFIELD', state: 'FL', zip: '32989' },
  { city: 'SPRINGFEILD', state: 'FL', zip: null },
  { city: 'MIAMI', state: 'FL', zip: '33101' },
  { city: 'AUSTIN', state: 'TX', zip: '78701' },
  { city: null, state: 'TX', zip: null },
  { city: null, state: null, zip: null },
]

const typo = tuple(constantFrom('drop', 'double', 'swap', 'other'), nat(9))
const address = record({
  key: maybe(2, of(['K1', 'K2'])),
  house_number: maybe(9, of(['1', '12', '13', '977'])),
  street_name: maybe(9, of(STREETS)),
  unit_number: maybe(4, of(['4', '5'])),
  town: of(TOWNS),
}).map(({ key, town, ...parts }) => ({
  address_key: key === null ? null : `${key}-${parts.unit_number ?? ''}`,
  building_key: key,
  ...parts,
  ...town,
}))
const person = record({
  source_id: of(['roll', 'voters', 'contacts']),
  first_name: maybe(9, name(FIRST)),
  middle_name: maybe(4, of(MIDDLE)),
  last_name: maybe(9, name(LAST)),
  name_suffix: maybe(2, of(['JR', 'SR', 'II'])),
  other_last_names: maybe(1, of(LAST)),
  birth_year: maybe(8, integer({ min: 1950, max: 1953 })),
  birth_month: maybe(9, of([1, 2, 10, 12])),
  birth_day: maybe(9, of([1, 2, 10, 21])),
  addresses: array(address, { maxLength: 2 }),
  phones: uniqueArray(of(PHONES), { maxLength: 2 }),
  emails: uniqueArray(of(EMAILS), { maxLength: 1 }),
  gender: maybe(4, of(['M', 'F'])),
  employer: maybe(4, of(['ACME', 'ACMEE', 'GLOBEX', 'INITECH'])),
  voter: maybe(3, of(words('100234 110234 100235 4711 4811'))),
  birthplace: maybe(4, of(['OHIO', 'MAINE'])),
})

/** Returns rows of `link.records` in which every level of every comparison occurs. Fields are independent, and some names are mistyped. */
export function randomPeople(seed: number, count: number): MentionRow[] {
  const people = sample(person, { seed, numRuns: count })
  // Every tenth record has the names of the one before, swapped.
  people.forEach((one, n) => {
    if (n % 10 === 9) [one.first_name, one.last_name] = [people[n - 1]!.last_name, people[n - 1]!.first_name]
  })
  return people.map(({ addresses, voter, birthplace, other_last_names: other, ...fields }, n) => ({
    record_id: `r${String(n).padStart(4, '0')}`,
    ...fields,
    other_last_names: other === null ? [] : [other],
    addresses: JSON.stringify(addresses).replaceAll('"', "'").replaceAll('null', 'NULL'),
    identifiers: voter === null ? [] : [`voter:${voter}`],
    traits: birthplace === null ? [] : [`birthplace:${birthplace}`],
  }))
}

function of<T>(values: readonly T[]): Arbitrary<T> {
  return constantFrom(...values)
}

/** Returns `value` in `tenths` of ten cases, and null in the others. */
function maybe<T>(tenths: number, value: Arbitrary<T>): Arbitrary<T | null> {
  return oneof({ weight: tenths, arbitrary: value }, { weight: 10 - tenths, arbitrary: constant(null) })
}

// A name with a typo, or of two words, or as it is.
function name(names: readonly string[]): Arbitrary<string> {
  return tuple(of(names), maybe(2, typo), maybe(1, of(names))).map(([one, slip, other]) =>
    [slip === null ? one : mistyped(one, ...slip), other ?? ''].join(' ').trim(),
  )
}

function mistyped(text: string, slip: string, place: number): string {
  const at = place % text.length
  const [before, letter, after] = [text.slice(0, at), text[at]!, text.slice(at + 1)]
  if (slip === 'drop') return text.length > 2 ? before + after : text
  if (slip === 'double') return before + letter + letter + after
  if (slip === 'other') return `${before}Q${after}`
  return before + after.slice(0, 1) + letter + after.slice(1)
}

function words(text: string): string[] {
  return text.split(' ')
}
