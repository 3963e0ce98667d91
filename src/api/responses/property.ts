import { z } from 'zod'
import {
  AddressId,
  AddressSummary,
  Emails,
  PersonId,
  Phones,
  Point,
  PropertyId,
  Shown,
  Zip,
} from './parts.ts'
import { FoundPersonV1, PersonV1 } from './person.ts'

const PartyMetadata = z
  .strictObject({
    details_url: z.string().nullable(),
    phones: Shown,
    emails: Shown,
    owned_properties: Shown,
  })
  .meta({ id: 'PartyMetadata' })

const PARTY = {
  id: PersonId.nullable().describe('Null for an owner who matches no person.'),
  name: z.string(),
  age: z.int().nullable(),
  current_addresses: z.array(AddressSummary),
  phones: Phones.max(4),
  emails: Emails.max(3),
  company_name: z.string().nullable(),
  job_title: z.string().nullable(),
}
const Owner = z.strictObject({ ...PARTY, person_owner_metadata: PartyMetadata }).meta({ id: 'PersonOwner' })
const Resident = z
  .strictObject({ ...PARTY, id: PersonId, resident_metadata: PartyMetadata })
  .meta({ id: 'Resident' })

const OWNERSHIP = {
  owner_type: z.enum(['individual', 'business', 'trust', 'government', 'unknown']),
  sale_date: z.iso.date().nullable(),
  business_owners: z.array(z.strictObject({ name: z.string() }).meta({ id: 'BusinessOwner' })),
  person_owners: z.array(Owner),
}

const PROPERTY = {
  property_id: PropertyId,
  address_id: AddressId.nullable(),
  apn: z.string(),
  property_purpose: z.string().nullable(),
  owner_occupied: z.enum(['OwnerOccupied', 'AbsenteeOwner', 'Unknown']).nullable(),
  is_vacant: z.boolean().nullable(),
  geolocation: Point.nullable(),
  residents: z.array(Resident),
  property_metadata: z.strictObject({
    confidence_score: z.literal([100, 90, 50, 25]).nullable(),
    match_type: z.enum(['exact', 'best match']).nullable(),
    details_url: z.string().regex(/^\/v2\/property\/R[0-9A-Za-z]{10}$/),
  }),
}

/** Response of `GET /v2/property/`. */
export const PropertySearchResponse = z.strictObject({
  result: z
    .strictObject({
      ...PROPERTY,
      residents: z
        .array(Resident)
        .max(15)
        .describe('The 15 residents with the highest certainty. `details_url` has all residents.'),
      property_address: AddressSummary.nullable(),
      mailing_address: AddressSummary.nullable(),
      ownership_info: z.strictObject(OWNERSHIP),
    })
    .meta({ id: 'FoundProperty' }),
})

/** Response of `GET /v1/property/`. */
export const PropertyResponseV1 = z
  .strictObject({
    id: PropertyId,
    property_address: z.strictObject({ id: AddressId, full_address: z.string() }).nullable(),
    owners: z
      .array(FoundPersonV1)
      .describe(
        'First the owners who are people. Then owners who match no person, and businesses, as records with a name and empty other fields.',
      ),
    residents: z.array(PersonV1),
  })
  .meta({ id: 'PropertyV1' })

const Mortgage = z
  .strictObject({
    amount: z.number().nullable(),
    recorded_date: z.iso.date().nullable(),
    document_date: z.iso.date().nullable(),
    document_number: z.string().nullable(),
    lender_name: z.string().nullable(),
    loan_type: z.string().nullable(),
    position: z.int().nullable().describe('The rank by date: 1 is the newest mortgage.'),
    due_date: z.iso.date().nullable(),
  })
  .meta({ id: 'Mortgage' })

const FullAddress = z
  .strictObject({
    full_address: z.string(),
    line1: z.string(),
    city: z.string(),
    state: z.string(),
    zip: Zip,
    house: z.string(),
    street: z.string(),
    street_type: z.string(),
    county: z.string(),
  })
  .meta({ id: 'FullAddress' })
const number = z.number().nullable()
const word = z.string().nullable()

/** Response of `GET /v2/property/{property_id}`. */
export const PropertyResponse = z.strictObject({
  result: z
    .strictObject({
      ...PROPERTY,
      property_address: FullAddress.nullable(),
      mailing_address: FullAddress.nullable(),
      ownership_info: z.strictObject({
        ...OWNERSHIP,
        last_sale_amount: number,
        mortgages: z.array(Mortgage),
      }),
      year_built: z.int().nullable(),
      effective_year_built: z.int().nullable(),
      living_sqft: number,
      lot_sqft: number,
      ground_floor_sqft: number,
      basement_sqft: number,
      basement_type: word,
      garage_type: word,
      roof_covering: word,
      heating_fuel: word,
      condition: word,
      build_quality: word,
      stories: number,
      bedrooms: number,
      bathrooms: number,
      has_pool: z.boolean().nullable(),
      assessed_info: z.strictObject({
        market_value: number,
        assessed_value: number,
        property_tax_amount: number,
        property_tax_percent: number,
        assessment_year: number,
      }),
    })
    .meta({ id: 'Property' }),
})
