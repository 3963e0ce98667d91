import { z } from 'zod'
import { LineType, NationalNumber, Point, Zip } from './parts.ts'
import { FoundPerson } from './person.ts'

const PLACE = {
  city: z.string(),
  state: z.string(),
  zip: Zip,
  plus4: z.string(),
  latlong: Point.nullable(),
  is_historical: z.boolean(),
}

const Business = z
  .strictObject({
    name: z.string(),
    addresses: z.array(z.strictObject({ full_address: z.string(), line1: z.string(), ...PLACE })),
    approximate_locations: z.array(
      z.strictObject({ ...PLACE, country: z.string(), precision: z.enum(['zip4', 'zip', 'city']) }),
    ),
  })
  .meta({ id: 'Business' })

/** Response of `GET /v2/phone/{phone}`. */
export const PhoneResponse = z.strictObject({
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
  businesses: z.array(Business),
})
