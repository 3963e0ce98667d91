import { z } from 'zod'
import { parsePhone } from '../../normalize/phone.ts'
import { STATE_CODES } from '../state-codes.ts'

// Schemas of single parameters. Values arrive as text, and as an array when a parameter is given twice. The messages become
// `meta.validation_error` of the error.

/** Returns the message for a value that is not a text. */
export const once = (issue: { input?: unknown }): string =>
  Array.isArray(issue.input) ? 'must be given only once' : 'must be text'

export const MOST_CHARACTERS = 200
export const Text = z
  .string({ error: once })
  .trim()
  .min(1, 'must not be empty')
  .max(MOST_CHARACTERS, `must have at most ${MOST_CHARACTERS} characters`)

/** A name or a part of one. A text without a letter is refused, because its search would find nobody and still be billed. */
export const NameText = Text.regex(/\p{L}/u, 'must contain a letter')

/** The name of a place. */
export const CityText = NameText

/** A street or a part of one, such as '123'. */
export const STREET = /[\p{L}\p{N}]/u
export const StreetText = Text.regex(STREET, 'must contain a letter or a digit')

// Spaces around the number are ignored, because a plus sign that a client did not encode arrives as a space.
const PHONE = /^(?:\+?1)?[-. ]*(?:\(\d{3}\)|\d{3})[-. ]*\d{3}[-. ]*\d{4}$/
export const Phone = Text.meta({
  pattern: PHONE.source,
  examples: ['(206) 555-0142'],
}).transform((text, context) => {
  const phone = PHONE.test(text) ? parsePhone(text) : null
  if (phone !== null) return phone.phone
  context.issues.push({
    code: 'custom',
    input: text,
    message:
      'must be a North American number: 10 digits, with or without 1 or +1 before them. Parentheses around the area code are allowed, and `-`, `.` or spaces between the groups',
  })
  return z.NEVER
})

export const Email = Text.regex(
  /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/,
  'must look like local@domain.tld: no spaces, one @, a dot in the domain',
)

export const StateCode = z
  .string({ error: once })
  .trim()
  .toUpperCase()
  .refine((code) => STATE_CODES.has(code), 'must be the two-letter code of a state or territory, such as TX')
  .meta({ id: 'StateCode', enum: [...STATE_CODES] })

export const Zipcode = z
  .string({ error: once })
  .trim()
  .regex(/^\d{5}$/, 'must be exactly 5 digits')

export const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
export const INTEGER = /^[+-]?\d{1,15}$/

export function number(form: RegExp, kind: string, least: number, most: number) {
  const range = `must be between ${least} and ${most}`
  return z
    .string({ error: once })
    .trim()
    .regex(form, `must be ${kind}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, range)
    .meta({ type: form === INTEGER ? 'integer' : 'number', minimum: least, maximum: most })
}

// Upper case is accepted, because Python clients send `True`.
const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false }
export const Flag = z
  .string({ error: once })
  .trim()
  .toLowerCase()
  .refine((text) => Object.hasOwn(FLAGS, text), 'must be true or false')
  .transform((text) => FLAGS[text] ?? false)
  .meta({ type: 'boolean' })

/**
 * Returns a schema that refuses unknown parameters and names the known ones. For resources that the interface does not define:
 * there, ignoring a misspelt parameter may cost the caller money.
 */
export function knownParameters<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape)
  const known =
    names.length === 0
      ? 'this resource has no parameters'
      : `the parameters of this resource are ${names.join(', ')}`
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown parameter ${(issue as unknown as { keys: string[] }).keys.map((key) => `'${key.slice(0, 80)}'`).join(', ')}; ${known}`
        : undefined,
  })
}

/** Query of routes without query parameters. */
export const NoParameters = z.strictObject({}, { error: 'this resource has no query parameters' })

/** A day of the calendar, `YYYY-MM-DD`. */
export const Day = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : once(issue)) })
  .trim()
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'must be a date, YYYY-MM-DD', abort: true })
  .refine((day) => isDay(day), 'must be a date that exists in the calendar')
  .meta({ format: 'date' })

// Also refuses days such as February 31, which Date.parse reads as a day in March.
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}
