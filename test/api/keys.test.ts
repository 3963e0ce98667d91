import { describe, expect, test } from 'vitest'
import { withApi } from './support.ts'

const ROUTES = [
  '/v2/person/?name=Jane',
  '/v2/person/P0000000001',
  '/v2/property/?street=1+Main+St',
  '/v2/property/R0000000001',
  '/v2/phone/2065550142',
]

describe('a key', () => {
  test.each(ROUTES)('that is missing: %s is 403 Forbidden', async (path) => {
    await withApi(async ({ get }) => {
      const reply = await get(path, {})
      expect(reply.statusCode).toBe(403)
      expect(reply.json()).toEqual({ message: 'Forbidden' })
    })
  })

  test.each([
    ['unknown', 'pk_00000000000000000000000000000000'],
    ['empty', ''],
    ['something else', 'Bearer abc'],
    ['very long', 'k'.repeat(5_000)],
  ])('that is %s: 403 Forbidden', async (_, key) => {
    await withApi(async ({ get }) => {
      const reply = await get('/v2/person/P0000000001', { 'x-api-key': key })
      expect(reply.statusCode).toBe(403)
      expect(reply.json()).toEqual({ message: 'Forbidden' })
    })
  })

  test('is asked for before parameters are looked at', async () => {
    await withApi(async ({ get }) => {
      expect((await get('/v2/person/P1', {})).statusCode).toBe(403)
    })
  })

  test('works whatever the case of the header name', async () => {
    await withApi(async ({ get, key }) => {
      expect((await get('/v2/person/P1', { 'X-API-KEY': key })).statusCode).toBe(400)
    })
  })

  test('that is revoked is refused within five seconds', async () => {
    await withApi(async ({ get, state, newKey, pass }) => {
      const key = newKey({ name: 'leaving' })
      expect((await get('/v2/person/P1', { 'x-api-key': key })).statusCode).toBe(400)
      const id = state.keys.list().find(({ name }) => name === 'leaving')?.api_key_id ?? ''
      state.keys.revoke(id)
      pass(5_000)
      expect((await get('/v2/person/P1', { 'x-api-key': key })).statusCode).toBe(403)
    })
  })

  test('in the query string is no key', async () => {
    await withApi(async ({ get, key }) => {
      expect((await get(`/v2/person/?name=Jane&x-api-key=${key}`, {})).statusCode).toBe(403)
    })
  })
})

describe('the rate', () => {
  test('of a key is 50 a second with a burst of 100 unless it says otherwise; one more is 429 with Retry-After', async () => {
    await withApi(async ({ get, newKey, pass }) => {
      const headers = { 'x-api-key': newKey() }
      for (let n = 0; n < 100; n += 1) expect((await get('/v2/person/P1', headers)).statusCode).toBe(400)
      const reply = await get('/v2/person/P1', headers)
      expect(reply.statusCode).toBe(429)
      expect(reply.json()).toEqual({ message: 'Too Many Requests' })
      expect(reply.headers['retry-after']).toBe('1')
      expect(reply.headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/)
      pass(1_000)
      for (let n = 0; n < 50; n += 1) expect((await get('/v2/person/P1', headers)).statusCode).toBe(400)
      expect((await get('/v2/person/P1', headers)).statusCode).toBe(429)
    })
  })

  test('is counted per key, over all resources', async () => {
    await withApi(async ({ get, newKey }) => {
      const one = { 'x-api-key': newKey({ rate_per_second: 1, burst: 2 }) }
      const two = { 'x-api-key': newKey({ rate_per_second: 1, burst: 2 }) }
      await get('/v2/person/P1', one)
      await get('/v2/property/P1', one)
      expect((await get('/v2/phone/1', one)).statusCode).toBe(429)
      expect((await get('/v2/phone/1', two)).statusCode).toBe(400)
    })
  })

  test('of the server is what its environment says', async () => {
    await withApi(
      async ({ get, newKey }) => {
        const headers = { 'x-api-key': newKey() }
        for (let n = 0; n < 3; n += 1) await get('/v2/person/P1', headers)
        expect((await get('/v2/person/P1', headers)).statusCode).toBe(429)
      },
      { env: { RATE_LIMIT_PER_SECOND: '2', RATE_LIMIT_BURST: '3' } },
    )
  })

  test('Retry-After says how long a slow key has to wait', async () => {
    await withApi(async ({ get, newKey }) => {
      const headers = { 'x-api-key': newKey({ rate_per_second: 0.1, burst: 1 }) }
      await get('/v2/person/P1', headers)
      expect((await get('/v2/person/P1', headers)).headers['retry-after']).toBe('10')
    })
  })
})
