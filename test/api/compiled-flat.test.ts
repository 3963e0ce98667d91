import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { compileFlat } from '../../src/api/compiled-flat.ts'
import { NoParameters } from '../../src/api/parameters/fields.ts'
import { PersonPath, PersonSearch } from '../../src/api/parameters/person.ts'
import { PhonePath } from '../../src/api/parameters/phone.ts'
import { PropertySearch } from '../../src/api/parameters/property.ts'
import { withApi } from './support.ts'

/** All schemas that the service compiles, named after the first route that uses each. */
const SCHEMAS = await withApi(async ({ app }) => {
  const found = new Map<z.ZodType, string>()
  for (const { method, path, request = {} } of app.endpoints)
    for (const part of ['path', 'query'] as const) {
      const schema = request[part]
      if (schema !== undefined && !found.has(schema)) found.set(schema, `${part} of ${method} ${path}`)
    }
  return Array.from(found, ([schema, name]) => ({ name, schema }))
})

const TEXTS = ['', ' ', 'true', 'False', '1', '0', '65', '1e400', '12.5', 'tx', 'TX', '78701', '78701-1234', 'Ada Example', 'P19Xrg1Zr34', 'R19Xrg1Zr34', '(512) 555-0142', 'ada@example.com', '\u0000', '2026-06-01'] // prettier-ignore
const Value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS) },
  fc.string(),
  fc.array(fc.string(), { maxLength: 2 }),
)

/** Valid values of parameters for which no text above is valid. */
const GOOD: Readonly<Record<string, string>> = {
  id: `enr_${'0'.repeat(22)}`,
  event_id: '7d6ad2c4-3f5e-5a7b-9c1d-0e2f4a6b8c0d',
  start_date: '2026-06-01',
  end_date: '2026-06-01',
  start: '2026-06-01',
  end: '2026-06-02',
}

function valueOf(name: string): fc.Arbitrary<unknown> {
  const good = GOOD[name]
  return good === undefined ? Value : fc.oneof(fc.constant(good), Value)
}

function parametersOf(schema: z.ZodType): fc.Arbitrary<Record<string, unknown>> {
  const own = Object.keys((schema as z.ZodObject).shape ?? {})
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('else', ...own) },
    fc.constantFrom('__proto__', 'constructor'),
  )
  // Without a prototype, as the query parser returns objects.
  return fc
    .uniqueArray(
      name.chain((key) => fc.tuple(fc.constant(key), valueOf(key))),
      { maxLength: 6, selector: ([key]) => key },
    )
    .map((entries) => {
      const parameters = Object.create(null) as Record<string, unknown>
      for (const [key, value] of entries) parameters[key] = value
      return parameters
    })
}

test('routes have schemas to compare', () => {
  expect(SCHEMAS.map(({ name }) => name)).toContain('query of GET /v2/person/')
})

test.each(SCHEMAS)('$name accepts the same, and makes the same of it, compiled or not', ({ schema }) => {
  const compiled = compileFlat(schema)
  let accepted = 0
  fc.assert(
    fc.property(parametersOf(schema), (parameters) => {
      const value = compiled(parameters)
      const plain = schema.safeParse(parameters)
      expect(value).toEqual(plain.success ? plain.data : null)
      if (plain.success) accepted += 1
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(0)
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
