import { z } from 'zod'

// The shapes of the interface, member by member: one too many or too few is an error.

const NationalNumber = z.string().regex(/^\(\d{3}\) \d{3}-\d{4}$/)
const Score = z.int().min(0).max(100)
const Zip = z.string().regex(/^\d{5}$/)
const PersonId = z.string().regex(/^P[0-9A-Za-z]{10}$/)
const PropertyId = z.string().regex(/^R[0-9A-Za-z]{10}$/)
const AddressId = z.string().regex(/^A[0-9A-Za-z]{10}$/)
const Shown = z.strictObject({ displayed: z.int().min(0), additional: z.int().min(0) })
const Point = z.strictObject({ lat: z.number(), lng: z.number() })
const LineType = z.enum(['mobile', 'landline', 'voip', 'tollfree', 'unknown'])

const AddressSummary = z.strictObject({
  address_id: AddressId,
  full_address: z.string(),
  city: z.string(),
  state: z.string(),
  line1: z.string(),
  zip: Zip,
})

const phones = z.array(z.strictObject({ number: NationalNumber, type: LineType, score: Score }))
const emails = z.array(z.strictObject({ email: z.email(), score: Score }))

const PERSON = {
  id: PersonId,
  name: z.string(),
  aliases: z.array(z.string()),
  is_dead: z.boolean(),
  age: z.int().nullable(),
  date_of_birth: z.string().nullable(),
  linkedin_url: z.string().nullable(),
  company_name: z.string().nullable(),
  job_title: z.string().nullable(),
  phones,
  emails,
  current_addresses: z.array(AddressSummary),
  historic_addresses: z.array(AddressSummary),
  owned_properties: z.array(z.strictObject({ id: PropertyId, address: z.string() })),
  relatives: z.array(z.strictObject({ id: PersonId, name: z.string() })),
}

/** `GET /v2/person/{id}` */
export const PersonDetails = z.strictObject({ result: z.strictObject(PERSON) })

export const FoundPerson = z.strictObject({
  ...PERSON,
  phones: phones.max(4),
  emails: emails.max(3),
  historic_addresses: z.array(AddressSummary).max(5),
  owned_properties: PERSON.owned_properties.max(5),
  match_score: z.int().min(1).max(99).nullable(),
  matched_by: z.array(z.enum(['name', 'phone', 'email', 'address', 'age'])),
  result_metadata: z.strictObject({
    details_url: z
      .string()
      .regex(/^\/v2\/person\/P[0-9A-Za-z]{10}$/)
      .nullable(),
    phones: Shown,
    emails: Shown,
    historic_addresses: Shown,
    owned_properties: Shown,
  }),
})

/** `GET /v2/person/` */
export const People = z.strictObject({
  results: z.array(FoundPerson).max(15),
  metadata: z.strictObject({
    result_count: z.int().min(0),
    page: z.int().min(1).max(10),
    page_size: z.int().min(1).max(15),
  }),
})

const PartyMetadata = z.strictObject({
  details_url: z.string().nullable(),
  phones: Shown,
  emails: Shown,
  owned_properties: Shown,
})

const PARTY = {
  id: PersonId,
  name: z.string(),
  age: z.int().nullable(),
  current_addresses: z.array(AddressSummary),
  phones: phones.max(4),
  emails: emails.max(3),
  company_name: z.string().nullable(),
  job_title: z.string().nullable(),
}
const Owner = z.strictObject({ ...PARTY, person_owner_metadata: PartyMetadata })
const Resident = z.strictObject({ ...PARTY, resident_metadata: PartyMetadata })

const OWNERSHIP = {
  owner_type: z.enum(['individual', 'business', 'trust', 'government', 'unknown']),
  sale_date: z.iso.date().nullable(),
  business_owners: z.array(z.looseObject({ name: z.string() })),
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

/** `GET /v2/property/` */
export const FoundProperty = z.strictObject({
  result: z.strictObject({
    ...PROPERTY,
    property_address: AddressSummary.nullable(),
    mailing_address: AddressSummary.nullable(),
    ownership_info: z.strictObject(OWNERSHIP),
  }),
})

const FullAddress = z.strictObject({
  full_address: z.string(),
  line1: z.string(),
  city: z.string(),
  state: z.string(),
  zip: Zip,
  house: z.string().nullable(),
  street: z.string().nullable(),
  street_type: z.string().nullable(),
  county: z.string().nullable(),
})
const number = z.number().nullable()
const word = z.string().nullable()

/** `GET /v2/property/{property_id}` */
export const PropertyDetails = z.strictObject({
  result: z.strictObject({
    ...PROPERTY,
    property_address: FullAddress.nullable(),
    mailing_address: FullAddress.nullable(),
    ownership_info: z.strictObject({
      ...OWNERSHIP,
      last_sale_amount: number,
      mortgages: z.array(z.looseObject({})),
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
  }),
})

const BUSINESS_PLACE = {
  city: z.string(),
  state: z.string(),
  zip: Zip.nullable(),
  plus4: z.string().nullable(),
  latlong: Point.nullable(),
  is_historical: z.boolean(),
}

/** `GET /v2/phone/{phone}` */
export const PhoneAnswer = z.strictObject({
  phone: z.strictObject({
    e164: z.string().regex(/^\+1\d{10}$/),
    national_format: NationalNumber,
    line_type: LineType,
    carrier: z.string().nullable(),
    primary_owner: z.enum(['person', 'business', 'unknown']),
    returned_people: z.int().min(0),
    people_limit: z.literal(10),
    people_truncated: z.boolean(),
    returned_businesses: z.int().min(0),
  }),
  people: z.array(FoundPerson).max(10),
  businesses: z.array(
    z.strictObject({
      name: z.string(),
      addresses: z.array(z.strictObject({ full_address: z.string(), line1: z.string(), ...BUSINESS_PLACE })),
      approximate_locations: z.array(
        z.strictObject({
          ...BUSINESS_PLACE,
          country: z.string(),
          precision: z.enum(['zip4', 'zip', 'city']),
        }),
      ),
    }),
  ),
})
