import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEventArchive } from '../../src/events/archive.ts'
import { EventSearch } from '../../src/events/search.ts'
import { TestEvents } from '../../src/webhooks/test-events.ts'
import { deedEvent, ENDLESS, eventId, SEARCHING } from '../support/deed-events.ts'
import { type Api, publishInvented, withApi } from './support.ts'
import { REFUSED_KEY } from './messages.ts'

const TRAVIS = { county_fips: '48453' }
const NY = { county_fips: '36061' }
const WORLD = [
  ...Array.from({ length: 25 }, (_, n) => deedEvent(n + 1, { ...TRAVIS, recorded_date: `2026-01-${String(n + 1).padStart(2, '0')}` })), // prettier-ignore
  deedEvent(100, { county_fips: '48201', property_id: 'R0000000001', recorded_date: '2026-01-10' }),
  deedEvent(101, { ...NY, recorded_date: '2026-01-31' }),
]

let snapshots: string
beforeAll(async () => {
  snapshots = await mkdtemp(join(tmpdir(), 'platbook-'))
  await publishInvented(snapshots, { deed_events: WORLD })
})
afterAll(() => rm(snapshots, { recursive: true }))

interface Page {
  results: { id: string }[]
  pagination: { next_cursor?: string }
}

/** Opens the service with these events and a key of an invited account. */
async function withEventsApi(
  body: (ask: (path: string) => ReturnType<Api['get']>, api: Api) => Promise<void>,
): Promise<void> {
  await withApi(
    async (api) => {
      const key = await api.newKey({ invitations: ['events'], rate_per_second: 1_000_000 })
      await body((path) => api.get(path, { 'x-api-key': key }), api)
    },
    { snapshots },
  )
}

describe('GET /v1/events/deed', () => {
  test('finds the events of a state or a county, newest first, in every form of the region', async () => {
    await withEventsApi(async (ask) => {
      const ids = async (query: string): Promise<string[]> =>
        (await ask(`/v1/events/deed?${query}`)).json<Page>().results.map(({ id }) => id)
      const travis = await ids('region=county:48453&limit=100')
      expect(travis).toEqual(Array.from({ length: 25 }, (_, n) => eventId(25 - n)))
      expect(await ids('region=county:tx.travis&limit=100')).toEqual(travis)
      expect(await ids('region=County:TX.Travis&limit=100')).toEqual(travis)
      expect(await ids('region=state:ny')).toEqual([eventId(101)])
      expect(await ids('region=state:TX&limit=100')).toHaveLength(26)
      expect(await ids('region=state:fl')).toEqual([])
    })
  })

  test('takes dates inclusively, a property, and a limit of 20 when none is said', async () => {
    await withEventsApi(async (ask) => {
      const ids = async (query: string): Promise<string[]> =>
        (await ask(`/v1/events/deed?region=state:tx&${query}`)).json<Page>().results.map(({ id }) => id)
      expect(await ids('event_date_from=2026-01-09&event_date_to=2026-01-10')).toEqual([
        eventId(10),
        eventId(100),
        eventId(9),
      ])
      expect(await ids('property_id=R0000000001')).toEqual([eventId(100)])
      expect(await ids('property_id=R0000000009')).toEqual([])
      expect(await ids('event_date_from=2025-01-01')).toHaveLength(20)
    })
  })

  test('gives the next page by its cursor, and none on the last page', async () => {
    await withEventsApi(async (ask) => {
      const first = (await ask('/v1/events/deed?region=state:tx&limit=20')).json<Page>()
      const cursor = first.pagination.next_cursor
      expect(cursor).toMatch(/^[\w-]+$/)
      const second = (await ask(`/v1/events/deed?region=state:tx&limit=100&cursor=${cursor}`)).json<Page>()
      expect(second.results).toHaveLength(6)
      expect(second.pagination).toEqual({})
      expect(new Set([...first.results, ...second.results].map(({ id }) => id)).size).toBe(26)
    })
  })

  test.each([
    ['', 'region'],
    ['region=', 'region'],
    ['region=texas', 'region'],
    ['region=state:tx&region=state:ny', 'region'],
    ['region=state:tx&event_date_from=2026-02-30', 'event_date_from'],
    ['region=state:tx&event_date_from=2026-02-28T00:00:00Z', 'event_date_from'],
    ['region=state:tx&event_date_to=2026-02-28T00:00:00', 'event_date_to'],
    ['region=state:tx&event_date_to=01/05/2026', 'event_date_to'],
    ['region=state:tx&event_date_from=2026-02-02&event_date_to=2026-02-01', 'event_date_from'],
    ['region=state:tx&limit=0', 'limit'],
    ['region=state:tx&limit=101', 'limit'],
    ['region=state:tx&property_id=P0000000001', 'property_id'],
    ['region=state:tx&cursor=nonsense', 'cursor'],
  ])('refuses ?%s as invalid_parameter and names %s', async (query, field) => {
    await withEventsApi(async (ask) => {
      const reply = await ask(`/v1/events/deed?${query}`)
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toMatchObject({ error: { code: 'invalid_parameter', meta: { field } } })
      expect(reply.json<{ error: { long_message: string } }>().error.long_message).toContain(
        `query -> ${field}`,
      )
    })
  })

  test.each([
    ['state:ca', '/v1/regions/states'],
    ['state:zz', '/v1/regions/states'],
    ['county:06037', '/v1/regions/states/CA/counties'],
    ['county:tx.nowhere', '/v1/regions/states/TX/counties'],
    ['county:99999', '/v1/regions/states'],
  ])('says of %s that it is an unknown_region and where regions are listed', async (region, lookup_url) => {
    await withEventsApi(async (ask) => {
      const reply = await ask(`/v1/events/deed?region=${region}`)
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toMatchObject({
        error: { code: 'unknown_region', meta: { lookup_url } },
        lookup_url,
      })
    })
  })

  test('needs a key (401) and the invitation (403)', async () => {
    await withEventsApi(async (_ask, api) => {
      const path = '/v1/events/deed?region=state:tx'
      const unknown = await api.get(path, {})
      expect(unknown.statusCode).toBe(401)
      expect(unknown.json()).toMatchObject({ error: { code: 'unauthorized' } })
      const uninvited = await api.get(path)
      expect(uninvited.statusCode).toBe(403)
      expect(uninvited.json()).toEqual({ message: REFUSED_KEY })
    })
  })

  test('answers 504 when the search takes too long', async () => {
    const options = { ...SEARCHING, timeoutMs: 50 }
    const search = new EventSearch(ENDLESS, options)
    const openEvents = (folder: string) => ({
      ...openEventArchive(folder, options),
      search: async () => ({
        documents: [],
        next: (await search.find({ state_code: 'TX', fips_code: null, property_id: null, from: null, to: null }, null, 1))[0]!, // prettier-ignore
      }),
    })
    await withApi(
      async (api) => {
        const key = await api.newKey({ invitations: ['events'] })
        const reply = await api.get('/v1/events/deed?region=state:tx', { 'x-api-key': key })
        expect(reply.statusCode).toBe(504)
        expect(reply.json()).toMatchObject({ error: { code: 'query_timeout', message: 'Gateway Timeout' } })
      },
      { snapshots, openEvents },
    )
    await search.close()
  })
})

describe('GET /v1/events/{event_id}', () => {
  test('is the event itself, not wrapped, in any case of the id', async () => {
    await withEventsApi(async (ask) => {
      const reply = await ask(`/v1/events/${eventId(101).toUpperCase()}`)
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toMatchObject({ id: eventId(101), object: 'event', event_type: 'deed.transfer' })
    })
  })

  test('an id that nothing has is 404, one that is none is 400, without the invitation 403', async () => {
    await withEventsApi(async (ask, api) => {
      expect((await ask(`/v1/events/${eventId(999)}`)).statusCode).toBe(404)
      const malformed = await ask('/v1/events/101')
      expect(malformed.statusCode).toBe(400)
      expect(malformed.json()).toMatchObject({ error: { code: 400, meta: { field: 'event_id' } } })
      expect((await api.get(`/v1/events/${eventId(101)}`)).statusCode).toBe(403)
      expect((await api.get(`/v1/events/${eventId(101)}`, {})).statusCode).toBe(403)
    })
  })
})

describe('GET /v1/events/deed', () => {
  test('without a snapshot is 503', async () => {
    await withApi(async (api) => {
      const key = await api.newKey({ invitations: ['events'] })
      const reply = await api.get('/v1/events/deed?region=state:tx', { 'x-api-key': key })
      expect(reply.statusCode).toBe(503)
    })
  })
})

describe('GET /v1/events/{event_id}', () => {
  test('an event of a test notification is there for its account alone, and says that it is one', async () => {
    await withEventsApi(async (ask, api) => {
      const account = (await api.state.keys.list()).find(({ invitations }) => invitations.includes('events'))
      const testEvents = new TestEvents(api.state.db, () => new Date('2026-06-01T00:00:00Z'))
      const { event_id } = await testEvents.create(account!.account_id, 'deed.*', {
        county: 'Travis',
        state: 'TX',
        fips_code: '48453',
      })
      const mine = await ask(`/v1/events/${event_id}`)
      expect(mine.statusCode).toBe(200)
      expect(mine.json()).toMatchObject({ id: event_id, test: true, object: 'event' })
      const another = await api.newKey({ invitations: ['events'] })
      expect((await api.get(`/v1/events/${event_id}`, { 'x-api-key': another })).statusCode).toBe(404)
    })
  })
})
