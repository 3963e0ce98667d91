import { z } from 'zod'
import type { PropertyQuery } from '../../lookup/index.ts'
import { CityText, Flag, MOST_CHARACTERS, once, STREET, StateCode, StreetText, Zipcode } from './fields.ts'

/** Query of `GET /v2/property/`. Other parameters are ignored. */
export const PropertySearch = z
  .object({
    street: StreetText.exactOptional().describe('A house number and street name.'),
    city: CityText.exactOptional().describe('The full name of a city.'),
    state_code: StateCode.exactOptional().describe('The code of a state or territory.'),
    zipcode: Zipcode.exactOptional().describe('A ZIP code of 5 digits.'),
    strict_match: Flag.default(false).describe(
      'Returns only a property at this address or in the same building. Needs `street`.',
    ),
  })
  .superRefine((query, context) => {
    if (query.strict_match && query.street === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['strict_match'],
        message: 'can only be true together with street',
      })
    }
    if (query.street === undefined && query.city === undefined && query.zipcode === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'a search for a property needs at least one of the search parameters street, city, zipcode',
      })
    }
  }) satisfies z.ZodType<PropertyQuery>

const missing = 'the location parameter street is required'

/** Query of `GET /v1/property/`. */
export const PropertySearchV1 = z.object({
  street: z
    .string({ error: (issue) => (issue.input === undefined ? missing : once(issue)) })
    .pipe(StreetText)
    .meta({ minLength: 1, maxLength: MOST_CHARACTERS, pattern: STREET.source })
    .describe('A house number and street name.'),
  city: CityText.exactOptional(),
  state_code: StateCode.exactOptional(),
  zip: z
    .string({ error: once })
    .trim()
    .regex(/^\d{5}(?:-?\d{4})?$/, 'must be 5 or 9 digits')
    .transform((zip) => zip.slice(0, 5))
    .meta({ type: 'string' })
    .exactOptional(),
})

export const PropertyPath = z.object({
  property_id: z
    .string()
    .regex(
      /^[RA][0-9A-Za-z]{10}$/,
      'an id is R (property) or A (address), followed by exactly 10 alphanumeric characters, such as R19Xrg1Zr34',
    ),
})
