import { z } from 'zod'
import type { PersonQuery, PropertyQuery } from '../lookup/lookup.ts'
import { parsePhone } from '../normalize/phone.ts'
import { STATE_CODES } from './state-codes.ts'

// The one description of what a request may say. Values arrive as text; a parameter that is given twice as an array.
// The words of a refusal are what stands in `meta.validation_error`.

const once = (issue: { input?: unknown }): string =>
  Array.isArray(issue.input) ? 'must be given only once' : 'must be text'

const MOST_CHARACTERS = 200
const Text = z
  .string({ error: once })
  .trim()
  .min(1, 'must not be empty')
  .max(MOST_CHARACTERS, `must have at most ${MOST_CHARACTERS} characters`)

// A plus sign that a client forgot to encode arrives as a space, so spaces around are no part of the number.
const PHONE = /^(?:\+?1)?[-. ]*(?:\(\d{3}\)|\d{3})[-. ]*\d{3}[-. ]*\d{4}$/
const Phone = Text.transform((text, context) => {
  const phone = PHONE.test(text) ? parsePhone(text) : null
  if (phone !== null) return phone.phone
  context.issues.push({
    code: 'custom',
    input: text,
    message:
      'must be a North American number: an optional 1 or +1, then 10 digits; parentheses around the area code and `-`, `.` or space between are fine',
  })
  return z.NEVER
})

const Email = Text.regex(
  /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/,
  'must look like local@domain.tld: no spaces, one @, a dot in the domain',
)

const StateCode = z
  .string({ error: once })
  .trim()
  .toUpperCase()
  .refine((code) => STATE_CODES.has(code), 'must be the two-letter code of a state or territory, such as TX')

const Zipcode = z
  .string({ error: once })
  .trim()
  .regex(/^\d{5}$/, 'must be exactly 5 digits')

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
const INTEGER = /^[+-]?\d{1,15}$/

function number(form: RegExp, kind: string, least: number, most: number) {
  const range = `must be between ${least} and ${most}`
  return z
    .string({ error: once })
    .trim()
    .regex(form, `must be ${kind}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, range)
}

// Python clients send `True`.
const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false }
const Flag = z
  .string({ error: once })
  .trim()
  .toLowerCase()
  .refine((text) => Object.hasOwn(FLAGS, text), 'must be true or false')
  .transform((text) => FLAGS[text] ?? false)

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

/** What `GET /v2/person/` takes. Everything that isn't named here is ignored. */
export const PersonSearch = z
  .object({
    phone: Phone.exactOptional(),
    email: Email.exactOptional(),
    name: Text.exactOptional(),
    first_name: Text.exactOptional(),
    middle_name: Text.exactOptional(),
    last_name: Text.exactOptional(),
    street: Text.exactOptional(),
    city: Text.exactOptional(),
    state_code: StateCode.exactOptional(),
    zipcode: Zipcode.exactOptional(),
    include_historical_locations: Flag.default(false),
    min_age: number(INTEGER, 'a whole number', 18, 65).exactOptional(),
    max_age: number(INTEGER, 'a whole number', 18, 65).exactOptional(),
    radius: number(NUMBER, 'a number', 0.1, 100).exactOptional(),
    include_fuzzy_matching: Flag.default(false),
    strict_match: Flag.default(false),
    page: number(INTEGER, 'a whole number', 1, 10).default(1),
    page_size: number(INTEGER, 'a whole number', 1, 15).default(15),
  })
  .superRefine((query, context) => {
    if (query.name !== undefined) {
      for (const part of ['first_name', 'middle_name', 'last_name'] as const) {
        if (query[part] === undefined) continue
        context.addIssue({ code: 'custom', path: ['name'], message: `cannot be combined with ${part}` })
      }
    }
    if (query.strict_match && query.include_fuzzy_matching) {
      context.addIssue({
        code: 'custom',
        path: ['strict_match'],
        message: 'cannot be true together with include_fuzzy_matching',
      })
    }
    if (query.min_age !== undefined && query.max_age !== undefined && query.min_age > query.max_age) {
      context.addIssue({ code: 'custom', path: ['min_age'], message: 'must not be greater than max_age' })
    }
    if (!SEARCHABLE_PERSON.some((field) => query[field] !== undefined)) {
      context.addIssue({
        code: 'custom',
        message: `a search for people needs at least one search parameter of ${SEARCHABLE_PERSON.join(', ')}`,
      })
    }
  }) satisfies z.ZodType<PersonQuery>

/** What `GET /v2/property/` takes. Everything that isn't named here is ignored. */
export const PropertySearch = z
  .object({
    street: Text.exactOptional(),
    city: Text.exactOptional(),
    state_code: StateCode.exactOptional(),
    zipcode: Zipcode.exactOptional(),
    strict_match: Flag.default(false),
  })
  .superRefine((query, context) => {
    if (query.strict_match && query.street === undefined) {
      context.addIssue({ code: 'custom', path: ['strict_match'], message: 'needs street when it is true' })
    }
    if (query.street === undefined && query.city === undefined && query.zipcode === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'a search for a property needs at least one search parameter of street, city, zipcode',
      })
    }
  }) satisfies z.ZodType<PropertyQuery>

export const PersonPath = z.object({
  id: z
    .string()
    .regex(
      /^P[0-9A-Za-z]{10}$/,
      'a person id is P followed by exactly 10 alphanumeric characters, such as P19Xrg1Zr34',
    ),
})

export const PropertyPath = z.object({
  property_id: z
    .string()
    .regex(
      /^[RA][0-9A-Za-z]{10}$/,
      'a property id is R, an address id is A, followed by exactly 10 alphanumeric characters, such as R19Xrg1Zr34',
    ),
})

/** `phone` comes out as eleven digits. */
export const PhonePath = z.object({ phone: Phone })

/** For routes that take no query parameter at all. */
export const NoParameters = z.strictObject({}, { error: 'this resource takes no query parameters' })
