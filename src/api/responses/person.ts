import { z } from 'zod'
import { AddressId, AddressSummary, Emails, PersonId, Phones, Point, PropertyId, Shown } from './parts.ts'

const OwnedProperties = z.array(z.strictObject({ id: PropertyId, address: z.string() }))

const PERSON = {
  id: PersonId,
  name: z.string(),
  aliases: z.array(z.string()),
  is_dead: z.boolean(),
  age: z
    .int()
    .nullable()
    .describe('The age by the date of birth, or by the year alone when only the year of birth is known.'),
  date_of_birth: z.string().nullable().describe('YYYY-MM-DD. Unknown parts are 00.'),
  linkedin_url: z.string().nullable(),
  company_name: z.string().nullable(),
  job_title: z.string().nullable(),
  phones: Phones,
  emails: Emails,
  current_addresses: z.array(AddressSummary),
  historic_addresses: z.array(AddressSummary),
  owned_properties: OwnedProperties,
  relatives: z.array(z.strictObject({ id: PersonId, name: z.string() })),
}

/** Response of `GET /v2/person/{id}`. */
export const PersonResponse = z.strictObject({ result: z.strictObject(PERSON).meta({ id: 'Person' }) })

const AddressV1 = z
  .strictObject({ id: AddressId, address: z.string(), latlong: Point.nullable(), score: z.number() })
  .meta({ id: 'AddressV1' })

const { age: _, ...PERSON_WITHOUT_AGE } = PERSON

/** Response of `GET /v1/person/{id}`. */
export const PersonV1 = z
  .strictObject({
    ...PERSON_WITHOUT_AGE,
    emails: z.array(z.email()),
    current_addresses: z.array(AddressV1),
    historic_addresses: z.array(AddressV1),
  })
  .meta({ id: 'PersonV1' })

/** A person, or an owner who matches no person and has only a name and perhaps a phone. */
export const FoundPersonV1 = PersonV1.extend({
  id: PersonId.nullable().describe('Null for a name that matches no person.'),
}).meta({ id: 'FoundPersonV1' })

/** Response of `GET /v1/person/`. */
export const PersonSearchResponseV1 = z.array(FoundPersonV1).max(15)

/** A person found by a search. Arrays have a maximum length; `result_metadata` counts the items that are left out. */
export const FoundPerson = z
  .strictObject({
    ...PERSON,
    id: PersonId.nullable().describe('Null for a phone owner who matches no person.'),
    phones: Phones.max(4),
    emails: Emails.max(3),
    historic_addresses: z.array(AddressSummary).max(5),
    owned_properties: OwnedProperties.max(5),
    match_score: z
      .int()
      .min(1)
      .max(99)
      .nullable()
      .describe(
        'Ranks the results of one search, from 1 to 99 (best). 60 % of it is the match between record and search. 40 % is the completeness of the record and the number of sources that confirm it. It is not a probability.',
      ),
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
  .meta({ id: 'FoundPerson' })

/** Response of `GET /v2/person/`. */
export const PersonSearchResponse = z.strictObject({
  results: z.array(FoundPerson).max(15),
  metadata: z.strictObject({
    result_count: z.int().min(0).describe('The number of matching records on all pages.'),
    page: z.int().min(1).max(10),
    page_size: z.int().min(1).max(15),
  }),
})
