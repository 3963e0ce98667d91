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
import { heldOpen } from '../support/held-open.ts'
import { given, rowsOf, withWarehouse } from '../support/warehouse.ts'
import { createModelInputs } from '../support/staging.ts'

const AUSTIN = { city: 'Austin', state: 'TX', zip: '78701' }
const travis = (number: string, line_1: string, place: object = AUSTIN) =>
  parcel(number, line_1, { county_fips: '48453', ...place })
const ROLL = [travis('1', '123 MAIN ST'), travis('2', '125 MAIN ST')]
const FREDA = { first_name: 'Freda', last_name: 'Quimby' }

interface Slip {
  /** Lines of the roll of a town. */
  readonly roll: readonly string[]
  /** How somebody who lives there writes their address; the ZIP code is the town's where none is said. */
  readonly written: { readonly line_1: string; readonly line_2?: string; readonly zip?: string | null }
  /** Where they live by the published tables, in that town and at its ZIP code, or at this one. */
  readonly home: string
  readonly zip?: string
}

const MAIN = ['123 MAIN ST', '125 MAIN ST']
const FLATS = ['123 MAIN ST UNIT 7C', '123 MAIN ST UNIT 12']

// Each in a town of its own with somebody of a name of their own, so that one world serves all.
const SLIPS: Record<string, Slip> = {
  'a unit of a house that the roll has without units': { roll: MAIN, written: { line_1: '123 Mian St Apt 4B' }, home: '123 Main St Apt 4B' },
  'a unit that the roll has': { roll: FLATS, written: { line_1: '123 Mian St', line_2: '# 12' }, home: '123 Main St Unit 12' },
  'a unit that the roll has not, beside others': { roll: FLATS, written: { line_1: '123 Mian St Apt 9' }, home: '123 Main St Apt 9' },
  'without a ZIP code': { roll: MAIN, written: { line_1: '123 Main Street', zip: null }, home: '123 Main St' },
  'with one digit of the ZIP code wrong': { roll: MAIN, written: { line_1: '123 Main Street', zip: '75751' }, home: '123 Main St' },
  'misspelt and without a ZIP code': { roll: MAIN, written: { line_1: '123 Mian Street', zip: null }, home: '123 Main St' },
  'with another town’s ZIP code': { roll: MAIN, written: { line_1: '123 Main Street', zip: '77002' }, home: '123 Main St', zip: '77002' },
  'a directional left out': { roll: ['123 S MAIN ST'], written: { line_1: '123 Main St' }, home: '123 S Main St' },
  'another directional': { roll: ['123 S MAIN ST'], written: { line_1: '123 N Main St' }, home: '123 N Main St' },
  'a directional left out where two houses can be meant': { roll: ['123 S MAIN ST', '123 N MAIN ST'], written: { line_1: '123 Main St' }, home: '123 Main St' },
  'another number': { roll: MAIN, written: { line_1: '321 Mian St' }, home: '321 Mian St' },
  'two houses that are near': { roll: [...MAIN, '123 MARTIN ST'], written: { line_1: '123 Marin St' }, home: '123 Marin St' },
  'a street that the roll knows': { roll: [...MAIN, '9 MAINE ST'], written: { line_1: '123 Maine St' }, home: '123 Maine St' },
  'a street that differs by its number': { roll: ['123 42ND ST'], written: { line_1: '123 41st St' }, home: '123 41st St' },
  'a short name': { roll: ['123 OAK ST'], written: { line_1: '123 Oka St' }, home: '123 Oka St' },
  'two letters': { roll: MAIN, written: { line_1: '123 Mzqn St' }, home: '123 Mzqn St' },
  'another suffix': { roll: MAIN, written: { line_1: '123 Main Ave' }, home: '123 Main Ave' },
} // prettier-ignore

const TOWNS = [
  ['Austin', '78701', 'Quimby'], ['Dallas', '75201', 'Abernathy'], ['Waco', '76701', 'Ellsworth'], ['Laredo', '78040', 'Pemberton'],
  ['Tyler', '75701', 'Thackeray'], ['Lubbock', '79401', 'Winslow'], ['Amarillo', '79101', 'Holloway'], ['Abilene', '79601', 'Merriweather'],
  ['Denton', '76201', 'Lockhart'], ['Beaumont', '77701', 'Kingsley'], ['Odessa', '79761', 'Fairbanks'], ['Killeen', '76541', 'Ashworth'],
  ['Temple', '76501', 'Birdwell'], ['Plano', '75023', 'Copeland'], ['Garland', '75040', 'Dunmore'], ['Bryan', '77801', 'Eastman'],
  ['Paris', '75460', 'Goodfellow'],
] as const // prettier-ignore

const towns = Object.entries(SLIPS).map(([slip, said], at) => {
  const [city, zip, last_name] = TOWNS[at]!
  return { slip, ...said, place: { city, state: 'TX', zip }, last_name, county_fips: String(48001 + 2 * at) }
})

const world = heldOpen<DuckDBConnection>((body) =>
  withPublished(
    {
      'staging.parcels': towns.flatMap(({ roll, place, county_fips }) =>
        roll.map((line_1, at) => parcel(`${county_fips}-${at}`, line_1, { county_fips, ...place })),
      ),
      'staging.person_mentions': towns.map(({ slip, written, place, last_name }) =>
        contact(slip, { first_name: 'Freda', last_name, ...place, ...written }),
      ),
    },
    body,
  ),
)

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

  test.each(towns)('$slip: at home at $home', async ({ slip, place, home, zip = place.zip }) => {
    const homes = await rowsOf(
      world(),
      `select full_address from published.crosswalk inner join published.person_addresses using (person_id)
       inner join published.addresses using (address_id) where mention_key = 'us/lists.contacts/contacts/${slip}'`,
    )
    expect(homes).toEqual([{ full_address: `${home}, ${place.city}, TX ${zip}` }])
  })

  test('a made address is named by its key as every other is', async () => {
    const { address_key } = normalizeAddress({ line_1: '123 Main St Apt 4B', ...AUSTIN })
    const made = await rowsOf(
      world(),
      `select address_key, address_id = derived_id('A', address_key) as is_derived from normal.addresses where unit_number = '4B'`,
    )
    expect(made).toEqual([{ address_key, is_derived: true }])
  })

  test('a roll without ZIP codes has them from those who write them', async () => {
    const roll = [travis('1', '123 MAIN ST', { city: 'Austin', state: 'TX' })]
    const rows = [contact('a', { ...FREDA, ...AUSTIN, line_1: '123 Main St' })]
    await withPublished({ 'staging.parcels': roll, 'staging.person_mentions': rows }, async (db) => {
      const homes = await rowsOf(
        db,
        'select full_address from published.person_addresses inner join published.addresses using (address_id)',
      )
      expect(homes).toEqual([{ full_address: '123 Main St, Austin, TX 78701' }])
    })
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
