import { expect, test } from 'vitest'
import type { Clues, Identified } from '../../src/lookup/index.ts'
import { INVENTED, PUBLISHED_ON } from '../support/published.ts'
import { inventedLookup } from './asking.ts'

const world = inventedLookup()

function identified(clues: Clues): Identified {
  return world.lookup.identify(world.lookup.readClues([clues], PUBLISHED_ON, false)[0]!, PUBLISHED_ON)
}

function found(clues: Clues): { id: string; score: number }[] {
  const { candidates } = identified(clues)
  return candidates.map(({ person, score }) => ({
    id: world.lookup.personParts(person, PUBLISHED_ON).id,
    score,
  }))
}

function janesScore(name: string): number {
  const people = found({ name, city: 'Austin', state_code: 'TX' })
  return people.find(({ id }) => id === INVENTED.jane)?.score ?? 0
}

const home = { street: '123 N Main St Apt 4', city: 'Austin', state_code: 'TX', zipcode: '78701' }

const oak = { street: '301 Oak Ave', city: 'Austin', state_code: 'TX', zipcode: '78704' }

test.each<[string, Clues, string]>([
  ['a phone of her own', { phones: ['512-555-0101'] }, INVENTED.jane],
  ['an e-mail', { emails: ['JANE.SMITH@example.com'] }, INVENTED.jane],
  ['a name and an address', { name: 'John Smith', ...home }, INVENTED.john],
  ['names in each other’s place', { name: 'Smith Jane', phones: ['512-555-0101'] }, INVENTED.jane],
  ['the name she had before', { name: 'Jane Doe', ...home }, INVENTED.jane],
  [
    'a home she has left',
    { name: 'Jane Smith', street: '401 Elm St', city: 'Round Rock', zipcode: '78664' },
    INVENTED.jane,
  ],
  [
    'a shared number, told apart by the name',
    { name: 'John Smith', phones: ['512-555-0100'] },
    INVENTED.john,
  ],
  [
    'a mistyped street',
    { name: 'Catherine OBrien', street: '301 Oka Ave', zipcode: '78704' },
    INVENTED.catherine,
  ],
  [
    'another spelling',
    { name: 'Katherine OBrien', street: '301 Oak Ave', zipcode: '78704' },
    INVENTED.catherine,
  ],
  [
    'a birth date and a first name, under another surname',
    { name: 'Catherine Newname', zipcode: '78704', birth_date: '1965-07-04' },
    INVENTED.catherine,
  ],
  [
    'a home under another city’s name, with both names mistyped',
    {
      name: 'Cahterine OBrein',
      street: '301 Oak Ave',
      city: 'Sunset Valley',
      state_code: 'TX',
      zipcode: '78704',
    },
    INVENTED.catherine,
  ],
  [
    'a mistyped street, with both names mistyped',
    { name: 'Cahterine OBrein', street: '301 Oka Ave', zipcode: '78704' },
    INVENTED.catherine,
  ],
  [
    'a surname mistyped beyond knowing, which the e-mail spells',
    { name: 'C Obraian', zipcode: '78704', emails: ['catherine.obrien7@example.org'] },
    INVENTED.catherine,
  ],
  ['a surname before an initial', { name: 'OBrien C', ...oak }, INVENTED.catherine],
])('%s finds whom it means', (_, clues, id) => {
  const [best] = found(clues)
  expect(best).toEqual({ id, score: expect.any(Number) })
  expect(best!.score).toBeGreaterThanOrEqual(50)
})

test('a first name that contradicts keeps the others of a household below 50', () => {
  expect(found({ name: 'Robert Smith', ...home }).every(({ score }) => score < 50)).toBe(true)
})

test.each<[string, string, string]>([
  ['another middle name than all that are known', 'Jane B Smith', 'Jane A Smith'],
  ['a Jr whom no record calls so', 'Jane Smith Jr', 'Jane Smith'],
])('%s makes a match less sure', (_, name, surer) => {
  expect(janesScore(name)).toBeLessThan(janesScore(surer))
})

test.each<[string, Clues, Clues]>([
  [
    'another day of the month than when she was born, next to the very day',
    { name: 'Catherine Newname', zipcode: '78704', birth_date: '1965-07-09' },
    { name: 'Catherine Newname', zipcode: '78704', birth_date: '1965-07-04' },
  ],
  [
    'a number that nobody has, where hers are known, next to none',
    { name: 'Jane Smith', ...home, phones: ['512-555-0188'], emails: ['jsmith88@example.net'] },
    { name: 'Jane Smith', ...home },
  ],
])('%s, makes a match less sure', (_, clues, surer) => {
  const [best] = found(surer)
  const person = found(clues).find(({ id }) => id === best!.id)
  expect(person?.score ?? 0).toBeLessThan(best!.score)
})

test('who is meant by phone and e-mail is so whatever the first name reads like', () => {
  const clues = { name: 'Jnae Smith', phones: ['512-555-0101'], emails: ['jane.smith@example.com'] }
  expect(found(clues)[0]).toEqual({ id: INVENTED.jane, score: 99 })
})

test('scores are shares of one: together they are never above a hundred', () => {
  for (const clues of [{ name: 'John Smith' }, { phones: ['512-555-0100'] }, { name: 'J Smith', ...home }]) {
    expect(found(clues).reduce((sum, { score }) => sum + score, 0)).toBeLessThanOrEqual(101)
  }
})

test('what can’t be read is named, and a row without anything to search by is told', () => {
  expect(identified({ phones: ['555'], emails: ['nobody'], birth_date: 'soon' })).toEqual({
    candidates: [],
    faults: [
      'the phone is no North American number',
      'the e-mail is no address',
      'the birth date is no date',
    ],
    isSearchable: false,
    suppressedScore: 0,
  })
})
