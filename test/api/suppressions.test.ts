import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type PublishedRows, publishedSnapshot } from '../support/published.ts'
import { INVENTED, inventedWorld } from '../support/invented-world.ts'
import { deedEvent, eventId } from '../support/deed-events.ts'
import { withFolder } from '../support/folder.ts'
import { heldOpen } from '../support/held-open.ts'
import {
  type Api,
  type ApiOptions,
  inventedSnapshots,
  publishInvented,
  sharedApi,
  withApi,
} from './support.ts'

type Json = Record<string, unknown>

const SUPPRESS_JANE: Pick<ApiOptions, 'given'> = {
  given: (state) => state.suppressions.add([{ kind: 'person', value: INVENTED.jane }]),
}

/** Opens the service on the made-up world with Jane suppressed. */
async function withoutJane(body: (api: Api) => Promise<void>): Promise<void> {
  await withApi(body, { ...SUPPRESS_JANE, snapshots: await inventedSnapshots() })
}

const ABOUT_JANE: Record<string, string[]> = {
  'GET /v2/person/': [
    '/v2/person/?name=Jane%20Smith', '/v2/person/?phone=5125550100', '/v2/person/?email=jane.smith@example.com',
    '/v2/person/?street=123%20N%20Main%20St&city=Austin', '/v2/person/?zipcode=78664&include_historical_locations=true',
    '/v2/person/?last_name=Smith&include_fuzzy_matching=true', '/v2/person/?city=Austin&radius=20',
  ],
  'GET /v1/person/': ['/v1/person/?name=Jane%20Smith', '/v1/person/?phone=5125550100', '/v1/person/?zipcode=78701'],
  'GET /v2/person/{id}': [`/v2/person/${INVENTED.john}`],
  'GET /v1/person/{id}': [`/v1/person/${INVENTED.john}`],
  'GET /v2/phone/{phone}': ['/v2/phone/5125550100', '/v2/phone/5125550101'],
  'GET /v2/property/': ['/v2/property/?street=123%20N%20Main%20St%20Apt%204&city=Austin', '/v2/property/?street=125%20N%20Main%20St&zipcode=78701'],
  'GET /v1/property/': ['/v1/property/?street=123%20N%20Main%20St%20Apt%204&city=Austin'],
  'GET /v2/property/{property_id}': [`/v2/property/${INVENTED.flat}`, `/v2/property/${INVENTED.house}`, `/v2/property/${INVENTED.flatAddress}`],
} // prettier-ignore

// Tests that change nothing share a service.
const everybody = sharedApi()
const others = heldOpen<Api>(withoutJane)

for (const [route, paths] of Object.entries(ABOUT_JANE)) {
  describe(route, () => {
    test.each(paths)('tells nothing of somebody who is suppressed: %s', async (path) => {
      expect((await everybody.get(path)).body).toMatch(/Jane|P0000000001/)
      const reply = await others().get(path)
      expect(reply.statusCode).toBe(200)
      expect(reply.body).not.toMatch(/Jane|P0000000001/)
    })
  })
}

/** Returns the answer about an unknown person, without values that differ between requests. */
async function notFound(version: string, id: string): Promise<Json> {
  const reply = await others().get(`/${version}/person/${id}`)
  expect(reply.statusCode).toBe(404)
  return { ...JSON.parse(reply.body.replaceAll(id, 'P')), wp_trace_id: '' }
}

for (const version of ['v1', 'v2']) {
  describe(`GET /${version}/person/{id}`, () => {
    test('somebody who is suppressed: 404, as for an id that nobody has', async () => {
      const nobody = await notFound(version, 'Pzzzzzzzzzz')
      expect(await notFound(version, INVENTED.jane)).toEqual(nobody)
      expect(await notFound(version, INVENTED.mergedIntoJane)).toEqual(nobody)
    })
  })
}

describe('POST /v1/enrichments', () => {
  test('a row that means somebody who is suppressed gets nothing of them, and is not billed', async () => {
    await withoutJane(async (api) => {
      const reply = await api.app.inject({
        method: 'POST',
        url: '/v1/enrichments?fields=phones,owners,property',
        headers: { 'x-api-key': api.key, 'content-type': 'text/csv' },
        payload: `name,phone,address,city,state,person_id\nJane Smith,512-555-0101,123 N Main St Apt 4,Austin,TX,\n,,,,,${INVENTED.jane}\n,,125 N Main St,Austin,TX,\n`,
      })
      const { results, metadata } = reply.json<{ results: Json[]; metadata: Json }>()
      expect(results.map((row) => [row['match_status'], row['person_id'], row['reason']])).toEqual([
        ['no_match', null, 'nobody like this was found'],
        ['no_match', null, 'no person has this id'],
        ['matched', null, 'the address'],
      ])
      expect(metadata).toMatchObject({ billed: 1 })
      expect(reply.body).not.toMatch(/Jane|P0000000001/)
    })
  })

  test('nor does a list that is enriched in the background', async () => {
    await withoutJane(async (api) => {
      const headers = { 'x-api-key': api.key }
      const reply = await api.app.inject({
        method: 'POST',
        url: '/v1/enrichments',
        headers: { ...headers, 'content-type': 'text/csv', prefer: 'respond-async' },
        payload: 'key,name,phone\na,Jane Smith,512-555-0101\nb,John Smith,512-555-0100\n',
      })
      const { id } = reply.json<{ result: { id: string } }>().result
      await expect
        .poll(
          async () => (await api.get(`/v1/enrichments/${id}`)).json<{ result: Json }>().result['status'],
          { timeout: 30_000 },
        )
        .toBe('done')
      const rows = (await api.get(`/v1/enrichments/${id}/result`)).body.split('\n')
      expect(rows[1]).toMatch(/^a,Jane Smith,512-555-0101,no_match,,,nobody like this was found,/)
      expect(rows[1]).not.toContain(INVENTED.jane)
      expect(rows[2]).toMatch(/^b,John Smith,512-555-0100,matched,/)
    })
  })
})

const LEADS = [
  'Jane Smith,512-555-0101,,,,,',
  'Jane Smith,512-555-0100,,,,,',
  'John Smith,512-555-0100,,,,,',
  'Nobody Whatsoever,512-555-0101,,,,,',
  ',512-555-0101,,,,,',
  ',512-555-0100,,,,,',
  ',,jane.smith@example.com,,,,',
  'Jane Doe,,jane.doe@example.com,,,,',
  'Jane Smith,,,123 N Main St Apt 4,Austin,TX,',
  'Smith,,,123 N Main St Apt 4,Austin,TX,',
  'Jane Smith,,,,Austin,TX,',
  ',,,123 N Main St Apt 4,Austin,TX,',
  ',,,125 N Main St,Austin,TX,',
  `,,,,,,${INVENTED.jane}`,
  `,,,,,,${INVENTED.mergedIntoJane}`,
  ',,,,,,Pzzzzzzzzzz',
]
const LEAD_LIST = `name,phone,email,address,city,state,person_id\n${LEADS.join('\n')}\n`

/** Returns everything that a caller can see of a list: the direct answer, the job, its result and its price. */
async function seenOf(api: Api): Promise<Json> {
  const headers = { 'x-api-key': api.key }
  const post = (more: Record<string, string>) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/enrichments?fields=phones,emails,address,age,owners,property,owned_properties&require=address',
      headers: { ...headers, 'content-type': 'text/csv', ...more },
      payload: LEAD_LIST,
    })
  const direct = (await post({})).json<Json>()
  const { id } = (await post({ prefer: 'respond-async' })).json<{ result: { id: string } }>().result
  const job = async (): Promise<Json> =>
    (await api.get(`/v1/enrichments/${id}`)).json<{ result: Json }>().result
  await expect.poll(async () => (await job())['status'], { timeout: 30_000 }).toBe('done')
  const result = (await api.get(`/v1/enrichments/${id}/result`)).body
  const { rows, matched, ambiguous, billed, rejected } = await job()
  await api.events()
  const usage = await api.state.usage.written((await api.state.keys.find(api.key))!.account_id, '2026-06')
  return {
    direct,
    job: { rows, matched, ambiguous, billed, rejected },
    result,
    usage,
  }
}

/** The made-up world with hundreds of namesakes, so that one person more or less with a name changes no score. */
function crowdedWorld(): PublishedRows {
  const world = inventedWorld()
  for (let n = 0; n < 600; n++) {
    const person_id = `P0000001${String(n).padStart(3, '0')}`
    const [first_name, last_name] = n % 2 === 0 ? ['JANE', 'GARCIA'] : ['LINDA', 'SMITH']
    world.people!.push({ person_id, name: `${first_name} ${last_name}`, first_name, last_name, aliases: [], is_dead: false, completeness: 10, source_count: 1, mention_count: 1 }) // prettier-ignore
    world.person_names!.push({ person_id, first_name, last_name, is_primary: true })
  }
  return world
}

describe('a list whose rows mean somebody suppressed', () => {
  test('is answered, counted and billed word for word as by a snapshot in which that person is not', async () => {
    await withFolder(async (folder) => {
      const [whole, without] = [join(folder, 'whole'), join(folder, 'without')]
      await publishInvented(whole, crowdedWorld())
      await publishInvented(without, crowdedWorld(), [{ kind: 'person', value: INVENTED.jane, marks: [] }])
      const unknown = await withApi(seenOf, { snapshots: without })
      const suppressed = await withApi(seenOf, { ...SUPPRESS_JANE, snapshots: whole })
      expect(suppressed).toEqual(unknown)
      // The status `suppressed` counts callers' own suppression lists, so it is 0 here.
      expect(JSON.stringify(suppressed)).not.toMatch(/suppress(?!ed":0)/)
      const unscreened = await withApi(seenOf, { snapshots: whole })
      expect(unscreened).not.toEqual(unknown)
    })
  })
})

/** Makes a result with Jane while nobody is suppressed. Returns a function that fetches it. */
async function resultOf(api: Api): Promise<(accept: string) => Promise<string>> {
  const headers = { 'x-api-key': api.key }
  const reply = await api.app.inject({
    method: 'POST',
    url: '/v1/enrichments?fields=phones,owners',
    headers: { ...headers, 'content-type': 'text/csv', prefer: 'respond-async' },
    payload:
      'key,name,phone,address,zip\n"a, b",Jane Smith,512-555-0101,,\nc,,,123 N Main St Apt 4,78701\nd,Jonathan Smythe,,125 N Main St,78701\n',
  })
  const { id } = reply.json<{ result: { id: string } }>().result
  const status = async (): Promise<unknown> =>
    (await api.get(`/v1/enrichments/${id}`)).json<{ result: Json }>().result['status']
  await expect.poll(status, { timeout: 30_000 }).toBe('done')
  return async (accept) => (await api.get(`/v1/enrichments/${id}/result`, { ...headers, accept })).body
}

describe('GET /v1/enrichments/{id}/result', () => {
  test.each(['text/csv', 'application/x-ndjson'])(
    'a result made before somebody was suppressed tells nothing of them any more, as %s',
    async (accept) => {
      await withApi(
        async (api) => {
          const result = await resultOf(api)
          expect(await result(accept)).toMatch(/P0000000001/)
          await api.state.suppressions.add([{ kind: 'person', value: INVENTED.jane }])
          // The service checks the list once a second.
          await expect.poll(() => result(accept), { timeout: 20_000 }).not.toMatch(/P0000000001|Jane Ann/)
          const screened = await result(accept)
          expect(screened).toMatch(/a, b.*Jane Smith.*512-555-0101.*no_match.*nobody like this was found/)
          expect(screened).toMatch(/John Q Smith/)
          expect(screened).toMatch(/Jonathan Smythe.*matched/)
        },
        { snapshots: await inventedSnapshots() },
      )
    },
  )

  test('while anybody is suppressed it tells nothing of somebody whose id the published data has no more', async () => {
    await withFolder(async (snapshots) => {
      await publishInvented(snapshots)
      await withApi(
        async (api) => {
          const result = await resultOf(api)
          await api.state.suppressions.add([{ kind: 'person', value: INVENTED.maria }])
          await publishInvented(snapshots, withoutJanesId())
          await expect.poll(() => result('text/csv'), { timeout: 20_000 }).not.toMatch(/P0000000001|Jane Ann/)
          expect(await result('text/csv')).toMatch(/John Q Smith[^]*Jonathan Smythe.*matched/)
        },
        { snapshots },
      )
    })
  })
})

/** The made-up world with another id for Jane. */
function withoutJanesId(): PublishedRows {
  return JSON.parse(JSON.stringify(inventedWorld()).replaceAll(INVENTED.jane, 'P00000Jane1')) as PublishedRows
}

const PARTIES = `[{'role': grantor, 'name': 'SMITH JANE A', 'type': individual, 'person_id': ${INVENTED.jane}, 'full_address': '123 N Main St Apt 4, Austin, TX 78701'}, {'role': grantee, 'name': 'SMITH JOHN Q', 'type': individual, 'person_id': ${INVENTED.john}, 'full_address': NULL}]`
const UNSURE = `[{'role': grantor, 'name': 'Jane Ann Smith', 'type': individual, 'person_id': NULL, 'full_address': '123 N Main St Apt 4, Austin, TX 78701'}, {'role': grantee, 'name': 'Jane Smith Living Trust', 'type': trust, 'person_id': NULL, 'full_address': NULL}, {'role': grantee, 'name': 'Jane Smith LLC', 'type': llc, 'person_id': NULL, 'full_address': NULL}, {'role': other, 'name': 'Jane Teresa Smith', 'type': individual, 'person_id': NULL, 'full_address': NULL}]`

// Published once. Each test opens its own service on it.
const deeds = heldOpen<string>((body) =>
  withFolder(async (snapshots) => {
    await publishedSnapshot(snapshots, {
      ...inventedWorld(),
      deed_events: [
        deedEvent(1, { county_fips: '48453', parties: PARTIES }),
        deedEvent(2, { county_fips: '48453' }),
        deedEvent(3, { county_fips: '48453', recorded_date: '2019-01-05', parties: UNSURE }),
        deedEvent(4, { county_fips: '12086', recorded_date: '2019-01-05', parties: UNSURE }),
      ],
    })
    await body(snapshots)
  }),
)

/** Opens the service with an event that has Jane as a party, and a key of an invited account. */
async function withDeed(
  env: Record<string, string>,
  body: (ask: (path: string) => ReturnType<Api['get']>) => Promise<void>,
): Promise<void> {
  await withApi(
    async (api) => {
      const key = await api.newKey({ invitations: ['events'] })
      await body((path) => api.get(path, { 'x-api-key': key }))
    },
    { ...SUPPRESS_JANE, env, snapshots: deeds() },
  )
}

const partiesOf = (event: unknown): Json[] => (event as { data: { parties: Json[] } }).data.parties

describe('GET /v1/events/deed', () => {
  test('a party who is suppressed has neither name nor id nor address; the others do', async () => {
    await withDeed({}, async (ask) => {
      const { results } = (await ask('/v1/events/deed?region=state:tx')).json<{ results: Json[] }>()
      expect(results.map(({ id }) => id)).toEqual([eventId(1), eventId(2), eventId(3)])
      expect(partiesOf(results[0])).toEqual([
        { role: 'grantor', name: 'Name withheld', type: 'individual', person_id: null, addresses: [] },
        {
          role: 'grantee',
          name: 'SMITH JOHN Q',
          type: 'individual',
          person_id: INVENTED.john,
          addresses: [],
        },
      ])
    })
  })
})

describe('GET /v1/events/{event_id}', () => {
  test('a party who is suppressed has neither name nor id nor address', async () => {
    await withDeed({}, async (ask) => {
      const [jane] = partiesOf((await ask(`/v1/events/${eventId(1)}`)).json())
      expect(jane).toEqual({
        role: 'grantor',
        name: 'Name withheld',
        type: 'individual',
        person_id: null,
        addresses: [],
      })
    })
  })

  test('a party of whom it is not sure that they are somebody suppressed is withheld in doubt', async () => {
    await withDeed({}, async (ask) => {
      const parties = partiesOf((await ask(`/v1/events/${eventId(3)}`)).json())
      expect(parties.map(({ name }) => name)).toEqual([
        'Name withheld',
        'Name withheld',
        'Jane Smith LLC',
        'Jane Teresa Smith',
      ])
      expect(parties[0]).toMatchObject({ person_id: null, addresses: [] })
      // Jane never lived in Florida.
      const elsewhere = partiesOf((await ask(`/v1/events/${eventId(4)}`)).json())
      expect(elsewhere[0]).toMatchObject({ name: 'Jane Ann Smith', addresses: [{}] })
    })
  })

  test('the name stands as public record where the operator says so', async () => {
    await withDeed({ SUPPRESSED_NAMES: 'public_record' }, async (ask) => {
      const [jane] = partiesOf((await ask(`/v1/events/${eventId(1)}`)).json())
      expect(jane).toMatchObject({ name: 'SMITH JANE A', person_id: null, addresses: [] })
    })
  })
})
