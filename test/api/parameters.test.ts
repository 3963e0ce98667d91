import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { PersonSearch } from '../../src/api/parameters/person.ts'
import { PropertySearch } from '../../src/api/parameters/property.ts'
import { STATE_CODES } from '../../src/api/state-codes.ts'

const DEFAULTS = {
  include_historical_locations: false,
  include_fuzzy_matching: false,
  strict_match: false,
  page: 1,
  page_size: 15,
}

type Input = Record<string, string | string[]>

function refusals(schema: z.ZodType, input: Input): string[] {
  const result = schema.safeParse(input)
  return result.success ? [] : result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
}

describe('GET /v2/person/', () => {
  test('has its defaults: current addresses, no forced fuzzy matching, first page of fifteen', () => {
    expect(PersonSearch.parse({ name: 'Jane Smith' })).toEqual({ name: 'Jane Smith', ...DEFAULTS })
  })

  test('takes every parameter together', () => {
    expect(
      PersonSearch.parse({
        phone: '(512) 555-0101',
        email: 'jane.smith@example.com',
        first_name: 'Jane',
        middle_name: 'Ann',
        last_name: 'Smith',
        street: '123 N Main St',
        city: 'Austin',
        state_code: 'TX',
        zipcode: '78701',
        include_historical_locations: 'true',
        min_age: '18',
        max_age: '65',
        radius: '0.1',
        include_fuzzy_matching: 'true',
        strict_match: 'false',
        page: '10',
        page_size: '1',
      }),
    ).toEqual({
      phone: '15125550101',
      email: 'jane.smith@example.com',
      first_name: 'Jane',
      middle_name: 'Ann',
      last_name: 'Smith',
      street: '123 N Main St',
      city: 'Austin',
      state_code: 'TX',
      zipcode: '78701',
      include_historical_locations: true,
      min_age: 18,
      max_age: 65,
      radius: 0.1,
      include_fuzzy_matching: true,
      strict_match: false,
      page: 10,
      page_size: 1,
    })
  })

  test.each([
    '5125550101',
    '15125550101',
    '+15125550101',
    '512-555-0101',
    '512.555.0101',
    '512 555 0101',
    '(512) 555-0101',
    '(512)555-0101',
    '1 (512) 555-0101',
    '+1 512 555 0101',
    '+1-512-555-0101',
    '+1.512.555.0101',
    '1-512-555-0101',
    // `?phone=+1512…` with a plus sign that was not encoded.
    ' 15125550101',
  ])('takes the phone %s', (phone) => {
    expect(PersonSearch.parse({ phone }).phone).toBe('15125550101')
  })

  test.each([
    '555-0101',
    '25125550101',
    '+25125550101',
    '+5125550101',
    '512555010',
    '51255501011',
    '(512 555-0101',
    '512) 555-0101',
    '512/555/0101',
    '512-555-0101 x12',
    '512-FLOWERS',
    '+44 20 7946 0958',
    '0005550101',
    '1115550101',
    'abc',
    '',
  ])('refuses the phone %s', (phone) => {
    expect(refusals(PersonSearch, { phone })).toHaveLength(1)
  })

  test.each(['jane@example.com', 'jane.smith+tag@mail.example.co', 'J@e.io'])(
    'takes the e-mail %s',
    (email) => {
      expect(PersonSearch.parse({ email }).email).toBe(email)
    },
  )

  const NO_EMAILS = [
    'jane',
    'jane@example',
    '@example.com',
    'jane@',
    'jane@@example.com',
    'ja ne@example.com',
    'jane@.com',
    'jane@example.',
    'jane@example..com',
    'a@b@example.com',
  ]
  test.each(NO_EMAILS)('refuses the e-mail %s', (email) => {
    expect(refusals(PersonSearch, { email })).toEqual([
      'email: must look like local@domain.tld: no spaces, one @, a dot in the domain',
    ])
  })

  test.each([
    ['min_age', '17'],
    ['min_age', '66'],
    ['max_age', '17'],
    ['max_age', '66'],
    ['max_age', '-20'],
    ['min_age', '30.5'],
    ['min_age', 'old'],
    ['radius', '0'],
    ['radius', '0.09'],
    ['radius', '100.1'],
    ['radius', '101'],
    ['radius', '-5'],
    ['radius', 'NaN'],
    ['radius', 'Infinity'],
    ['radius', '0x10'],
    ['radius', 'near'],
    ['page', '0'],
    ['page', '11'],
    ['page', '1.5'],
    ['page', '-1'],
    ['page_size', '0'],
    ['page_size', '16'],
    ['page_size', 'all'],
    ['state_code', 'ZZ'],
    ['state_code', 'Texas'],
    ['state_code', 'T'],
    ['zipcode', '1234'],
    ['zipcode', '123456'],
    ['zipcode', '78701-1234'],
    ['zipcode', 'ABCDE'],
    ['strict_match', 'yes'],
    ['include_fuzzy_matching', 'maybe'],
    ['include_historical_locations', '2'],
  ])('refuses %s=%s', (field, value) => {
    const [only, ...more] = refusals(PersonSearch, { name: 'Jane', [field]: value })
    expect(only).toMatch(new RegExp(`^${field}: must be `))
    expect(more).toEqual([])
  })

  test.each([
    ['min_age', '18', 18],
    ['max_age', '65', 65],
    ['radius', '0.1', 0.1],
    ['radius', '100', 100],
    ['radius', '.5', 0.5],
    ['radius', '1e1', 10],
    ['page', '10', 10],
    ['page_size', '15', 15],
    ['state_code', 'PR', 'PR'],
    ['state_code', 'tx', 'TX'],
    ['strict_match', 'True', true],
    ['strict_match', 'FALSE', false],
    ['include_historical_locations', '1', true],
  ])('takes %s=%s', (field, value, parsed) => {
    expect(PersonSearch.parse({ name: 'Jane', [field]: value })).toMatchObject({ [field]: parsed })
  })

  test('takes every state code of the interface, and there are 57', () => {
    expect(STATE_CODES.size).toBe(57)
    for (const state_code of STATE_CODES)
      expect(refusals(PersonSearch, { city: 'X', state_code })).toEqual([])
  })

  test.each(['first_name', 'middle_name', 'last_name'])('refuses name together with %s', (part) => {
    expect(refusals(PersonSearch, { name: 'Jane Smith', [part]: 'Jane' })).toEqual([
      `name: cannot be combined with ${part}`,
    ])
  })

  test.each([
    ['true', 'true', false],
    ['true', 'false', true],
    ['false', 'true', true],
    ['false', 'false', true],
  ])(
    'strict_match=%s with include_fuzzy_matching=%s: taken is %s',
    (strict_match, include_fuzzy_matching, isTaken) => {
      const refused = refusals(PersonSearch, { name: 'Jane', strict_match, include_fuzzy_matching })
      expect(refused).toEqual(
        isTaken ? [] : ['strict_match: cannot be true together with include_fuzzy_matching'],
      )
    },
  )

  test.each([
    { phone: '5125550101' },
    { email: 'jane@example.com' },
    { name: 'Jane' },
    { first_name: 'Jane' },
    { last_name: 'Smith' },
    { street: 'Main St' },
    { city: 'Austin' },
    { zipcode: '78701' },
  ])('is enough with %o alone', (input) => {
    expect(refusals(PersonSearch, input)).toEqual([])
  })

  test.each([
    {},
    { state_code: 'TX' },
    { min_age: '20' },
    { middle_name: 'Ann' },
    { strict_match: 'true' },
    { include_fuzzy_matching: 'true' },
    { include_historical_locations: 'true' },
    { radius: '5' },
    { page: '2', page_size: '5' },
    { unknown: 'parameter' },
  ])('is too little with %o alone', (input) => {
    expect(refusals(PersonSearch, input as Input)).toEqual([
      expect.stringContaining('at least one of the search parameters'),
    ])
  })

  test('refuses an age range that is upside down', () => {
    expect(refusals(PersonSearch, { name: 'Jane', min_age: '40', max_age: '30' })).toEqual([
      'min_age: must not be greater than max_age',
    ])
  })

  test.each(Object.keys(PersonSearch.shape))('refuses %s when it is given twice', (field) => {
    expect(refusals(PersonSearch, { city: 'Austin', [field]: ['1', '1'] })).toContain(
      `${field}: must be given only once`,
    )
  })

  const NEVER_EMPTY = [
    'name',
    'first_name',
    'middle_name',
    'last_name',
    'street',
    'city',
    'phone',
    'email',
    'zipcode',
    'radius',
    'page',
  ]
  test.each(NEVER_EMPTY)('refuses an empty %s rather than searching without it', (field) => {
    expect(refusals(PersonSearch, { state_code: 'TX', [field]: '  ' })).not.toEqual([])
  })

  test('refuses text of more than 200 characters', () => {
    expect(refusals(PersonSearch, { name: 'x'.repeat(201) })).toEqual([
      'name: must have at most 200 characters',
    ])
    expect(refusals(PersonSearch, { name: 'x'.repeat(200) })).toEqual([])
  })

  test('ignores parameters that it does not know, given once or twice', () => {
    expect(PersonSearch.parse({ name: 'Jane', zip: '1', api_version: ['1', '2'] })).toEqual({
      name: 'Jane',
      ...DEFAULTS,
    })
  })

  test('takes characters of every script as they are', () => {
    expect(PersonSearch.parse({ name: ' José Ñúñez-O’Brien ' }).name).toBe('José Ñúñez-O’Brien')
  })
})

describe('GET /v2/property/', () => {
  test.each([{ street: '123 Main St' }, { city: 'Austin' }, { zipcode: '78701' }])(
    'is enough with %o alone',
    (input) => {
      expect(PropertySearch.parse(input)).toEqual({ ...input, strict_match: false })
    },
  )

  test.each([{}, { state_code: 'TX' }, { zip: '78701' }])('is too little with %o alone', (input) => {
    expect(refusals(PropertySearch, input as Input)).toEqual([expect.stringContaining('search parameter')])
  })

  test('takes strict_match only with street', () => {
    expect(refusals(PropertySearch, { city: 'Austin', strict_match: 'true' })).toEqual([
      'strict_match: can only be true together with street',
    ])
    expect(refusals(PropertySearch, { city: 'Austin', strict_match: 'false' })).toEqual([])
    expect(refusals(PropertySearch, { street: '123 Main St', strict_match: 'true' })).toEqual([])
  })

  test.each([
    ['zipcode', '78701-1234'],
    ['zipcode', '787'],
    ['state_code', 'ZZ'],
    ['strict_match', 'perhaps'],
  ])('refuses %s=%s', (field, value) => {
    expect(refusals(PropertySearch, { street: '123 Main St', [field]: value })).toEqual([
      expect.stringMatching(`^${field}: must be `),
    ])
  })

  test.each(Object.keys(PropertySearch.shape))('refuses %s when it is given twice', (field) => {
    expect(refusals(PropertySearch, { city: 'Austin', [field]: ['1', '1'] })).toContain(
      `${field}: must be given only once`,
    )
  })
})

describe('texts that say nothing', () => {
  test.each(['name', 'first_name', 'middle_name', 'last_name', 'city'])(
    '%s must contain a letter',
    (field) => {
      for (const text of ['123', '-', '...', '😀', "'", '_ _'])
        expect(refusals(PersonSearch, { street: '1 Oak St', [field]: text })).toEqual([
          `${field}: must contain a letter`,
        ])
      for (const text of ['J', 'Ng', 'Peña', '李', "O'Brien", 'St. 2nd'])
        expect(refusals(PersonSearch, { street: '1 Oak St', [field]: text })).toEqual([])
    },
  )

  test('a street must contain a letter or a digit', () => {
    for (const schema of [PersonSearch, PropertySearch]) {
      expect(refusals(schema, { street: '- #' })).toEqual(['street: must contain a letter or a digit'])
      expect(refusals(schema, { street: '12' })).toEqual([])
    }
  })
})
