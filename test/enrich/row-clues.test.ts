import { expect, test } from 'vitest'
import type { ClueField } from '../../src/enrich/columns/names.ts'
import { cluesOf } from '../../src/enrich/match/row-clues.ts'

function read(cells: Partial<Record<ClueField, string>>) {
  const columns = Object.keys(cells).map((field, column) => ({ column, field: field as ClueField, by: 'name' as const })) // prettier-ignore
  return cluesOf(Object.values(cells), columns, new Map([['TRAVIS|TX', '48453']]))
}

test('a street in parts is one line, whatever the order of its columns', () => {
  expect(
    read({
      address_2: '2b',
      street_post_direction: 'SW',
      street_type: 'Ave',
      street_name: 'Elm',
      house_number: '100',
    }),
  ).toEqual({
    street: '100 Elm Ave SW # 2b',
  })
  expect(read({ street_direction: 'N', street_name: 'Main St' }).street).toBe('N Main St')
})

test('a whole address goes before its parts; a house number alone is no address', () => {
  expect(read({ house_number: '7', street_name: 'Elm St', address: '100 Main St' }).street).toBe('100 Main St') // prettier-ignore
  expect(read({ house_number: '100', street_type: 'St', zip: '78701' })).toEqual({ zipcode: '78701' })
})

test('a unit belongs to a street, a city with its ZIP code stands for itself', () => {
  expect(read({ address: '100 Main St', address_2: 'Suite 200', city_state_zip: 'Austin, TX 78701' }).street).toBe('100 Main St Suite 200, Austin, TX 78701') // prettier-ignore
  expect(read({ address_2: '2B', zip: '78701' })).toEqual({ zipcode: '78701' })
  expect(read({ city_state_zip: 'Austin, TX 78701' }).street).toBe('Austin, TX 78701')
})

test('a county is known by its name beside its state, or by its code', () => {
  expect(read({ county: 'Travis County', state: 'Texas' }).county_fips).toBe('48453')
  expect(read({ county: '48453' }).county_fips).toBe('48453')
})
