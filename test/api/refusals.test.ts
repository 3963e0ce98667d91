import { describe, expect, test } from 'vitest'
import { envelopeOf } from './envelope.ts'
import { withApi } from './support.ts'

describe('a refused parameter', () => {
  test('is named in meta and, as the path to it, in long_message', async () => {
    await withApi(async ({ get }) => {
      const reply = await get('/v2/person/?name=Jane&radius=101')
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toEqual(
        envelopeOf(400, 'Bad Request', 'query -> radius: must be between 0.1 and 100', {
          field: 'radius',
          validation_error: 'must be between 0.1 and 100',
        }),
      )
    })
  })

  test('is one of all that long_message lists; meta has the first', async () => {
    await withApi(async ({ get }) => {
      const { error } = (await get('/v2/person/?name=Jane&zipcode=1&page=11')).json()
      expect(error.long_message).toBe(
        'query -> zipcode: must be exactly 5 digits; query -> page: must be between 1 and 10',
      )
      expect(error.meta).toEqual({ field: 'zipcode', validation_error: 'must be exactly 5 digits' })
    })
  })
})

// Returns the route of a path, because the conformance table is sorted by route.
const ROUTES: readonly (readonly [start: string, search: string, details: string])[] = [
  ['/v2/person/', 'GET /v2/person/', 'GET /v2/person/{id}'],
  ['/v2/property/', 'GET /v2/property/', 'GET /v2/property/{property_id}'],
  ['/v2/phone/', '', 'GET /v2/phone/{phone}'],
]

function routeOf(path: string): string {
  const [start, search, details] = ROUTES.find(([one]) => path.startsWith(one))!
  return ['', '?'].includes(path.slice(start.length, start.length + 1)) ? search : details
}

describe.each(
  [
    ['/v2/person/?city=Austin&city=Dallas', 'city'],
    ['/v2/person/?name=Jane&page=1&page=2', 'page'],
    ['/v2/property/?street=1+Main+St&street=2+Main+St', 'street'],
  ].map(([path = '', field = '']) => ({ route: routeOf(path), path, field })),
)('$route', ({ path, field }) => {
  test(`${path}: a parameter given twice is refused`, async () => {
    await withApi(async ({ get }) => {
      const reply = await get(path)
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toEqual(
        envelopeOf(400, 'Bad Request', `query -> ${field}: must be given only once`, {
          field,
          validation_error: 'must be given only once',
        }),
      )
    })
  })
})

describe.each(
  [
    ['/v2/person/', 'query: a search for people needs at least one of the search parameters'],
    ['/v2/person/?state_code=TX', 'query: a search for people needs at least one of the search parameters'],
    ['/v2/property/', 'query: a search for a property needs at least one of the search parameters'],
    [
      '/v2/property/?state_code=TX',
      'query: a search for a property needs at least one of the search parameters',
    ],
  ].map(([path = '', words = '']) => ({ route: routeOf(path), path, words })),
)('$route', ({ path, words }) => {
  test(`${path} says too little`, async () => {
    await withApi(async ({ get }) => {
      const reply = await get(path)
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toEqual(envelopeOf(400, 'Bad Request', expect.stringContaining(words)))
    })
  })
})

describe.each(
  [
    ['/v2/person/?name=Jane&strict_match=true&include_fuzzy_matching=true', 'strict_match'],
    ['/v2/property/?city=Austin&strict_match=true', 'strict_match'],
    ['/v2/person/?name=Jane&last_name=Smith', 'name'],
  ].map(([path = '', field = '']) => ({ route: routeOf(path), path, field })),
)('$route', ({ path, field }) => {
  test(`${path} breaks a rule between parameters`, async () => {
    await withApi(async ({ get }) => {
      const reply = await get(path)
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error.meta.field).toBe(field)
    })
  })
})

const PERSON_ID = 'path -> id: a person id is P followed by exactly 10 alphanumeric characters'
describe.each(
  [
    ['/v2/person/P123', PERSON_ID],
    [`/v2/person/P${'0'.repeat(300)}`, PERSON_ID],
    ['/v2/person/R0000000001', PERSON_ID],
    [
      '/v2/property/P0000000001',
      'path -> property_id: an id is R (property) or A (address), followed by exactly 10',
    ],
    ['/v2/phone/+442079460958', 'path -> phone: must be a North American number'],
    ['/v2/phone/12345', 'path -> phone: must be a North American number'],
    ['/v2/phone/2065550142?page=1', 'query: this resource has no query parameters'],
    ['/v2/phone/2065550142?x', 'query: this resource has no query parameters'],
  ].map(([path = '', words = '']) => ({ route: routeOf(path), path, words })),
)('$route', ({ path, words }) => {
  test(`${path.slice(0, 40)} is refused before any lookup`, async () => {
    // There is no snapshot, so a lookup would answer 503.
    await withApi(async ({ get }) => {
      const reply = await get(path)
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error.long_message).toContain(words)
    })
  })
})
