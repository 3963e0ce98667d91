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
  phone: Phone.exactOptional().describe('A phone in any common format, with or without the country code 1.'),
  name: NameText.exactOptional().describe(
    'A full name, a first or last name, or a part of one. Cannot be combined with `first_name`, `middle_name` or `last_name`.',
  ),
  first_name: NameText.exactOptional().describe('Cannot be combined with `name`.'),
  middle_name: NameText.exactOptional().describe('Cannot be combined with `name`.'),
  last_name: NameText.exactOptional().describe('Cannot be combined with `name`.'),
  street: StreetText.exactOptional().describe('A house number and street, or a part of them.'),
  city: CityText.exactOptional().describe('The full name of a city.'),
  state_code: StateCode.exactOptional().describe('The code of a state or territory.'),
  zipcode: Zipcode.exactOptional().describe('A ZIP code of 5 digits.'),
  include_historical_locations: Flag.default(false).describe('Also searches past addresses.'),
  min_age: number(INTEGER, 'a whole number', 18, 65)
    .exactOptional()
    .describe('The lowest age. People of unknown age are also returned.'),
  max_age: number(INTEGER, 'a whole number', 18, 65)
    .exactOptional()
    .describe('The highest age. People of unknown age are also returned.'),
  radius: number(NUMBER, 'a number', 0.1, 100)
    .exactOptional()
    .describe(
      'The search radius in miles. Its center is the street; without a street, the ZIP code; without both, the city.',
    ),
  strict_match: Flag.default(false).describe(
    'Returns exact matches only. By default, a search without exact matches is repeated with fuzzy names and then with nearby places.',
  ),
}

type Asked = Partial<Omit<PersonQuery, 'page' | 'page_size'>>

/** Checks the rules about several parameters. At least one of `searchable` must be given. */
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
      message: `a search for people needs at least one of the search parameters ${searchable.join(', ')}`,
    })
  }
}

/** Query of `GET /v2/person/`. Other parameters are ignored. */
export const PersonSearch = z
  .object({
    ...PARAMETERS,
    email: Email.exactOptional().describe('A complete e-mail address.'),
    include_fuzzy_matching: Flag.default(false).describe(
      'Matches names fuzzily in the first search: similar sound, nicknames, initials and typos.',
    ),
    page: number(INTEGER, 'a whole number', 1, 10)
      .default(1)
      .describe('The number of the page. Each page is billed as one request.'),
    page_size: number(INTEGER, 'a whole number', 1, 15)
      .default(15)
      .describe('The number of people on a page.'),
  })
  .superRefine((query, context) =>
    checkTogether(query, SEARCHABLE_PERSON, context),
  ) satisfies z.ZodType<PersonQuery>

/** Query of `GET /v1/person/`: without e-mail, fuzzy matching in the first search, and pages. */
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
