import { z } from 'zod'
import type { PersonQuery } from '../../lookup/index.ts'
import {
  CityText,
  Email,
  Flag,
  INTEGER,
  NameText,
  NUMBER,
  number,
  Phone,
  StateCode,
  StreetText,
  Zipcode,
} from './fields.ts'

const SEARCHABLE_PERSON = [
  'phone',
  'email',
  'name',
  'first_name',
  'last_name',
  'street',
  'city',
  'zipcode',
] as const satisfies (keyof PersonQuery)[]

const PARAMETERS = {
  phone: Phone.exactOptional().describe('with or without the country code 1, in any common format'),
  name: NameText.exactOptional().describe('full, first, last or part of a name; not together with its parts'),
  first_name: NameText.exactOptional().describe('not together with name'),
  middle_name: NameText.exactOptional().describe('not together with name'),
  last_name: NameText.exactOptional().describe('not together with name'),
  street: StreetText.exactOptional().describe('number and street, or part of them'),
  city: CityText.exactOptional().describe('full name of a city'),
  state_code: StateCode.exactOptional().describe('state or territory'),
  zipcode: Zipcode.exactOptional().describe('5 digits'),
  include_historical_locations: Flag.default(false).describe('look at past addresses, too'),
  min_age: number(INTEGER, 'a whole number', 18, 65)
    .exactOptional()
    .describe('people whose age is not known stay in'),
  max_age: number(INTEGER, 'a whole number', 18, 65)
    .exactOptional()
    .describe('people whose age is not known stay in'),
  radius: number(NUMBER, 'a number', 0.1, 100)
    .exactOptional()
    .describe('miles around the street, else the ZIP, else the city'),
  strict_match: Flag.default(false).describe(
    'no fuzzy names and no wider places when nothing is found exactly',
  ),
}

type Asked = Partial<Omit<PersonQuery, 'page' | 'page_size'>>

/** The rules that concern several parameters; `searchable` are those of which one must be given. */
function checkTogether(query: Asked, searchable: readonly (keyof Asked)[], context: z.RefinementCtx): void {
  if (query.name !== undefined) {
    for (const part of ['first_name', 'middle_name', 'last_name'] as const) {
      if (query[part] === undefined) continue
      context.addIssue({ code: 'custom', path: ['name'], message: `cannot be combined with ${part}` })
    }
  }
  if (query.strict_match === true && query.include_fuzzy_matching === true) {
    context.addIssue({
      code: 'custom',
      path: ['strict_match'],
      message: 'cannot be true together with include_fuzzy_matching',
    })
  }
  if (query.min_age !== undefined && query.max_age !== undefined && query.min_age > query.max_age) {
    context.addIssue({ code: 'custom', path: ['min_age'], message: 'must not be greater than max_age' })
  }
  if (!searchable.some((field) => query[field] !== undefined)) {
    context.addIssue({
      code: 'custom',
      message: `a search for people needs at least one search parameter of ${searchable.join(', ')}`,
    })
  }
}

/** What `GET /v2/person/` takes. Everything that isn't named here is ignored. */
export const PersonSearch = z
  .object({
    ...PARAMETERS,
    email: Email.exactOptional().describe('whole address'),
    include_fuzzy_matching: Flag.default(false).describe(
      'sounds, nicknames, initials and typos from the start',
    ),
    page: number(INTEGER, 'a whole number', 1, 10).default(1).describe('every page is billed as a request'),
    page_size: number(INTEGER, 'a whole number', 1, 15).default(15).describe('people on a page'),
  })
  .superRefine((query, context) =>
    checkTogether(query, SEARCHABLE_PERSON, context),
  ) satisfies z.ZodType<PersonQuery>

/** What `GET /v1/person/` takes: no e-mail, no fuzzy matching on the first pass, no pages. */
export const PersonSearchV1 = z.object(PARAMETERS).superRefine((query, context) =>
  checkTogether(
    query,
    SEARCHABLE_PERSON.filter((field) => field !== 'email'),
    context,
  ),
)

export const PersonPath = z.object({
  id: z
    .string()
    .regex(
      /^P[0-9A-Za-z]{10}$/,
      'a person id is P followed by exactly 10 alphanumeric characters, such as P19Xrg1Zr34',
    ),
})
