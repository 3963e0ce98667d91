import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { dropNumbered, dropRanked, numberRows, rankRows } from '../../src/publish/number-rows.ts'
import { emptyPublished } from '../support/published.ts'
import { type Cell, given, rowsOf, withWarehouse } from '../support/warehouse.ts'

const signal = new AbortController().signal

type Row = Record<string, Cell>

async function numbered(
  tables: Record<string, Row[]>,
  body: (db: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await withWarehouse(async (db) => {
    await emptyPublished(db)
    for (const [name, rows] of Object.entries(tables)) await given(db, `published.${name}`, rows)
    await rankRows(db, signal)
    await numberRows(db, signal)
    await body(db)
  })
}

// DuckDB sorts nulls last.
function compare(left: Cell | undefined, right: Cell | undefined): number {
  if (left === right || (left ?? null) === (right ?? null)) return 0
  if (left === null || left === undefined) return 1
  if (right === null || right === undefined) return -1
  return left < right ? -1 : 1
}

function sortedBy<T>(rows: readonly T[], ...keys: ((row: T) => Cell | undefined)[]): T[] {
  return rows.toSorted((a, b) => keys.reduce((order, key) => order || compare(key(a), key(b)), 0))
}

const PEOPLE: Row[] = [
  { person_id: 'P5', last_name: 'Young', first_name: 'Ann', completeness: 90 },
  { person_id: 'P1', last_name: 'Adams', first_name: 'Zoe', completeness: 10 },
  { person_id: 'P4', last_name: 'Adams', first_name: 'Ann', completeness: 50 },
  { person_id: 'P3', last_name: 'Adams', first_name: 'Ann', completeness: 50 },
  { person_id: 'P2', last_name: 'Adams', first_name: 'Ann', completeness: null },
  { person_id: 'P6', last_name: null, first_name: 'Ann', completeness: 90 },
  { person_id: 'P7', last_name: 'Adams', first_name: 'Ann', completeness: 95 },
]
const ADDRESSES: Row[] = [
  { address_id: 'A1', state: 'TX', city: 'Austin', zip: '78701', building_key: '9 ELM', unit_type: 'APT', unit_number: '2' },
  { address_id: 'A2', state: 'TX', city: 'Austin', zip: '78701', building_key: '9 ELM' },
  { address_id: 'A3', state: 'tx', city: 'AUSTIN', zip: '78701', building_key: '1 OAK' },
  { address_id: 'A4', state: 'FL', city: 'Miami', zip: '33101', building_key: '7 ASH' },
  { address_id: 'A5', state: 'TX', city: 'Austin', zip: null, building_key: '9 ELM' },
  { address_id: 'A6', state: 'TX', city: 'Austin', zip: '78701', building_key: null },
  { address_id: 'A7', state: 'TX', city: 'Austin', zip: '78701', building_key: '9 ELM', unit_type: 'APT', unit_number: '1' },
] // prettier-ignore
const HOMES: Row[] = [
  { person_id: 'P2', address_id: 'A1', is_current: true, score: 90 },
  { person_id: 'P3', address_id: 'A4', is_current: true, score: 80 },
  { person_id: 'P4', address_id: 'A4', is_current: false, score: null },
  { person_id: 'P7', address_id: 'A4', is_current: false, score: 10 },
  { person_id: 'P7', address_id: 'A1', is_current: true, score: 10 },
]

test('people are numbered by last name, first name, state of a current address, then rank', async () => {
  const stateOf: Record<string, string> = { P2: 'TX', P3: 'FL', P7: 'TX' }
  const ranked = sortedBy(
    PEOPLE,
    (row) => -Number(row['completeness'] ?? 0),
    (row) => row['person_id'],
  )
  const expected = sortedBy(
    PEOPLE,
    (row) => row['last_name'],
    (row) => row['first_name'],
    (row) => stateOf[String(row['person_id'])] ?? null,
    (row) => ranked.indexOf(row),
  )
  await numbered({ people: PEOPLE, addresses: ADDRESSES, person_addresses: HOMES }, async (db) => {
    const rows = await rowsOf(
      db,
      'select person_id, person_no, person_rank from numbered_people order by person_no',
    )
    expect(rows).toEqual(
      expected.map((row, person_no) => ({
        person_id: row['person_id'],
        person_no,
        person_rank: ranked.indexOf(row),
      })),
    )
  })
})

test('addresses are numbered by place, building and unit, so both are ranges of numbers', async () => {
  await numbered({ addresses: ADDRESSES }, async (db) => {
    const places = await rowsOf(db, 'select * from numbered_places order by place_no')
    expect(places).toEqual([
      { place_no: 0, state: 'FL', city: 'MIAMI', zip: '33101' },
      { place_no: 1, state: 'TX', city: 'AUSTIN', zip: null },
      { place_no: 2, state: 'TX', city: 'AUSTIN', zip: '78701' },
    ])
    const rows = await rowsOf(
      db,
      'select address_no, place_no, address_id from numbered_addresses order by address_no',
    )
    expect(rows.map((row) => `${String(row['place_no'])} ${String(row['address_id'])}`)).toEqual([
      '0 A4', '1 A5', '2 A6', '2 A3', '2 A2', '2 A7', '2 A1',
    ]) // prettier-ignore
    expect(rows.map((row) => row['address_no'])).toEqual(rows.map((_, number) => number))
  })
})

test('a mailing address that is the property itself is none, and a lot without an address is named by its parcel', async () => {
  const properties = [
    {
      property_id: 'R1',
      address_id: 'A1',
      mailing_address_id: 'A1',
      apn: '1-1',
      county_name: 'Travis',
      state: 'TX',
    },
    {
      property_id: 'R2',
      address_id: null,
      mailing_address_id: 'A4',
      apn: '2-2',
      county_name: 'Travis',
      state: 'TX',
    },
  ]
  const property_owners = [
    { property_id: 'R1', owner_sequence: 1, person_id: 'P1', owner_type: null },
    { property_id: 'R2', owner_sequence: 1, person_id: 'P1', owner_type: null },
    { property_id: 'R2', owner_sequence: 2, person_id: null, owner_name: 'SMITH JO', owner_type: null },
  ]
  const addresses = ADDRESSES.map((row) => ({ ...row, full_address: `at ${String(row['address_id'])}` }))
  await numbered({ people: PEOPLE, addresses, properties, property_owners }, async (db) => {
    expect(
      await rowsOf(db, 'select property_no, property_id, mailing_address_no from numbered_properties'),
    ).toEqual([
      { property_no: 0, property_id: 'R1', mailing_address_no: null },
      { property_no: 1, property_id: 'R2', mailing_address_no: 0 },
    ])
    expect(
      await rowsOf(db, 'select property_id, full_address from numbered_owned order by property_id'),
    ).toEqual([
      { property_id: 'R1', full_address: 'at A1' },
      { property_id: 'R2', full_address: 'Parcel 2-2, Travis, TX' },
    ])
    const owners = await rowsOf(db, 'select property_no, person_no, owner_name, owner_type from numbered_owners order by property_no, owner_sequence') // prettier-ignore
    expect(owners.map((row) => [row['owner_name'], row['owner_type'], row['person_no'] === null])).toEqual([
      [null, 'unknown', false],
      [null, 'unknown', false],
      ['SMITH JO', 'unknown', true],
    ])
  })
})

test('links to people or addresses that are not published are left out, and no table stays behind', async () => {
  const person_addresses = [...HOMES, { person_id: 'P9', address_id: 'A1', is_current: true, score: 1 }, { person_id: 'P1', address_id: 'A9', is_current: true, score: 1 }] // prettier-ignore
  await numbered({ people: PEOPLE, addresses: ADDRESSES, person_addresses }, async (db) => {
    const links = await rowsOf(db, 'select score from numbered_person_addresses')
    expect(links.map((row) => Number(row['score'])).toSorted((a, b) => a - b)).toEqual([0, 10, 10, 80, 90])
    await dropNumbered(db)
    await dropRanked(db)
    expect(await rowsOf(db, `select table_name from duckdb_tables() where temporary`)).toEqual([])
  })
})
