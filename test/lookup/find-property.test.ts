import { describe, expect, test } from 'vitest'
import type { Lookup, PropertyQuery } from '../../src/lookup/index.ts'
import { INVENTED, PUBLISHED_ON } from '../support/published.ts'
import { parsed, inventedLookup } from './asking.ts'

function property(lookup: Lookup, asked: Partial<PropertyQuery>): [unknown, unknown, unknown] | null {
  const result = parsed(lookup.findProperty({ strict_match: false, ...asked }, PUBLISHED_ON))
  if (result === null) return null
  const metadata = result['property_metadata'] as Record<string, unknown>
  return [result['property_id'], metadata['confidence_score'], metadata['match_type']]
}

const { flat, house, shop, lot } = INVENTED

const world = inventedLookup()

describe('the property that an address means', () => {
  const cases: [string, Partial<PropertyQuery>, ReturnType<typeof property>][] = [
    ['the address itself', { street: '123 N Main St Apt 4', zipcode: '78701' }, [flat, 100, 'exact']],
    ['without its direction and suffix', { street: '125 Main', city: 'Austin' }, [house, 100, 'exact']],
    ['another unit of the building', { street: '123 N Main St Apt 5', zipcode: '78701' }, [flat, 90, 'best match']],
    ['the building of a unit', { street: '123 N Main St', zipcode: '78701' }, [flat, 90, 'best match']],
    ['the closest on the street', { street: '127 N Main St', city: 'Austin' }, [house, 50, 'best match']],
    ['a number that the street does not have', { street: '999 N Main St', city: 'Austin' }, [shop, 25, 'best match']],
    ['a street mistyped', { street: '125 N Mian St', city: 'Austin' }, [house, 50, 'best match']],
    ['a ZIP that is not the address’s', { street: '125 N Main St', city: 'Austin', zipcode: '78999' }, [house, 50, 'best match']],
    ['no city or ZIP: nothing to check against', { street: '125 N Main St' }, [house, null, null]],
    ['no street: nothing to check', { zipcode: '78701' }, [flat, null, null]],
    ['a flat in one of two buildings', { street: '55 Palm Ct Bldg 5 Apt 12', zipcode: '33139' }, ['R0000000031', 100, 'exact']],
    ['the other building’s', { street: '55 Palm Ct Building 04 # 12', zipcode: '33139' }, ['R0000000030', 100, 'exact']],
    ['a building that is not there', { street: '55 Palm Ct Bldg 6 Apt 12', zipcode: '33139' }, ['R0000000030', 90, 'best match']],
    ['a street that nobody knows', { street: '1 Nowhere Rd', zipcode: '78701' }, null],
  ] // prettier-ignore

  test.each(cases)('%s', (_, asked, expected) => {
    const { lookup } = world
    expect(property(lookup, asked)).toEqual(expected)
  })

  test('strictly, only the address or its building', () => {
    const { lookup } = world
    const strict_match = true
    expect(property(lookup, { street: '123 N Main St Apt 5', zipcode: '78701', strict_match })).toEqual([
      flat,
      90,
      'best match',
    ])
    expect(property(lookup, { street: '127 N Main St', city: 'Austin', strict_match })).toBeNull()
    expect(property(lookup, { street: '125 N Mian St', city: 'Austin', strict_match })).toBeNull()
  })
})

describe('the forms of a property', () => {
  test('a search result has reduced addresses, owners and residents with what is held back', () => {
    const { lookup } = world
    const result = parsed(
      lookup.findProperty({ street: '125 N Main St', zipcode: '78701', strict_match: true }, PUBLISHED_ON),
    )
    expect(result).toMatchObject({
      property_id: house,
      property_address: { address_id: 'A0000000003', full_address: '125 N Main St, Austin, TX 78701' },
      mailing_address: { address_id: INVENTED.flatAddress },
      geolocation: { lat: 30.2703, lng: -97.7431 },
      ownership_info: {
        owner_type: 'individual',
        business_owners: [],
        person_owners: [
          {
            id: INVENTED.jane,
            age: 46,
            person_owner_metadata: {
              details_url: `/v2/person/${INVENTED.jane}`,
              phones: { displayed: 4, additional: 2 },
              emails: { displayed: 3, additional: 2 },
              owned_properties: { displayed: 0, additional: 2 },
            },
          },
        ],
      },
      residents: [{ id: INVENTED.jonathan, resident_metadata: {} }],
    })
    expect(result).not.toHaveProperty('year_built')
  })

  test('an owner whom nothing resolves to a person has a name, and nothing to show or to hold back', () => {
    const result = parsed(
      world.lookup.findProperty(
        { street: '45-12 Bell Blvd', zipcode: '11361', strict_match: false },
        PUBLISHED_ON,
      ),
    )
    const nothing = { displayed: 0, additional: 0 }
    expect(result).toMatchObject({
      ownership_info: {
        person_owners: [
          {
            id: null,
            name: 'Unknown Heirs',
            person_owner_metadata: {
              details_url: null,
              phones: nothing,
              emails: nothing,
              owned_properties: nothing,
            },
          },
        ],
      },
    })
  })

  test('details have the parts of the address, the building, the taxes and the mortgages', () => {
    const { lookup } = world
    const details = parsed(lookup.property(flat, PUBLISHED_ON))
    expect(details).toMatchObject({
      property_address: { house: '123', street: 'Main', street_type: 'St', county: 'Travis' },
      ownership_info: {
        sale_date: '2015-03-02',
        last_sale_amount: 265000,
        mortgages: [{ amount: 212000, document_number: 'M-1', position: 1, due_date: null }],
      },
      year_built: 1998,
      bathrooms: 1.5,
      has_pool: false,
      assessed_info: { market_value: 410000, property_tax_percent: 2, assessment_year: 2025 },
      property_metadata: { confidence_score: null, match_type: null, details_url: `/v2/property/${flat}` },
    })
    expect(details!['property_address']).not.toHaveProperty('address_id')
  })

  test('an address id gives its property; one without a property, and an unknown id, give nothing', () => {
    const { lookup } = world
    expect(parsed(lookup.property(INVENTED.flatAddress, PUBLISHED_ON))).toMatchObject({ property_id: flat })
    expect(lookup.property(INVENTED.neighbourAddress, PUBLISHED_ON)).toBeNull()
    expect(lookup.property('Rzzzzzzzzzz', PUBLISHED_ON)).toBeNull()
  })

  test('a parcel without an address, and one that a business owns', () => {
    const { lookup } = world
    expect(parsed(lookup.property(lot, PUBLISHED_ON))).toMatchObject({
      address_id: null,
      property_address: null,
      geolocation: null,
    })
    expect(parsed(lookup.property(shop, PUBLISHED_ON))).toMatchObject({
      ownership_info: { business_owners: [{ name: 'Invented Widgets LLC' }], person_owners: [] },
    })
  })
})
