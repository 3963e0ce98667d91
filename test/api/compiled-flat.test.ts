import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { compileFlat } from '../../src/api/compiled-flat.ts'
import { EventSearch } from '../../src/api/parameters/event.ts'
import { NoParameters } from '../../src/api/parameters/fields.ts'
import { PersonPath, PersonSearch, PersonSearchV1 } from '../../src/api/parameters/person.ts'
import { PhonePath } from '../../src/api/parameters/phone.ts'
import { PropertyPath, PropertySearch, PropertySearchV1 } from '../../src/api/parameters/property.ts'

const SCHEMAS: Record<string, z.ZodType> = {
  EventSearch,
  NoParameters,
  PersonPath,
  PersonSearch,
  PersonSearchV1,
  PhonePath,
  PropertyPath,
  PropertySearch,
  PropertySearchV1,
}

const NAMES = [
  ...new Set(Object.values(SCHEMAS).flatMap((schema) => Object.keys((schema as z.ZodObject).shape ?? {}))),
  'else',
  '__proto__',
  'constructor',
]
const TEXTS = ['', ' ', 'true', 'False', '1', '0', '65', '1e400', '12.5', 'tx', 'TX', '78701', '78701-1234', 'Ada Example', 'P19Xrg1Zr34', 'R19Xrg1Zr34', '(512) 555-0142', 'ada@example.com', '\u0000', '2026-06-01'] // prettier-ignore
const Value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS) },
  fc.string(),
  fc.array(fc.string(), { maxLength: 2 }),
)
const Parameters = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), Value), { maxLength: 6, selector: ([name]) => name })
  // As the query parser gives them: no prototype, so that any name is only a name.
  .map((entries) => {
    const parameters = Object.create(null) as Record<string, unknown>
    for (const [name, value] of entries) parameters[name] = value
    return parameters
  })

test.each(Object.keys(SCHEMAS))('%s accepts the same, and makes the same of it, compiled or not', (name) => {
  const schema = SCHEMAS[name]!
  const compiled = compileFlat(schema)
  fc.assert(
    fc.property(Parameters, (parameters) => {
      const value = compiled(parameters)
      const plain = schema.safeParse(parameters)
      if (value !== null) expect({ success: true, data: value }).toEqual(plain)
    }),
    { numRuns: 2_000 },
  )
})

test('what is asked most is accepted without going through the whole schema', () => {
  expect(compileFlat(PersonSearch)({ name: 'Ada Example', state_code: 'tx' })).toMatchObject({
    name: 'Ada Example',
    state_code: 'TX',
    page: 1,
    page_size: 15,
    strict_match: false,
  })
  expect(compileFlat(PropertySearch)({ street: '1 Example St', zipcode: '78701' })).not.toBeNull()
  expect(compileFlat(PersonPath)({ id: 'P19Xrg1Zr34' })).toEqual({ id: 'P19Xrg1Zr34' })
  expect(compileFlat(PhonePath)({ phone: '512-555-0142' })).toEqual({ phone: '15125550142' })
  expect(compileFlat(NoParameters)({})).toEqual({})
})
