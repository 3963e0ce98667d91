import { expect, test } from 'vitest'
import { isBillable } from '../../src/api/billing.ts'
import { accessEvent } from '../state/support.ts'
import { INVENTED } from '../support/published.ts'
import { inventedSnapshots, withApi } from './support.ts'

const SEARCH = { isBillable: true, isNotFoundBillable: true }
const PROPERTY_DETAILS = { isBillable: true, isNotFoundBillable: false }
const FREE = { isBillable: false, isNotFoundBillable: true }

test.each([
  [200, true, true],
  [201, true, true],
  [400, false, false],
  [403, false, false],
  [404, true, false],
  [414, false, false],
  [429, false, false],
  [500, false, false],
  [503, false, false],
])('a %i is billed: %s; on property details: %s', (status, onSearch, onDetails) => {
  expect(isBillable(SEARCH, status)).toBe(onSearch)
  expect(isBillable(PROPERTY_DETAILS, status)).toBe(onDetails)
  expect(isBillable(FREE, status)).toBe(false)
})

// Each row: path, path template in the access event, status, whether it is billed.
const REQUESTS: [string, string, number, boolean][] = [
  ['/v2/person/?name=Jane+Smith', '/v2/person/', 200, true],
  ['/v2/person?name=Nobody+Atall&strict_match=true', '/v2/person/', 200, true],
  ['/v2/person/?name=Jane+Smith&page=2', '/v2/person/', 200, true],
  ['/v2/person/?radius=101', '/v2/person/', 400, false],
  [`/v2/person/${INVENTED.jane}`, '/v2/person/{id}', 200, true],
  ['/v2/person/Pzzzzzzzzzz', '/v2/person/{id}', 404, true],
  ['/v2/person/P1', '/v2/person/{id}', 400, false],
  ['/v2/property/?street=123+N+Main+St+Apt+4&zipcode=78701', '/v2/property/', 200, true],
  ['/v2/property/?street=1+Nowhere+Ln&zipcode=99999&strict_match=true', '/v2/property/', 404, true],
  ['/v2/property/', '/v2/property/', 400, false],
  [`/v2/property/${INVENTED.flat}`, '/v2/property/{property_id}', 200, true],
  [`/v2/property/${INVENTED.flatAddress}/`, '/v2/property/{property_id}', 200, true],
  ['/v2/property/Rzzzzzzzzzz', '/v2/property/{property_id}', 404, false],
  ['/v2/property/X', '/v2/property/{property_id}', 400, false],
  [`/v2/phone/${INVENTED.janesPhone}`, '/v2/phone/{phone}', 200, true],
  [`/v2/phone/${INVENTED.unknownPhone}`, '/v2/phone/{phone}', 200, true],
  ['/v2/phone/1', '/v2/phone/{phone}', 400, false],
  ['/v1/person/?name=Nobody+Atall&strict_match=true', '/v1/person/', 200, true],
  ['/v1/person/Pzzzzzzzzzz', '/v1/person/{id}', 404, true],
  ['/v1/person/P1', '/v1/person/{id}', 400, false],
  ['/v1/property/?street=1+Nowhere+Ln&zip=99999', '/v1/property/', 404, true],
  ['/v2/person/?name=Jane&state_code=TT&city=Austin&radius=100', '/v2/person/', 200, false],
  ['/v1/person/?name=Jane&state_code=tt', '/v1/person/', 200, false],
  ['/v2/property/?street=125+N+Main+St&city=Austin&state_code=TT', '/v2/property/', 404, false],
  ['/v1/property/?street=125+N+Main+St&city=Austin&state_code=TT', '/v1/property/', 404, false],
  ['/v2/nothing', '(none)', 404, false],
  ['/v2/person/%E0%A4%A', '(none)', 400, false],
]

test('every request with a valid key leaves one event, billed by the table, that names the template and no value', async () => {
  const snapshots = await inventedSnapshots()
  await withApi(
    async ({ get, key, state, events }) => {
      const traces: unknown[] = []
      for (const [path, , status] of REQUESTS) {
        const reply = await get(path)
        expect([path, reply.statusCode]).toEqual([path, status])
        traces.push(reply.headers['x-trace-id'])
      }
      const found = await state.keys.find(key)
      expect(await events()).toEqual(
        REQUESTS.map(([, route, status_code, billable], index) => ({
          id: index + 1,
          event_ts: Date.parse('2026-06-01T12:00:00Z'),
          trace_id: traces[index],
          api_key_id: found?.api_key_id,
          http_method: 'GET',
          route,
          status_code,
          duration_ms: expect.any(Number) as number,
          billable: billable ? 1 : 0,
        })),
      )
    },
    { snapshots },
  )
})

test('requests about the service itself, and those that bring no valid key, leave no event', async () => {
  await withApi(async ({ get, key, events }) => {
    await get('/health', { 'x-api-key': key })
    await get('/ready', { 'x-api-key': key })
    await get('/v2/person/P0000000001', {})
    await get('/v2/person/P0000000001', { 'x-api-key': 'pk_00000000000000000000000000000000' })
    await get('/nowhere', {})
    expect(await events()).toEqual([])
  })
})

test('failures and throttled requests leave events that are not billed', async () => {
  await withApi(async ({ get, newKey, events }) => {
    const headers = { 'x-api-key': await newKey({ rate_per_second: 1, burst: 1 }) }
    expect((await get('/v2/person/P0000000001', headers)).statusCode).toBe(503)
    expect((await get('/v2/person/P0000000001', headers)).statusCode).toBe(429)
    expect((await events()).map(({ status_code, billable }) => [status_code, billable])).toEqual([
      [503, 0],
      [429, 0],
    ])
  })
})

test('closing the service writes the events of its last requests', async () => {
  await withApi(async ({ app, get, events }) => {
    await get('/v2/person/P1')
    await app.close()
    expect(await events()).toHaveLength(1)
  })
})

test('the request over the monthly cap is 429 with what was used and when it starts anew; refusals do not count', async () => {
  const snapshots = await inventedSnapshots()
  await withApi(
    async ({ get, newKey, pass, events }) => {
      const headers = { 'x-api-key': await newKey({ monthly_cap: 3 }) }
      const path = `/v2/person/${INVENTED.jane}`
      await get('/v2/person/P1', headers)
      for (let n = 0; n < 3; n += 1) expect((await get(path, headers)).statusCode).toBe(200)
      const reply = await get(path, headers)
      expect(reply.statusCode).toBe(429)
      expect(reply.json()).toEqual({
        message: expect.any(String) as string,
        error: 'usage_cap_exceeded',
        error_instance_id: reply.headers['x-trace-id'],
        limit: 3,
        used: 3,
        reset_at: '2026-07-01T00:00:00+00:00',
        upgrade_url: 'https://plans.example.com/',
      })
      expect(reply.headers['retry-after']).toBe('3600')
      expect((await events()).map(({ billable }) => billable)).toEqual([0, 1, 1, 1, 0])
      pass(3_599_999)
      expect((await get(path, headers)).statusCode).toBe(429)
      pass(1)
      expect((await get(path, headers)).statusCode).toBe(200)
    },
    { snapshots, start: '2026-06-30T23:00:00Z', env: { UPGRADE_URL: 'https://plans.example.com/' } },
  )
})

test('a cap counts what was used before a restart', async () => {
  const snapshots = await inventedSnapshots()
  await withApi(
    async ({ get, newKey, state }) => {
      const secret = await newKey({ monthly_cap: 2 })
      const api_key_id = (await state.keys.find(secret))?.api_key_id ?? ''
      for (const day of ['2026-05-31T23:59:59Z', '2026-06-01T00:00:00Z'])
        state.events.record(accessEvent({ event_ts: Date.parse(day), api_key_id }))
      await state.events.flush()
      const path = `/v2/person/${INVENTED.jane}`
      expect((await get(path, { 'x-api-key': secret })).statusCode).toBe(200)
      expect((await get(path, { 'x-api-key': secret })).json().used).toBe(2)
    },
    { snapshots },
  )
})
