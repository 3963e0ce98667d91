import { describe, expect, test } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { inventedSnapshots, withApi } from './support.ts'
import { RATE_LIMITED, REFUSED_KEY } from './messages.ts'

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
      expect(reply.json()).toEqual({ message: REFUSED_KEY })
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
      expect(reply.json()).toEqual({ message: REFUSED_KEY })
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
      const key = await newKey({ name: 'leaving' })
      expect((await get('/v2/person/P1', { 'x-api-key': key })).statusCode).toBe(400)
      const id = (await state.keys.list()).find(({ name }) => name === 'leaving')?.api_key_id ?? ''
      await state.keys.revoke(id)
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
      const headers = { 'x-api-key': await newKey() }
      for (let n = 0; n < 100; n += 1) expect((await get('/v2/person/P1', headers)).statusCode).toBe(400)
      const reply = await get('/v2/person/P1', headers)
      expect(reply.statusCode).toBe(429)
      expect(reply.json()).toEqual({ message: RATE_LIMITED })
      expect(reply.headers['retry-after']).toBe('1')
      expect(reply.headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/)
      pass(1_000)
      for (let n = 0; n < 50; n += 1) expect((await get('/v2/person/P1', headers)).statusCode).toBe(400)
      expect((await get('/v2/person/P1', headers)).statusCode).toBe(429)
    })
  })

  test('is counted per key, over all resources', async () => {
    await withApi(async ({ get, newKey }) => {
      const one = { 'x-api-key': await newKey({ rate_per_second: 1, burst: 2 }) }
      const two = { 'x-api-key': await newKey({ rate_per_second: 1, burst: 2 }) }
      await get('/v2/person/P1', one)
      await get('/v2/property/P1', one)
      expect((await get('/v2/phone/1', one)).statusCode).toBe(429)
      expect((await get('/v2/phone/1', two)).statusCode).toBe(400)
    })
  })

  test('of the server is what its environment says', async () => {
    await withApi(
      async ({ get, newKey }) => {
        const headers = { 'x-api-key': await newKey() }
        for (let n = 0; n < 3; n += 1) await get('/v2/person/P1', headers)
        expect((await get('/v2/person/P1', headers)).statusCode).toBe(429)
      },
      { env: { RATE_LIMIT_PER_SECOND: '2', RATE_LIMIT_BURST: '3' } },
    )
  })

  test('Retry-After says how long a slow key has to wait', async () => {
    await withApi(async ({ get, newKey }) => {
      const headers = { 'x-api-key': await newKey({ rate_per_second: 0.1, burst: 1 }) }
      await get('/v2/person/P1', headers)
      expect((await get('/v2/person/P1', headers)).headers['retry-after']).toBe('10')
    })
  })
})

describe('a key with allowed addresses', () => {
  const PATH = '/v2/person/P1'
  const PROXY = { env: { TRUSTED_PROXIES: '127.0.0.1' } }

  test('is Forbidden from elsewhere: an access event, no token of its rate, nothing billed', async () => {
    await withApi(async ({ get, newKey, events }) => {
      const key = await newKey({ allowed_addresses: ['203.0.113.0/24'], rate_per_second: 1, burst: 1 })
      const from = (address: string) => get(PATH, { 'x-api-key': key, 'x-forwarded-for': address })
      const refused = await from('198.51.100.7')
      expect([refused.statusCode, refused.json()]).toEqual([403, { message: REFUSED_KEY }])
      expect((await from('203.0.113.9')).statusCode).toBe(400)
      expect(await events()).toMatchObject([
        { route: '/v2/person/{id}', status_code: 403, billable: 0 },
        { route: '/v2/person/{id}', status_code: 400, billable: 0 },
      ])
    }, PROXY)
  })

  test('X-Forwarded-For counts from trusted proxies only', async () => {
    await withApi(async ({ get, newKey }) => {
      const key = await newKey({ allowed_addresses: ['203.0.113.0/24'] })
      const reply = await get(PATH, { 'x-api-key': key, 'x-forwarded-for': '203.0.113.9' })
      expect(reply.statusCode).toBe(403)
    })
  })

  test('from elsewhere may be tried as often as a wrong key, and leaves no more events than that', async () => {
    await withApi(async ({ get, newKey, events }) => {
      const key = await newKey({ allowed_addresses: ['203.0.113.0/24'] })
      const statuses = new Set<number>()
      for (let n = 0; n < 100; n += 1) {
        const reply = await get(PATH, { 'x-api-key': key, 'x-forwarded-for': '198.51.100.7' })
        statuses.add(reply.statusCode)
      }
      expect([...statuses].toSorted((left, right) => left - right)).toEqual([403, 429])
      expect((await events()).length).toBe(50)
    }, PROXY)
  })

  test('counts for nothing at a route for anyone when it comes from elsewhere', async () => {
    await withApi(async ({ get, newKey, events }) => {
      const key = await newKey({ allowed_addresses: ['203.0.113.0/24'] })
      expect((await get('/v1/regions/states', { 'x-api-key': key })).statusCode).toBe(200)
      expect((await get('/nowhere', { 'x-api-key': key })).statusCode).toBe(404)
      expect(await events()).toEqual([])
    })
  })
})

describe('keys of one account', () => {
  test('share the cap and the usage report; each has its own access events', async () => {
    await withApi(
      async ({ get, state, newKey, events }) => {
        const first = await newKey({ monthly_cap: 3 })
        const { account_id, api_key_id } = (await state.keys.find(first))!
        const { secret: second, key } = await state.keys.rotate(api_key_id, 3_600_000)
        const path = `/v2/person/${INVENTED.jane}`
        const ask = async (secret: string) => (await get(path, { 'x-api-key': secret })).statusCode
        expect([await ask(first), await ask(second), await ask(first)]).toEqual([200, 200, 200])
        expect([await ask(first), await ask(second)]).toEqual([429, 429])
        expect((await events()).map((event) => event['api_key_id'])).toEqual([
          api_key_id,
          key.api_key_id,
          api_key_id,
          api_key_id,
          key.api_key_id,
        ])
        expect(await state.usage.written(account_id, '2026-06')).toBe(3)
        const usage = await get('/v1/account/usage/?start_date=2026-06-01&end_date=2026-06-30', {
          'x-api-key': second,
        })
        expect(usage.json()).toMatchObject({ total_requests_in_timeperiod: 5 })
      },
      { snapshots: await inventedSnapshots() },
    )
  })

  test('a purpose that was recorded for a key is in its access events for staff', async () => {
    const token = 'an-internal-token-of-the-tests'
    await withApi(
      async ({ get, newKey, events }) => {
        for (const purpose of ['none', 'fraud_prevention'] as const)
          await get('/v2/person/P1', { 'x-api-key': await newKey({ purpose }) })
        await events()
        const dump = await get('/internal/access-events/dump?start=2026-06-01&end=2026-06-02', {
          authorization: `Bearer ${token}`,
        })
        const [plain, recorded] = dump.json<{ events: Record<string, unknown>[] }>().events
        expect(plain).not.toHaveProperty('purpose')
        expect(recorded).toMatchObject({ purpose: 'fraud_prevention' })
      },
      { env: { INTERNAL_TOKENS: token } },
    )
  })
})
