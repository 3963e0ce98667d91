import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PersonQuery } from '../../src/lookup/index.ts'
import { houseKey, streetKey, unitKey, wingKey } from '../../src/lookup/format/address-keys.ts'
import { STATES } from '../../src/lookup/format/states.ts'
import { inventedWorld } from '../support/invented-world.ts'
import type { PublishedRows } from '../support/published.ts'
import { inventedLookup, people } from './asking.ts'

const NAMES = { first_name: 'LESA', middle_name: 'H', last_name: 'MALONE' }
const LESA = 'P0000000009'
const NOWHERE = 'A0000000002'

/** The invented world where Lesa H Malone lives at an address of which nothing is known. */
function withUnknownAddress(): PublishedRows {
  const rows = inventedWorld()
  for (const address of rows.addresses!) {
    if (address['address_id'] !== NOWHERE) continue
    for (const column of Object.keys(address)) if (column !== 'address_id') address[column] = null
  }
  for (const person of [...rows.people!, ...rows.person_names!])
    if (person['person_id'] === LESA) Object.assign(person, NAMES)
  return rows
}

const world = inventedLookup(withUnknownAddress())
const exactly = { strict_match: true, include_historical_locations: true } as const

describe('what is not known of an address is found by no value', () => {
  test('Lesa is found by her name', () => {
    expect(people(world.lookup, { name: 'Lesa Malone', ...exactly }).ids).toEqual([LESA])
  })

  test.each<Partial<PersonQuery>>([
    { zipcode: '00000' },
    { zipcode: '00001' },
    { zipcode: '99999' },
    { street: '0', zipcode: '00000' },
    { street: '0 Main St' },
    { street: '# 0' },
    { street: 'Main St # 0' },
    { street: 'PO Box 0' },
    { street: '-' },
    { street: 'Apt -' },
    { street: '123 N Main St Apt -' },
    { city: '-' },
    { city: '0' },
    { city: 'null' },
    { zipcode: '00000', radius: 100 },
    { last_name: 'Malone', zipcode: '00000' },
    { last_name: 'Malone', zipcode: '00000', radius: 100 },
  ])('%j', (asked) => {
    expect(people(world.lookup, { ...asked, ...exactly }).ids).not.toContain(LESA)
  })

  test.each(STATES)('%s', (state_code) => {
    expect(people(world.lookup, { last_name: 'Malone', state_code, ...exactly }).total).toBe(0)
  })

  test('the ZIP code 00000 is nobody’s, with and without the wider search', () => {
    expect(people(world.lookup, { zipcode: '00000' }).total).toBe(0)
    expect(people(world.lookup, { last_name: 'Malone', zipcode: '00000' }).total).toBe(0)
    expect(people(world.lookup, { zipcode: '00000', radius: 100 }).total).toBe(0)
  })

  test('no text of a search has the key of a missing street, house, unit or building', () => {
    const marks = fc.string({ unit: fc.constantFrom(..."-./# '0A1".split('')), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.oneof(marks, fc.string({ minLength: 1 })), (text) => {
        const query = { ...exactly, street: `12 OAK ST APT ${text}` }
        expect(people(world.lookup, query).ids).not.toContain(LESA)
        expect(people(world.lookup, { ...exactly, street: text }).ids).not.toContain(LESA)
        expect(unitKey('APT', text)).not.toBe('')
      }),
      { numRuns: 500 },
    )
    expect([houseKey('0'), streetKey('0'), wingKey('0'), unitKey('#', '-')]).not.toContain('')
  })

  test('a suppression with a birth date of zeros means nobody', async () => {
    const { lookup } = world
    await lookup.suppress([
      { kind: 'name', value: 'LESA|MALONE|0000-00-00|00000', marks: [] },
      { kind: 'name', value: 'LESA|MALONE||', marks: [] },
      { kind: 'name', value: 'PETER|FLATT|0000-00-00|78701', marks: [] },
    ])
    try {
      expect([...(lookup.suppressed?.ids ?? [])]).toEqual([])
    } finally {
      await lookup.suppress([])
    }
  })
})

describe('an initial is never a whole last name', () => {
  test.each<Partial<PersonQuery>>([
    { name: 'LISA HZZZ' },
    { name: 'LESA HARPER' },
    { name: 'HZZZ LISA' },
    { name: 'HARPER' },
    { name: 'LISA OH' },
    { first_name: 'LISA', last_name: 'HZZZ' },
    { first_name: 'LISA', last_name: 'M' },
    { first_name: 'LISA', middle_name: 'H', last_name: 'M' },
    { last_name: 'M', first_name: 'L' },
  ])('%j does not find Lesa H Malone', (asked) => {
    expect(people(world.lookup, asked).ids).not.toContain(LESA)
    expect(people(world.lookup, { ...asked, include_fuzzy_matching: true }).ids).not.toContain(LESA)
  })

  test.each<Partial<PersonQuery>>([
    { name: 'LISA HARPER MALONE' },
    { name: 'LISA H MALONE' },
    { name: 'L MALONE' },
    { first_name: 'LISA', middle_name: 'HARRIET', last_name: 'MALONE' },
    { first_name: 'L', last_name: 'MALONE' },
    { first_name: 'LISA', last_name: 'MALLONE' },
  ])('%j finds Lesa H Malone', (asked) => {
    expect(people(world.lookup, asked).ids).toContain(LESA)
  })
})
