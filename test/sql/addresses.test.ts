import type { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { normalizeAddress } from '../../src/normalize/address.ts'
import {
  contact,
  COUNTIES,
  linkStaged,
  owner,
  parcel,
  restage,
  withPublished,
} from '../support/staged-world.ts'
import { given, rowsOf, withWarehouse } from '../support/warehouse.ts'
import { createModelInputs } from '../support/staging.ts'

const AUSTIN = { city: 'Austin', state: 'TX', zip: '78701' }
const travis = (number: string, line_1: string, place: object = AUSTIN) =>
  parcel(number, line_1, { county_fips: '48453', ...place })
const ROLL = [travis('1', '123 MAIN ST'), travis('2', '125 MAIN ST')]
const FREDA = { first_name: 'Freda', last_name: 'Quimby' }

/** Where Freda lives by the published tables, when a contact writes it so. */
async function homeOf(line: object, roll = ROLL): Promise<unknown> {
  const rows = [contact('a', { ...FREDA, ...AUSTIN, ...line })]
  return withPublished({ 'staging.parcels': roll, 'staging.person_mentions': rows }, async (db) => {
    const homes = await rowsOf(
      db,
      'select full_address from published.person_addresses inner join published.addresses using (address_id)',
    )
    return homes.map((row) => row['full_address']).join('; ')
  })
}

describe('a slip of the pen in an address', () => {
  test('a street misspelt by one letter is the only such house of the roll, and who writes so lives there', async () => {
    const rows = [contact('a', { ...FREDA, ...AUSTIN, line_1: '123 Mian St' })]
    const owners = [owner('1', 'QUIMBY FREDA', { county_fips: '48453' })]
    await withPublished(
      { 'staging.parcels': ROLL, 'staging.parcel_owners': owners, 'staging.person_mentions': rows },
      async (db) => {
        const lived = await rowsOf(
          db,
          `select apn from published.residents inner join published.properties using (property_id)
           inner join published.people using (person_id) where last_name = 'QUIMBY'`,
        )
        expect(lived).toEqual([{ apn: '1' }])
        expect(await rowsOf(db, `select line1 from published.addresses where line1 like '%Mian%'`)).toEqual(
          [],
        )
      },
    )
  })

  test('its unit stays a unit of the building, whether or not the roll has it', async () => {
    expect(await homeOf({ line_1: '123 Mian St Apt 4B' })).toBe('123 Main St Apt 4B, Austin, TX 78701')
    const flats = [travis('1', '123 MAIN ST UNIT 4B'), travis('2', '123 MAIN ST UNIT 12')]
    expect(await homeOf({ line_1: '123 Mian St', line_2: '# 12' }, flats)).toBe(
      '123 Main St Unit 12, Austin, TX 78701',
    )
    expect(await homeOf({ line_1: '123 Mian St Apt 9' }, flats)).toBe('123 Main St Apt 9, Austin, TX 78701')
  })

  test('a made address is named by its key as every other is', async () => {
    const rows = [contact('a', { ...FREDA, ...AUSTIN, line_1: '123 Mian St Apt 4B' })]
    await withPublished({ 'staging.parcels': ROLL, 'staging.person_mentions': rows }, async (db) => {
      const { address_key } = normalizeAddress({ line_1: '123 Main St Apt 4B', ...AUSTIN })
      const made = await rowsOf(
        db,
        `select address_key, address_id = derived_id('A', address_key) as is_derived from normal.addresses where unit_number = '4B'`,
      )
      expect(made).toEqual([{ address_key, is_derived: true }])
    })
  })

  test('without a ZIP code, or with one digit of it wrong, street, number and city find the house', async () => {
    expect(await homeOf({ line_1: '123 Main Street', zip: null })).toBe('123 Main St, Austin, TX 78701')
    expect(await homeOf({ line_1: '123 Main Street', zip: '78751' })).toBe('123 Main St, Austin, TX 78701')
    expect(await homeOf({ line_1: '123 Mian Street', zip: null })).toBe('123 Main St, Austin, TX 78701')
    expect(await homeOf({ line_1: '123 Main Street', zip: '77002' })).toBe('123 Main St, Austin, TX 77002')
  })

  test('a roll without ZIP codes has them from those who write them', async () => {
    const roll = [travis('1', '123 MAIN ST', { city: 'Austin', state: 'TX' })]
    expect(await homeOf({ line_1: '123 Main St' }, roll)).toBe('123 Main St, Austin, TX 78701')
  })

  test('a directional or a suffix left out is found again where one house alone can be meant', async () => {
    const roll = [travis('1', '123 S MAIN ST')]
    expect(await homeOf({ line_1: '123 Main St' }, roll)).toBe('123 S Main St, Austin, TX 78701')
    expect(await homeOf({ line_1: '123 N Main St' }, roll)).toBe('123 N Main St, Austin, TX 78701')
    const both = [...roll, travis('2', '123 N MAIN ST')]
    expect(await homeOf({ line_1: '123 Main St' }, both)).toBe('123 Main St, Austin, TX 78701')
  })

  test.each([
    ['another number', '321 Mian St', ROLL],
    ['two houses that are near', '123 Marin St', [...ROLL, travis('3', '123 MARTIN ST')]],
    ['a street that the roll knows', '123 Maine St', [...ROLL, travis('3', '9 MAINE ST')]],
    ['a street that differs by its number', '123 41st St', [travis('1', '123 42ND ST')]],
    ['a short name', '123 Oka St', [travis('1', '123 OAK ST')]],
    ['two letters', '123 Mzqn St', ROLL],
    ['another suffix', '123 Main Ave', ROLL],
  ])('%s is left as written', async (_, line_1, roll) => {
    expect(await homeOf({ line_1 }, roll)).toBe(`${line_1}, Austin, TX 78701`)
  })
})

test('a house that comes onto the roll tonight takes in who wrote it wrongly before, until their street is one of the roll', async () => {
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    await given(db, 'reference.counties', COUNTIES)
    await given(db, 'staging.person_mentions', [contact('a', { ...FREDA, ...AUSTIN, line_1: '123 Mian St' })])
    await linkStaged(db)
    expect(await writtenHome(db)).toBe('123 Mian St')
    await restage(db, 'staging.parcels', ROLL)
    await linkStaged(db, '2025-11-03')
    expect(await writtenHome(db)).toBe('123 Main St')
    await restage(db, 'staging.parcels', [...ROLL, travis('3', '7 MIAN ST')])
    await linkStaged(db, '2025-11-04')
    expect(await writtenHome(db)).toBe('123 Mian St')
  })
})

async function writtenHome(db: DuckDBConnection): Promise<unknown> {
  const rows = await rowsOf(
    db,
    'select line1 from normal.person_mentions inner join normal.addresses using (address_id)',
  )
  return rows.map((row) => row['line1']).join('; ')
}
