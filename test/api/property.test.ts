import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  PropertyResponse,
  PropertyResponseV1,
  PropertySearchResponse,
} from '../../src/api/responses/property.ts'
import { INVENTED } from '../support/published.ts'
import { sharedApi } from './support.ts'

const api = sharedApi()
const { flat, house, shop, lot, tower, jane, john, jonathan } = INVENTED

type Result = z.output<typeof PropertySearchResponse>['result']

async function search(query: Record<string, string>): Promise<Result> {
  const reply = await api.get(`/v2/property/?${new URLSearchParams(query).toString()}`)
  expect([query, reply.statusCode]).toEqual([query, 200])
  return PropertySearchResponse.parse(reply.json()).result
}

async function refused(path: string, status: number): Promise<{ long_message: string; meta: unknown }> {
  const reply = await api.get(path)
  expect([path, reply.statusCode]).toEqual([path, status])
  return reply.json<{ error: { long_message: string; meta: unknown } }>().error
}

const MAIN = { street: '123 N Main St Apt 4', city: 'Austin', state_code: 'TX', zipcode: '78701' }

describe('GET /v2/property/', () => {
  test('answers with the property at the address, wrapped in result', async () => {
    const result = await search(MAIN)
    expect(Object.keys(result).sort((left, right) => (left < right ? -1 : 1))).toEqual([
      'address_id', 'apn', 'geolocation', 'is_vacant', 'mailing_address', 'owner_occupied', 'ownership_info', 'property_address',
      'property_id', 'property_metadata', 'property_purpose', 'residents',
    ]) // prettier-ignore
    expect(result).toMatchObject({
      property_id: flat,
      address_id: INVENTED.flatAddress,
      apn: '01-77',
      property_purpose: 'condominium',
      owner_occupied: 'OwnerOccupied',
      is_vacant: false,
      geolocation: { lat: 30.2701, lng: -97.7431 },
    })
  })

  test('the address has its id in place of house, street, type and county', async () => {
    expect((await search(MAIN)).property_address).toEqual({
      full_address: '123 N Main St Apt 4, Austin, TX 78701',
      line1: '123 N Main St Apt 4',
      city: 'Austin',
      state: 'TX',
      zip: '78701',
      address_id: INVENTED.flatAddress,
    })
  })

  test('the mailing address is there when it differs from the address of the property, else null', async () => {
    expect((await search(MAIN)).mailing_address).toBeNull()
    expect((await search({ street: '125 N Main St', city: 'Austin' })).mailing_address?.address_id).toBe(INVENTED.flatAddress) // prettier-ignore
  })

  test('owners are split into people and businesses', async () => {
    const { ownership_info } = await search(MAIN)
    expect(ownership_info).toMatchObject({
      owner_type: 'individual',
      sale_date: '2015-03-02',
      business_owners: [],
    })
    expect(ownership_info.person_owners.map(({ id }) => id)).toEqual([jane, john])
    const shopped = await search({ street: '200 N Main St', zipcode: '78701' })
    expect(shopped.ownership_info).toMatchObject({
      owner_type: 'business',
      business_owners: [{ name: 'Invented Widgets LLC' }],
      person_owners: [],
    })
  })

  test('a person who owns comes with contacts, capped at 4 phones and 3 e-mails, and with what was held back', async () => {
    const [owner] = (await search(MAIN)).ownership_info.person_owners
    expect(Object.keys(owner ?? {})).toEqual([
      'id', 'name', 'age', 'current_addresses', 'phones', 'emails', 'company_name', 'job_title', 'person_owner_metadata',
    ]) // prettier-ignore
    expect(owner).toMatchObject({
      id: jane,
      name: 'Jane Ann Smith',
      age: 46,
      company_name: 'Invented Widgets',
    })
    expect(owner?.phones.map(({ score }) => score)).toEqual([96, 80, 58, 57])
    expect(owner?.emails.map(({ email }) => email)).toEqual(['jane.smith@example.com', 'jsmith@example.com', 'jane.doe@example.com']) // prettier-ignore
    expect(owner?.person_owner_metadata).toEqual({
      details_url: `/v2/person/${jane}`,
      phones: { displayed: 4, additional: 2 },
      emails: { displayed: 3, additional: 2 },
      owned_properties: { displayed: 0, additional: 2 },
    })
  })

  test('an owner whom nothing resolves to a person has a name and no id', async () => {
    const { ownership_info } = await search({ street: '45-12 Bell Blvd', zipcode: '11361' })
    expect(ownership_info.person_owners).toMatchObject([
      { id: null, name: 'Unknown Heirs', person_owner_metadata: { details_url: null } },
    ])
  })

  test('residents come with the same members and resident_metadata', async () => {
    const { residents } = await search({ street: '125 N Main St', zipcode: '78701' })
    expect(residents).toMatchObject([
      { id: jonathan, name: 'Jonathan Smythe', resident_metadata: { details_url: `/v2/person/${jonathan}` } },
    ])
    expect(residents[0]).not.toHaveProperty('person_owner_metadata')
  })

  test('of many residents the surest 15 are shown', async () => {
    const { residents } = await search({ street: '45-12 Bell Blvd', zipcode: '11361' })
    expect(residents).toHaveLength(15)
    expect(residents[0]?.id).toBe('P0000000030')
  })

  test('a parcel without a point of its own has that of its address', async () => {
    expect((await search({ street: '45-12 Bell Blvd', zipcode: '11361' })).geolocation).toEqual({
      lat: 40.763,
      lng: -73.771,
    })
  })

  test.each([
    ['100, exact: the address itself', MAIN, flat, 100, 'exact'],
    ['100 whatever the words for suffix and direction', { street: '123 north main street #4', zipcode: '78701' }, flat, 100, 'exact'], // prettier-ignore
    [
      '90: another unit in the same building',
      { ...MAIN, street: '123 N Main St Apt 9' },
      flat,
      90,
      'best match',
    ],
    ['90: the building without a unit', { ...MAIN, street: '123 N Main St' }, flat, 90, 'best match'],
    [
      '50: the closest match at another address',
      { ...MAIN, street: '127 N Main St' },
      house,
      50,
      'best match',
    ],
    ['50: a street that is mistyped', { ...MAIN, street: '125 N Mian St' }, house, 50, 'best match'],
    ['25: a number outside the known numbers of the street', { ...MAIN, street: '9999 N Main St' }, shop, 25, 'best match'], // prettier-ignore
    ['null: a street with neither city nor ZIP', { street: '125 N Main St' }, house, null, null],
    ['null: no street', { zipcode: '78701' }, flat, null, null],
  ] as const)('confidence %s', async (_, query, property_id, confidence_score, match_type) => {
    expect(await search(query)).toMatchObject({
      property_id,
      property_metadata: { confidence_score, match_type, details_url: `/v2/property/${property_id}` },
    })
  })

  test('a near match on the same street can be the answer for an address that does not exist', async () => {
    expect((await search({ street: '1003 Cedar Ln', city: 'Austin' })).property_address?.line1).toBe(
      '1002 Cedar Ln',
    )
  })

  test('strict_match keeps the address itself and its building', async () => {
    expect((await search({ ...MAIN, strict_match: 'true' })).property_id).toBe(flat)
    const other = await search({ ...MAIN, street: '123 N Main St Apt 5', strict_match: 'true' })
    expect(other).toMatchObject({ property_id: flat, property_metadata: { confidence_score: 90 } })
  })

  test('strict_match drops what lies near by: 404', async () => {
    for (const street of ['127+N+Main+St', '125+N+Mian+St', '9999+N+Main+St']) {
      await refused(`/v2/property/?street=${street}&zipcode=78701&strict_match=true`, 404)
    }
  })

  test('strict_match without street: 400', async () => {
    expect((await refused('/v2/property/?zipcode=78701&strict_match=true', 400)).meta).toMatchObject({
      field: 'strict_match',
    })
  })

  test('no match: 404 with the envelope', async () => {
    const { long_message, meta } = await refused('/v2/property/?street=1+Nowhere+Ln&city=Nowhere', 404)
    expect(long_message).toBe('no property matches the search parameters')
    expect(meta).toBeNull()
  })

  test.each(['', 'state_code=TX', 'strict_match=false', 'zip=78701'])(
    'too little input, %j: 400 that speaks of the search parameters',
    async (query) => {
      expect((await refused(`/v2/property/?${query}`, 400)).long_message).toContain('search parameter')
    },
  )

  test('zipcode is 5 digits, state_code two letters', async () => {
    for (const zipcode of ['1234', '787011234', '78701-1234']) {
      expect((await refused(`/v2/property/?street=1+Main&zipcode=${zipcode}`, 400)).meta).toMatchObject({ field: 'zipcode' }) // prettier-ignore
    }
    expect((await refused('/v2/property/?street=1+Main&state_code=ZZ', 400)).meta).toMatchObject({
      field: 'state_code',
    })
  })

  test('the path answers with and without the slash at its end', async () => {
    const query = 'street=125+N+Main+St&zipcode=78701'
    expect((await api.get(`/v2/property?${query}`)).body).toBe((await api.get(`/v2/property/?${query}`)).body)
  })
})

const details = async (id: string) =>
  PropertyResponse.parse((await api.get(`/v2/property/${id}`)).json()).result

describe('GET /v2/property/{property_id}', () => {
  test('answers with the search result’s fields, the characteristics and the assessment', async () => {
    expect(await details(flat)).toMatchObject({
      property_id: flat,
      address_id: INVENTED.flatAddress,
      year_built: 1998,
      effective_year_built: null,
      bedrooms: 2,
      bathrooms: 1.5,
      has_pool: false,
      basement_type: null,
      assessed_info: {
        market_value: 410000,
        assessed_value: 400000,
        property_tax_amount: 8200,
        property_tax_percent: 2,
        assessment_year: 2025,
      },
    })
  })

  test('the address comes with house, street, type and county', async () => {
    expect((await details(flat)).property_address).toEqual({
      full_address: '123 N Main St Apt 4, Austin, TX 78701',
      line1: '123 N Main St Apt 4',
      city: 'Austin',
      state: 'TX',
      zip: '78701',
      house: '123',
      street: 'Main',
      street_type: 'St',
      county: 'Travis',
    })
  })

  test('ownership has the last sale’s amount and the mortgages besides', async () => {
    expect((await details(flat)).ownership_info).toMatchObject({
      sale_date: '2015-03-02',
      last_sale_amount: 265000,
      mortgages: [
        { amount: 212000, recorded_date: '2015-03-05', document_date: '2015-03-02', document_number: 'M-1', lender_name: 'Invented Savings Bank', loan_type: 'mortgage', position: 1, due_date: null },
      ],
    }) // prettier-ignore
    expect((await details(house)).ownership_info.mortgages).toEqual([])
  })

  test('all residents are there', async () => {
    expect((await details(tower)).residents).toHaveLength(17)
  })

  test('an address id is resolved to its property', async () => {
    expect((await details(INVENTED.flatAddress)).property_id).toBe(flat)
  })

  test('a parcel without an address has null in its place', async () => {
    expect(await details(lot)).toMatchObject({ address_id: null, property_address: null, geolocation: null })
  })

  test.each(['Rzzzzzzzzzz', 'Azzzzzzzzzz'])('an id that does not exist, %s: 404', async (id) => {
    await refused(`/v2/property/${id}`, 404)
  })

  test('an address without a property: 404', async () => {
    await refused(`/v2/property/${INVENTED.neighbourAddress}`, 404)
  })

  test.each(['R1', 'R12345678901', 'P0000000001', 'r0000000001', 'R000000000_'])(
    'a malformed id, %s: 400 that names the required format',
    async (id) => {
      expect((await refused(`/v2/property/${id}`, 400)).long_message).toContain(
        'exactly 10 alphanumeric characters',
      )
    },
  )
})

const searchV1 = async (query: string) =>
  PropertyResponseV1.parse((await api.get(`/v1/property/?${query}`)).json())

describe('GET /v1/property/', () => {
  test('answers with a bare record: id, address, owners and residents in the first shape', async () => {
    const record = await searchV1('street=123+N+Main+St+Apt+4&city=Austin&state_code=TX&zip=78701')
    expect(Object.keys(record ?? {})).toEqual(['id', 'property_address', 'owners', 'residents'])
    expect(record).toMatchObject({
      id: flat,
      property_address: { id: INVENTED.flatAddress, full_address: '123 N Main St Apt 4, Austin, TX 78701' },
      owners: [{ id: jane, emails: ['jane.smith@example.com', 'jsmith@example.com', 'jane.doe@example.com', 'jane80@example.com', 'jas@example.com'] }, { id: john }],
      residents: [{ id: jane }, { id: john }],
    }) // prettier-ignore
    expect(record?.owners[0]).not.toHaveProperty('age')
  })

  test('owners without a person and businesses are records with a name alone', async () => {
    expect((await searchV1('street=200+N+Main+St&zip=78701'))?.owners).toMatchObject([
      { id: null, name: 'Invented Widgets LLC', phones: [], emails: [] },
    ])
    expect((await searchV1('street=45-12+Bell+Blvd&zip=11361'))?.owners).toMatchObject([{ id: null, name: 'Unknown Heirs' }]) // prettier-ignore
  })

  test('no match is 404, as in the second version', async () => {
    const reply = await api.get('/v1/property/?street=1+Nowhere+Ln&zip=99999')
    expect([reply.statusCode, reply.json().error.message]).toEqual([404, 'Not Found'])
  })

  test.each(['78701', '787011234', '78701-1234'])('zip takes 5 or 9 digits: %s', async (zip) => {
    expect((await searchV1(`street=125+N+Main+St&zip=${zip}`))?.id).toBe(house)
  })

  test('zip of any other length: 400', async () => {
    for (const zip of ['1234', '787012', '78701123456']) {
      expect((await refused(`/v1/property/?street=1+Main&zip=${zip}`, 400)).meta).toMatchObject({
        field: 'zip',
      })
    }
  })

  test('street is required: 400 that speaks of the location parameter', async () => {
    const { long_message, meta } = await refused('/v1/property/?zip=78701', 400)
    expect(long_message).toContain('location parameter')
    expect(meta).toMatchObject({ field: 'street' })
  })

  test('the path answers with and without the slash at its end', async () => {
    const query = 'street=125+N+Main+St&zip=78701'
    expect((await api.get(`/v1/property?${query}`)).body).toBe((await api.get(`/v1/property/?${query}`)).body)
  })
})
