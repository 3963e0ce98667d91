import { expect, test } from 'vitest'
import { owner, parcel, withPublished } from '../support/staged-world.ts'
import { type Cell, rowsOf } from '../support/warehouse.ts'

type Row = Record<string, Cell>

const AT_ELM: Row = {
  mail_line_1: '12 Elm St',
  mail_city: 'Fort Lauderdale',
  mail_state: 'FL',
  mail_zip: '33301',
}
const AT_OAK: Row = { mail_line_1: '9 Oak Ave', mail_city: 'Miami', mail_state: 'FL', mail_zip: '33131' }

/** The businesses that owners of so many parcels are: a list of parcels each. */
async function businessesOf(...owners: [name: string, row: Row][]): Promise<number[][]> {
  const tables = {
    'staging.parcels': owners.map(([, row], i) => parcel(`${i}`, `${i + 100} Palm Way`, { county_fips: row['county_fips'] ?? '12011' })),
    'staging.parcel_owners': owners.map(([name, row], i) => owner(`${i}`, name, row)),
  } // prettier-ignore
  return withPublished(tables, async (db) => {
    const rows = await rowsOf(
      db,
      `select list(apn::integer order by apn) as parcels
       from published.property_owners inner join published.properties using (property_id)
       group by business_id order by min(apn)`,
    )
    return rows.map((row) => row['parcels'] as number[])
  })
}

test('spellings of a company’s name are one business, wherever in the state it gets mail', async () => {
  const names = ['ACME HOLDINGS LLC', 'Acme Holdings, L.L.C.', 'ACME HOLDINGS', 'THE ACME HOLDINGS L L C']
  expect(
    await businessesOf(...names.map((name, i): [string, Row] => [name, i < 2 ? AT_ELM : AT_OAK])),
  ).toEqual([[0, 1, 2, 3]])
})

test('a company of the name in another state is another business', async () => {
  expect(
    await businessesOf(
      ['ACME HOLDINGS LLC', AT_ELM],
      ['ACME HOLDINGS LLC', { ...AT_ELM, county_fips: '48453' }],
    ),
  ).toEqual([[0], [1]])
})

test('family trusts of one name are told apart by where they get mail, units of a building not', async () => {
  const name = 'QUIMBY FAMILY TRUST'
  expect(
    await businessesOf([name, AT_ELM], [name, AT_OAK], [name, { ...AT_ELM, mail_line_1: '12 Elm St Apt 4' }]),
  ).toEqual([[0, 2], [1]])
})

test('a trust without an address is the one of the name in the state, and nobody’s where there are two', async () => {
  const name = 'QUIMBY FAMILY TRUST'
  expect(await businessesOf([name, AT_ELM], [name, {}])).toEqual([[0, 1]])
  expect(await businessesOf([name, AT_ELM], [name, {}], [name, AT_OAK])).toEqual([[0], [1], [2]])
})

/** A business of the provider registry, with what of its address is given besides the state. */
function provider(record_key: string, business_name: string, place: Row): Row {
  return {
    record_key,
    source_id: 'us/nppes.providers',
    business_name,
    phone: '7135550142',
    state: 'TX',
    ...place,
  }
}

test('a business whose street cannot be read is at a place, as near as its file tells, unless its address there is known', async () => {
  const tables = {
    'staging.businesses': [
      provider('a', 'Bluebonnet Clinic PA', { line_1: 'MEDICAL CENTER', city: 'Houston', zip: '770301234' }),
      provider('b', 'Pecan Imaging LLC', { city: 'Houston', zip: '77030' }),
      provider('c', 'Live Oak Surgery LLC', { city: 'Houston' }),
      provider('d', 'Cypress Dental LLC', { line_1: '12 Elm St', city: 'Houston', zip: '77030' }),
      provider('e', 'Cypress Dental LLC', { city: 'Houston', zip: '77030' }),
      provider('f', 'Magnolia Eye LLC', {}),
    ],
  }
  const places = await withPublished(tables, (db) =>
    rowsOf(
      db,
      `select name, line1, city, state, zip, plus4
       from published.business_addresses
       inner join published.businesses using (business_id)
       inner join published.addresses using (address_id)
       order by name`,
    ),
  )
  const houston = { line1: null, city: 'Houston', state: 'TX', plus4: null }
  expect(places).toMatchObject([
    { ...houston, name: 'Bluebonnet Clinic PA', zip: '77030', plus4: '1234' },
    { name: 'Cypress Dental LLC', line1: '12 Elm St', zip: '77030' },
    { ...houston, name: 'Live Oak Surgery LLC', zip: null },
    { ...houston, name: 'Pecan Imaging LLC', zip: '77030' },
  ])
})
