import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { withoutSuppressed } from '../../src/publish/tables-without-suppressed.ts'
import { givenPublished, type PublishedRows } from '../support/published.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

const [ZOE, BEN] = ['P0000000001', 'P0000000002'] as const
const CLINIC = 'B0000000001'

/** Addresses and phones are named by what else they belong to, besides the suppressed person. */
const ROWS: PublishedRows = {
  people: [ZOE, BEN].map((person_id) => ({ person_id })),
  addresses: ['nothing', 'a person', 'a business', 'a property', 'the mail of another', 'a deed', 'her mail', 'nobody at all'].map((address_id) => ({ address_id })),
  person_addresses: [
    ...['nothing', 'a person', 'a business', 'a property', 'the mail of another', 'a deed'].map((address_id) => ({ person_id: ZOE, address_id })),
    { person_id: BEN, address_id: 'a person' },
  ],
  business_addresses: [{ business_id: CLINIC, address_id: 'a business' }],
  properties: [
    { property_id: 'hers', address_id: 'a property', mailing_address_id: 'her mail', state: 'TX' },
    { property_id: 'his', mailing_address_id: 'the mail of another', state: 'TX' },
  ],
  property_owners: [
    { property_id: 'hers', owner_sequence: 1, person_id: ZOE, owner_name: 'QUILL ZOE', owner_type: 'individual' },
    { property_id: 'hers', owner_sequence: 2, owner_name: 'QUILL ZOE TRUST', owner_type: 'trust' },
    { property_id: 'his', owner_sequence: 1, person_id: BEN, owner_name: 'OAKS BEN', owner_type: 'individual' },
  ],
  deed_events: [{ event_id: 'E1', address_id: 'a deed' }],
  phones: ['nothing', 'a person', 'a business', 'listed'].map((phone) => ({ phone })),
  person_phones: [...['nothing', 'a person', 'a business'].map((phone) => ({ person_id: ZOE, phone })), { person_id: BEN, phone: 'a person' }],
  business_phones: [{ business_id: CLINIC, phone: 'a business' }],
  businesses: [{ business_id: CLINIC, name: 'Ocean Clinic Inc' }],
  phone_names: ['nothing', 'a person', 'another'].map((phone) => ({ phone, name: 'Z Quill' })),
  relatives: [{ person_id: ZOE, relative_id: BEN }, { person_id: BEN, relative_id: ZOE }, { person_id: BEN, relative_id: BEN }],
  residents: [{ property_id: 'hers', person_id: ZOE }, { property_id: 'hers', person_id: BEN }],
} // prettier-ignore

/** Calls `body` where `published.*` leaves out ZOE and the phone `listed`. */
async function withoutZoe(body: (db: DuckDBConnection) => Promise<void>): Promise<void> {
  await withWarehouse(async (db) => {
    await givenPublished(db, ROWS)
    const [{ home }] = (await rowsOf(db, 'select current_database() as home')) as [{ home: string }]
    const suppressed = { people: Uint8Array.of(1, 0), ids: new Set([ZOE]), phones: new Set(['listed']), names: new Map(), counts: [1] } // prettier-ignore
    const from = (table: string): string => `${home}.published.${table}`
    const { signal } = new AbortController()
    await withoutSuppressed({ connections: [db], from, suppressed, names: 'withheld', signal }, () =>
      body(db),
    )
    // Afterwards the tables are whole again.
    expect(await rowsOf(db, 'from published.relatives')).toHaveLength(3)
  })
}

async function column(db: DuckDBConnection, table: string, name: string): Promise<unknown[]> {
  return (await rowsOf(db, `select ${name} from published.${table} order by all`)).map((row) => row[name])
}

test('of the addresses of a suppressed person, those stay that belong to something else as well', async () => {
  await withoutZoe(async (db) => {
    expect(await column(db, 'addresses', 'address_id')).toEqual(['a business', 'a deed', 'a person', 'a property', 'nobody at all', 'the mail of another']) // prettier-ignore
    expect(await rowsOf(db, 'select person_id, address_id from published.person_addresses')).toEqual([{ person_id: BEN, address_id: 'a person' }]) // prettier-ignore
    expect(await rowsOf(db, 'select property_id, mailing_address_id from published.properties order by all')).toEqual([
      { property_id: 'hers', mailing_address_id: null },
      { property_id: 'his', mailing_address_id: 'the mail of another' },
    ]) // prettier-ignore
  })
})

test('of the phones, those stay that others have; no phone of the person keeps a name', async () => {
  await withoutZoe(async (db) => {
    expect(await column(db, 'phones', 'phone')).toEqual(['a business', 'a person'])
    expect(await column(db, 'person_phones', 'person_id')).toEqual([BEN])
    expect(await column(db, 'phone_names', 'phone')).toEqual(['another'])
  })
})

test('the person is nobody’s relative, resident or owner; the row of an owner stays without name', async () => {
  await withoutZoe(async (db) => {
    expect(await rowsOf(db, 'select person_id, relative_id from published.relatives')).toEqual([{ person_id: BEN, relative_id: BEN }]) // prettier-ignore
    expect(await column(db, 'residents', 'person_id')).toEqual([BEN])
    expect(await column(db, 'people', 'person_id')).toEqual([BEN])
    const owners = await rowsOf(db, 'select property_id, owner_sequence, person_id, owner_name, owner_type from published.property_owners order by all') // prettier-ignore
    expect(owners.map((owner) => Object.values(owner).join(', '))).toEqual([
      'hers, 1, , , unknown',
      'hers, 2, , QUILL ZOE TRUST, trust',
      `his, 1, ${BEN}, OAKS BEN, individual`,
    ])
  })
})
