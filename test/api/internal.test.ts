import { describe, expect, test } from 'vitest'
import { AccessEventsResponse } from '../../src/api/responses/internal.ts'
import { accessEvent } from '../state/support.ts'
import { type Api, withApi } from './support.ts'
import { REFUSED_KEY } from './messages.ts'

const OLD = 'invented-token-of-last-year-0001'
const NEW = 'invented-token-of-this-year-0002'
const options = { env: { INTERNAL_TOKENS: `${OLD},${NEW}` } }
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const DAY = 'start=2026-06-01T00:00:00Z&end=2026-06-02T00:00:00Z'

function record(api: Api, event_ts: string, api_key_id: string, trace_id = 'a'.repeat(32)): void {
  const at = Date.parse(event_ts)
  api.state.events.record(
    accessEvent({ event_ts: at, trace_id, api_key_id, status_code: 404, duration_ms: 7 }),
  )
}

async function page(api: Api, path: string) {
  const reply = await api.get(`/internal/access-events/${path}`, bearer(NEW))
  expect([path, reply.statusCode]).toEqual([path, 200])
  return AccessEventsResponse.parse(reply.json())
}

interface Detail {
  readonly loc: string[]
  readonly type: string
  readonly input: unknown
}

async function unprocessable(api: Api, path: string): Promise<Detail[]> {
  const reply = await api.get(`/internal/access-events/${path}`, bearer(NEW))
  expect([path, reply.statusCode]).toEqual([path, 422])
  return reply.json<{ detail: Detail[] }>().detail
}

describe.each(['dump', 'by-key'])('GET /internal/access-events/%s', (which) => {
  const key = which === 'dump' ? '' : 'api_key_id=key_a&'

  test('without a bearer token, with a wrong one or with an API key: 403 with a message', async () => {
    await withApi(async ({ get, key: apiKey }) => {
      const path = `/internal/access-events/${which}?${key}${DAY}`
      for (const headers of [{}, bearer('wrong'), bearer(''), { authorization: OLD }, { 'x-api-key': apiKey }, bearer(apiKey)]) {
        const reply = await get(path, headers)
        expect([reply.statusCode, reply.json()]).toEqual([403, { message: REFUSED_KEY }])
      } // prettier-ignore
    }, options)
  })

  test('two tokens are valid at once; without any configured nobody is let in', async () => {
    const path = `/internal/access-events/${which}?${key}${DAY}`
    await withApi(async ({ get }) => {
      for (const token of [OLD, NEW]) expect((await get(path, bearer(token))).statusCode).toBe(200)
    }, options)
    await withApi(async ({ get }) => {
      expect((await get(path, bearer(NEW))).statusCode).toBe(403)
    })
  })

  test('start is inclusive, end exclusive, and events are in the order of event_ts, then id', async () => {
    await withApi(async (api) => {
      for (const [index, at] of [
        '01T23:59:59.999',
        '01T12:00:00',
        '02T00:00:00',
        '01T12:00:00',
        '01T00:00:00',
      ].entries()) {
        record(api, `2026-06-${at}Z`, 'key_a', String(index).padStart(32, '0'))
      }
      record(api, '2026-05-31T23:59:59.999Z', 'key_a')
      await api.state.events.flush()
      const { events, next_cursor } = await page(api, `${which}?${key}${DAY}`)
      expect(events.map(({ id, event_ts }) => [id, event_ts])).toEqual([
        [5, '2026-06-01T00:00:00.000Z'],
        [2, '2026-06-01T12:00:00.000Z'],
        [4, '2026-06-01T12:00:00.000Z'],
        [1, '2026-06-01T23:59:59.999Z'],
      ])
      expect(next_cursor).toBeUndefined()
      expect(events[0]).toEqual({
        id: 5,
        event_ts: '2026-06-01T00:00:00.000Z',
        trace_id: '4'.padStart(32, '0'),
        api_key_id: 'key_a',
        http_method: 'GET',
        route: '/v2/person/{id}',
        status_code: 404,
        duration_ms: 7,
        billable: true,
      })
    }, options)
  })

  test('pages hold 1000 events and follow one another by the cursor, also while new rows arrive', async () => {
    await withApi(async (api) => {
      for (let n = 0; n < 2_300; n += 1) record(api, `2026-06-01T10:00:0${n % 7}Z`, 'key_a')
      await api.state.events.flush()
      const ids: number[] = []
      let cursor: string | undefined
      do {
        const next = await page(
          api,
          `${which}?${key}${DAY}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
        )
        expect(next.events.length).toBeLessThanOrEqual(1_000)
        ids.push(...next.events.map(({ id }) => id))
        cursor = next.next_cursor
        if (ids.length === 1_000) {
          record(api, '2026-06-01T09:00:00Z', 'key_a')
          record(api, '2026-06-01T11:00:00Z', 'key_a')
          await api.state.events.flush()
        }
      } while (cursor !== undefined)
      expect(new Set(ids).size).toBe(ids.length)
      // Events added before the cursor do not appear; events added after it do.
      expect(ids).toHaveLength(2_301)
      expect(ids.at(-1)).toBe(2_302)
    }, options)
  })

  test('what is missing or malformed: 422 with where, what and why', async () => {
    await withApi(async (api) => {
      expect(await unprocessable(api, `${which}?${key}`)).toEqual([
        { loc: ['query', 'start'], msg: 'Field required', type: 'missing', input: null, ctx: {} },
        { loc: ['query', 'end'], msg: 'Field required', type: 'missing', input: null, ctx: {} },
      ])
      expect(await unprocessable(api, `${which}?${key}start=yesterday&end=2026-06-01T00:00:00Z`)).toMatchObject([
        { loc: ['query', 'start'], type: 'datetime_parsing', input: 'yesterday', ctx: { error: expect.any(String) as string } },
      ]) // prettier-ignore
      expect(await unprocessable(api, `${which}?${key}${DAY}&cursor=!`)).toMatchObject([
        { loc: ['query', 'cursor'] },
      ])
      expect(await unprocessable(api, `${which}?${key}start=2026-06-02&end=2026-06-01`)).toMatchObject([{ loc: ['query', 'end'] }]) // prettier-ignore
      expect(await unprocessable(api, `${which}?${key}${DAY}&start=2026-06-01`)).toMatchObject([
        { loc: ['query', 'start'], type: 'string_type' },
      ])
    }, options)
  })

  test('an instant may have an offset, or none for UTC', async () => {
    await withApi(async (api) => {
      record(api, '2026-06-01T04:30:00Z', 'key_a')
      await api.state.events.flush()
      for (const start of ['2026-06-01T04:30:00Z', '2026-06-01T04:30:00', '2026-06-01T06:30:00%2B02:00', '2026-06-01T06:30:00+02:00', '2026-06-01']) {
        expect((await page(api, `${which}?${key}start=${start}&end=2026-06-01T04:30:00.001Z`)).events).toHaveLength(1)
      } // prettier-ignore
    }, options)
  })

  test('leaves no access event', async () => {
    await withApi(async (api) => {
      await page(api, `${which}?${key}${DAY}`)
      expect(await api.events()).toEqual([])
    }, options)
  })
})

describe('GET /internal/access-events/dump', () => {
  test('has the events of all keys', async () => {
    await withApi(async (api) => {
      for (const key of ['key_a', 'key_b']) record(api, '2026-06-01T10:00:00Z', key)
      await api.state.events.flush()
      expect((await page(api, `dump?${DAY}`)).events.map(({ api_key_id }) => api_key_id)).toEqual([
        'key_a',
        'key_b',
      ])
    }, options)
  })
})

describe('GET /internal/access-events/by-key', () => {
  test('has the raw rows of one key, over any range', async () => {
    await withApi(async (api) => {
      for (const at of ['1999-01-01', '2026-06-01', '2040-01-01']) record(api, `${at}T00:00:00Z`, 'key_a')
      record(api, '2026-06-01T10:00:00Z', 'key_b')
      await api.state.events.flush()
      const { events } = await page(api, 'by-key?api_key_id=key_a&start=1970-01-01&end=2099-01-01')
      expect(events.map(({ event_ts }) => event_ts.slice(0, 4))).toEqual(['1999', '2026', '2040'])
    }, options)
  })

  test('api_key_id is required, with a length of at least 1: 422', async () => {
    await withApi(async (api) => {
      expect(await unprocessable(api, `by-key?${DAY}`)).toMatchObject([
        { loc: ['query', 'api_key_id'], type: 'missing' },
      ])
      expect(await unprocessable(api, `by-key?api_key_id=&${DAY}`)).toMatchObject([
        { loc: ['query', 'api_key_id'], type: 'string_too_short', input: '', ctx: { min_length: 1 } },
      ])
    }, options)
  })
})
