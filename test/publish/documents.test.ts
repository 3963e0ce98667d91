import { expect, test } from 'vitest'
import { inventedLookup, parsed } from '../lookup/asking.ts'
import type { PublishedRows } from '../support/published.ts'
import type { Cell } from '../support/warehouse.ts'

type Row = Record<string, Cell>

const TODAY = '2026-06-02'
const [ANN, BEN, CAL] = ['P0000000001', 'P0000000002', 'P0000000003'] as const
const [OF_TWO, OF_THREE, TOLL_FREE, LAST] = [
  '12065550101',
  '12065550102',
  '18005550100',
  '19725550177',
] as const
const [HOUSE, SHOP] = ['A0000000001', 'A0000000002'] as const

const people = [ANN, BEN, CAL].map((person_id, n): Row => {
  const first_name = ['ANN', 'BEN', 'CAL'][n]!
  return { person_id, name: `${first_name} Quill`, first_name, last_name: 'QUILL', is_dead: false, completeness: 90 - n, source_count: 1, mention_count: 1 } // prettier-ignore
})

const has = (person_id: string, phone: string, score: number): Row => ({ person_id, phone, line_type: 'mobile', score, last_seen_on: '2026-05-01' }) // prettier-ignore
const lot = (property_id: string, sale_date: string | null, rest: Row = {}): Row => ({ property_id, apn: property_id, county_name: 'Travis', state: 'TX', sale_date, ...rest }) // prettier-ignore
const loan = (document_id: string, position: number | null, recorded_date: string | null): Row => ({ property_id: 'R0000000001', document_id, document_number: document_id, position, recorded_date }) // prettier-ignore

const ROWS: PublishedRows = {
  people,
  person_phones: [
    has(ANN, OF_TWO, 10),
    has(BEN, OF_TWO, 80),
    ...[ANN, BEN, CAL].map((person, n) => has(person, OF_THREE, [30, 90, 60][n]!)),
    has(ANN, LAST, 50),
    // Numbers that the North American plan does not have.
    has(ANN, '44207946012345', 50),
    has(ANN, '120655501', 50),
    has(ANN, '2065550143', 50),
  ],
  phones: [
    { phone: TOLL_FREE, line_type: 'tollfree', carrier: 'Acme Tel' },
    { phone: LAST, line_type: 'mobile', carrier: 'Acme Tel' },
  ],
  businesses: [{ business_id: 'B0000000001', name: 'Ocean Clinic Inc' }],
  business_phones: [OF_TWO, OF_THREE, TOLL_FREE].map((phone) => ({ business_id: 'B0000000001', phone, last_seen_on: '2020-01-01' })), // prettier-ignore
  addresses: [
    { address_id: HOUSE, full_address: '1 Elm St, Austin, TX 78701', line1: '1 Elm St', city: 'Austin', state: 'TX', zip: '78701', latitude: 30.5, longitude: -97.5 },
    { address_id: SHOP, full_address: '2 Elm St, Austin, TX 78701', line1: '2 Elm St', city: 'Austin', state: 'TX', zip: '78701', latitude: 31.5, longitude: -98.5 },
  ],
  properties: [
    lot('R0000000001', '2001-01-01', { address_id: HOUSE, latitude: 30.25, longitude: -97.25 }),
    lot('R0000000002', null, { address_id: SHOP, latitude: 30.25 }),
    lot('R0000000003', '2020-01-01'),
    lot('R0000000004', '2001-01-01'),
  ],
  property_owners: ['R0000000001', 'R0000000002', 'R0000000003', 'R0000000004'].map((property_id) => ({ property_id, owner_sequence: 1, person_id: ANN, owner_name: 'QUILL ANN', owner_type: 'individual' })).concat({ property_id: 'R0000000003', owner_sequence: 2, person_id: ANN, owner_name: 'ANN QUILL', owner_type: 'individual' }),
  mortgages: [loan('D1', 2, '2010-01-01'), loan('D2', 1, '2005-01-01'), loan('D3', 1, '2015-01-01'), loan('D4', null, '2024-01-01'), loan('D5', 1, null), loan('D0', 1, '2005-01-01')],
} // prettier-ignore

const world = inventedLookup(ROWS)

function answerFor(number: string): { phone: Row; people: { id: string }[] } {
  return parsed(world.lookup.phone(number, TODAY)) as never
}

function property(id: string): { geolocation: unknown; ownership_info: { mortgages: Row[] } } {
  return parsed(world.lookup.property(id, TODAY)) as never
}

test('the people of a phone come by score, best first', () => {
  expect(answerFor(OF_TWO).people.map(({ id }) => id)).toEqual([BEN, ANN])
  expect(answerFor(OF_THREE).people.map(({ id }) => id)).toEqual([BEN, CAL, ANN])
})

test('a number of a business belongs to the business when more than two people have it', () => {
  expect(answerFor(OF_TWO).phone['primary_owner']).toBe('person')
  expect(answerFor(OF_THREE).phone['primary_owner']).toBe('business')
})

test('a toll-free number has no carrier', () => {
  expect(answerFor(TOLL_FREE).phone).toMatchObject({
    line_type: 'tollfree',
    carrier: null,
    returned_businesses: 1,
  })
  expect(answerFor(LAST).phone).toMatchObject({
    line_type: 'mobile',
    carrier: 'Acme Tel',
    returned_people: 1,
  })
})

test('numbers of another length or country move no other number', () => {
  for (const number of ['12065550103', '14420794601', '12065550143'])
    expect(answerFor(number).phone).toMatchObject({ returned_people: 0 })
  for (const number of [OF_TWO, OF_THREE, LAST])
    expect(answerFor(number).people.some(({ id }) => id === ANN)).toBe(true)
})

test('owned properties come once each, by date of sale, newest first, then by id; those without a date are last', () => {
  const ann = parsed(world.lookup.person(ANN, TODAY)) as { owned_properties: { id: string }[] }
  const ids = ann.owned_properties.map(({ id }) => id)
  expect(ids).toEqual(['R0000000003', 'R0000000001', 'R0000000004', 'R0000000002'])
})

test('mortgages come by position, newest first, then by document; an unknown position or date is last', () => {
  const { mortgages } = property('R0000000001').ownership_info
  expect(mortgages.map((one) => one['document_number'])).toEqual(['D3', 'D0', 'D2', 'D5', 'D1', 'D4'])
})

test('a property is where its own point is; without a whole point, where its address is', () => {
  expect(property('R0000000001').geolocation).toEqual({ lat: 30.25, lng: -97.25 })
  expect(property('R0000000002').geolocation).toEqual({ lat: 31.5, lng: -98.5 })
  expect(property('R0000000003').geolocation).toBeNull()
})
