import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { NoParameters } from '../../src/api/parameters/fields.ts'
import { PersonPath } from '../../src/api/parameters/person.ts'
import { PhonePath } from '../../src/api/parameters/phone.ts'
import { PropertyPath } from '../../src/api/parameters/property.ts'

type Input = Record<string, string | string[]>

function refusals(schema: z.ZodType, input: Input): string[] {
  const result = schema.safeParse(input)
  return result.success ? [] : result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
}

describe('GET /v2/person/{id}', () => {
  test.each(['P19Xrg1Zr34', 'P0000000001', 'PABCDEFGHIJ'])('%s is a person id', (id) => {
    expect(PersonPath.parse({ id })).toEqual({ id })
  })

  test.each([
    'p19Xrg1Zr34',
    'R19Xrg1Zr34',
    'P19Xrg1Zr3',
    'P19Xrg1Zr345',
    'P19Xrg1Zr3-',
    'P19Xrg1Zr3é',
    '',
    'P19Xrg1Zr34\n',
  ])('%j is no person id, and the refusal says what one looks like', (id) => {
    expect(refusals(PersonPath, { id })).toEqual([
      expect.stringContaining('P followed by exactly 10 alphanumeric characters'),
    ])
  })
})

describe('GET /v2/property/{property_id}', () => {
  test.each(['R19Xrg1Zr34', 'A19Xrg1Zr34'])('%s is a property or address id', (property_id) => {
    expect(PropertyPath.parse({ property_id })).toEqual({ property_id })
  })

  test.each(['r19Xrg1Zr34', 'P19Xrg1Zr34', 'R19Xrg1Zr3', 'A19Xrg1Zr345', 'R19Xrg1Zr3 '])(
    '%j is no property id, and the refusal says what one looks like',
    (property_id) => {
      expect(refusals(PropertyPath, { property_id })).toEqual([
        expect.stringMatching(
          /R \(property\) or A \(address\), followed by exactly 10 alphanumeric characters/,
        ),
      ])
    },
  )
})

describe('GET /v2/phone/{phone}', () => {
  test.each([
    '2065550142',
    '12065550142',
    '+12065550142',
    '(206) 555-0142',
    '206.555.0142',
    '1-206-555-0142',
  ])('%s is a North American number', (phone) => {
    expect(PhonePath.parse({ phone })).toEqual({ phone: '12065550142' })
  })

  test('numbers of every country of the North American plan are taken', () => {
    // Toronto, Kingston (Jamaica), San Juan
    for (const phone of ['4165550142', '8765550142', '7875550142']) {
      expect(refusals(PhonePath, { phone })).toEqual([])
    }
  })

  test.each(['+442079460958', '0000000000', '123', 'jane', '1112223333'])(
    '%s is no North American number',
    (phone) => {
      expect(refusals(PhonePath, { phone })).toEqual([expect.stringContaining('North American number')])
    },
  )

  test('where no query parameters are taken, any is refused', () => {
    expect(refusals(NoParameters, {})).toEqual([])
    expect(refusals(NoParameters, { a: '1' })).toEqual([': this resource has no query parameters'])
    expect(refusals(NoParameters, { a: ['1', '2'], b: '' })).toEqual([
      ': this resource has no query parameters',
    ])
  })
})
