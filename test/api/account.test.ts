import { describe, expect, test } from 'vitest'
import { UsageResponse } from '../../src/api/responses/account.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'

const DAY = 86_400_000
const HALF_HOUR = 1_800_000

async function usage(api: Pick<Api, 'get'>, key: string, start_date: string, end_date: string) {
  const reply = await api.get(`/v1/account/usage/?start_date=${start_date}&end_date=${end_date}`, {
    'x-api-key': key,
  })
  expect(reply.statusCode).toBe(200)
  return UsageResponse.parse(reply.json())
}

describe('GET /v1/account/usage/', () => {
  test('counts all 2xx, 4xx and 5xx answers of the key a day, billed or not, the running day too', async () => {
    await withApi(async (api) => {
      const key = await api.newKey({ rate_per_second: 1_000 })
      const ask = (path: string) => api.get(path, { 'x-api-key': key })
      await ask('/v1/account/usage/?start_date=2026-01-01&end_date=2026-01-02')
      await ask('/v2/person/P1')
      await ask('/v2/person/P0000000001')
      await ask('/nowhere')
      await api.state.events.flush()
      api.pass(DAY)
      await ask('/v2/person/P2')
      await api.state.events.flush()
      api.pass(HALF_HOUR)
      expect(await usage(api, key, '2026-06-01', '2026-06-30')).toEqual({
        time_range: { start_date: '2026-06-01', end_date: '2026-06-30' },
        usage_data: [
          { date: '2026-06-01', request_count: 4 },
          { date: '2026-06-02', request_count: 1 },
        ],
        total_requests_in_timeperiod: 5,
      })
    })
  })

  test('refreshes every 30 minutes', async () => {
    await withApi(async (api) => {
      const key = await api.newKey({ rate_per_second: 1_000 })
      const counted = async () =>
        (await usage(api, key, '2026-06-01', '2026-06-01')).total_requests_in_timeperiod
      expect(await counted()).toBe(0)
      await api.state.events.flush()
      api.pass(HALF_HOUR - 1)
      expect(await counted()).toBe(0)
      await api.state.events.flush()
      api.pass(1)
      expect(await counted()).toBe(2)
    })
  })

  test('data begins with the first day of use within the range', async () => {
    await withApi(
      async (api) => {
        const key = await api.newKey()
        await api.get('/v2/person/P1', { 'x-api-key': key })
        await api.state.events.flush()
        api.pass(2 * DAY)
        const { usage_data } = await usage(api, key, '2026-05-20', '2026-08-01')
        expect(usage_data).toEqual([
          { date: '2026-06-01', request_count: 1 },
          { date: '2026-06-02', request_count: 0 },
          { date: '2026-06-03', request_count: 0 },
        ])
      },
      { start: '2026-06-01T00:00:00Z' },
    )
  })

  test('tells nothing of other keys', async () => {
    await withApi(async (api) => {
      await api.get('/v2/person/P1')
      await api.state.events.flush()
      expect((await usage(api, await api.newKey(), '2026-06-01', '2026-06-01')).usage_data).toEqual([])
    })
  })

  test.each([
    ['start_date', 'end_date=2026-06-01'],
    ['end_date', 'start_date=2026-06-01'],
    ['start_date', 'start_date=2026-6-1&end_date=2026-06-01'],
    ['start_date', 'start_date=2026-02-30&end_date=2026-06-01'],
    ['end_date', 'start_date=2026-06-01&end_date=yesterday'],
    ['end_date', 'start_date=2026-06-02&end_date=2026-06-01'],
    ['end_date', 'start_date=2026-03-01&end_date=2026-05-30'],
  ])('both dates are required, days in order, at most 90: 400 for %s in %s', async (field, query) => {
    await withApi(async ({ get }) => {
      const reply = await get(`/v1/account/usage/?${query}`)
      expect(reply.statusCode).toBe(400)
      expect(reply.json<{ error: { meta: unknown } }>().error.meta).toMatchObject({ field })
    })
  })

  test('takes 90 days', async () => {
    await withApi(async (api) => {
      await usage(api, api.key, '2026-03-01', '2026-05-29')
    })
  })

  test('is not billable, and takes no key’s cap', async () => {
    await withApi(async ({ get, newKey, events }) => {
      const headers = { 'x-api-key': await newKey({ monthly_cap: 0 }) }
      const reply = await get('/v1/account/usage?start_date=2026-06-01&end_date=2026-06-01', headers)
      expect(reply.statusCode).toBe(200)
      expect(await events()).toMatchObject([{ route: '/v1/account/usage/', status_code: 200, billable: 0 }])
    })
  })
})

test('requests of a demo key are counted and never billed, whatever its cap', async () => {
  await withApi(
    async ({ get, newKey, events }) => {
      const headers = { 'x-api-key': await newKey({ kind: 'demo', monthly_cap: 1 }) }
      for (let n = 0; n < 3; n += 1)
        expect((await get('/v2/person/P0000000001', headers)).statusCode).toBe(200)
      expect((await events()).map(({ billable }) => billable)).toEqual([0, 0, 0])
    },
    { snapshots: await inventedSnapshots() },
  )
})
