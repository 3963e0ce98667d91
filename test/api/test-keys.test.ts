import { describe, expect, test } from 'vitest'
import { SCENARIOS } from '../../src/scenarios/scenarios.ts'
import { heldOpen } from '../support/held-open.ts'
import { INVENTED } from '../support/published.ts'
import { scenarioSnapshots } from '../support/scenario-snapshots.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'
import { RATE_LIMITED } from './messages.ts'

const opened = heldOpen<Api>(async (body) =>
  withApi(body, { snapshots: await inventedSnapshots(), testSnapshots: await scenarioSnapshots() }),
)
const TEST_KEY = { kind: 'test', invitations: ['webhooks', 'events'], rate_per_second: 1_000_000 } as const

/** Returns the answer to a request with a new test key, and the access event of the request. */
async function ask(path: string) {
  const api = opened()
  const secret = await api.newKey(TEST_KEY)
  const reply = await api.get(path, { 'x-api-key': secret })
  const { api_key_id } = (await api.state.keys.find(secret))!
  const events = (await api.events()).filter((event) => event['api_key_id'] === api_key_id)
  return { reply, body: reply.json(), events }
}

test.each(SCENARIOS)('$name: $path is $status and not billed', async ({ path, status }) => {
  const { reply, events } = await ask(path)
  expect(reply.statusCode).toBe(status)
  expect(events).toMatchObject([{ status_code: status, billable: 0 }])
})

describe('the scenarios of test keys', () => {
  test('a landline with two owners', async () => {
    const { body } = await ask('/v2/phone/5125550100')
    expect(body.phone).toMatchObject({ line_type: 'landline', returned_people: 2, people_truncated: false })
    expect(body.people.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Ada Marie Sample',
      'Bert Sample',
    ])
  })

  test('a phone with more people than are listed', async () => {
    const { body } = await ask('/v2/phone/5125550110')
    expect(body.phone).toMatchObject({ returned_people: 10, people_limit: 10, people_truncated: true })
  })

  test('a person who has died has no age', async () => {
    const { body } = await ask('/v2/person/PTEST000003')
    expect(body.result).toMatchObject({ is_dead: true, age: null })
  })

  test('a merged id leads to the person who survives', async () => {
    expect((await ask('/v2/person/PTEST000099')).body.result).toMatchObject({ id: 'PTEST000001' })
  })

  test('a second page', async () => {
    const { body } = await ask('/v2/person/?name=Casey+Common&page=2')
    expect([body.results.length, body.metadata.result_count]).toEqual([3, 18])
  })

  test('the rate limit, the cap and the timeout have the bodies of live keys', async () => {
    const rate = await ask('/v2/person/PTEST000429')
    expect([rate.body, rate.reply.headers['retry-after']]).toEqual([{ message: RATE_LIMITED }, '1'])
    expect((await ask('/v2/person/?phone=(512)+555-0129')).reply.statusCode).toBe(429)
    expect((await ask('/v2/person/PTESTCAP429')).body).toMatchObject({ limit: 1_000, used: 1_000 })
    const slow = await ask('/v1/events/deed?region=state:tx&property_id=RTEST000504')
    expect(slow.body.error).toMatchObject({ code: 'query_timeout' })
  })

  test('deeds with parties who can be asked for', async () => {
    const { body } = await ask('/v1/events/deed?region=county:48453')
    expect(body.results.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'deed.correction',
      'deed.quitclaim',
      'deed.transfer',
    ])
    expect(body.results[2].data.parties[1]).toMatchObject({ name: 'ADA SAMPLE', person_id: 'PTEST000001' })
  })
})

describe('a test key', () => {
  test.each([
    `/v2/person/${INVENTED.jane}`,
    `/v1/person/${INVENTED.jane}`,
    `/v2/property/${INVENTED.flat}`,
    '/v2/property/?street=125+N+Main+St&city=Austin&strict_match=true',
  ])('does not reach what was published: %s', async (path) => {
    expect((await opened().get(path)).statusCode).toBe(200)
    expect((await ask(path)).reply.statusCode).toBe(404)
  })

  test('finds nobody of the published people by name or phone', async () => {
    expect((await ask('/v2/person/?name=Jane+Smith&strict_match=true')).body.results).toEqual([])
    expect(
      (await ask(`/v2/phone/${INVENTED.janesPhone}`)).body.people.map(({ name }: { name: string }) => name),
    ).toEqual(['Ada Marie Sample'])
  })

  test('enriches from the invented people, at once and in the background, unbilled', async () => {
    const api = opened()
    const secret = await api.newKey(TEST_KEY)
    const list = 'name,phone\nAda Sample,512-555-0101\nJane Smith,512-555-0101\n'
    const send = (headers = {}) =>
      api.app.inject({
        method: 'POST',
        url: '/v1/enrichments',
        payload: list,
        headers: { 'x-api-key': secret, 'content-type': 'text/csv', ...headers },
      })
    const { results } = (await send()).json()
    expect(results[0]).toMatchObject({ match_status: 'matched', person_id: 'PTEST000001' })
    expect(results[1]).toMatchObject({ match_status: 'no_match', person_id: null })
    const { id } = (await send({ prefer: 'respond-async' })).json().result
    const job = async () => (await api.get(`/v1/enrichments/${id}`, { 'x-api-key': secret })).json().result
    await expect.poll(async () => (await job()).status, { timeout: 20_000 }).toBe('done')
    const result = await api.get(`/v1/enrichments/${id}/result`, { 'x-api-key': secret })
    expect(result.body).toContain('PTEST000001')
    expect(result.body).not.toContain(INVENTED.jane)
    const { account_id, api_key_id } = (await api.state.keys.find(secret))!
    expect(
      (await api.events()).filter((event) => event['api_key_id'] === api_key_id && event['billable'] === 1),
    ).toEqual([])
    expect(await api.state.usage.written(account_id, '2026-06')).toBe(0)
  })

  test('is told to wait while the invented people are not published yet', async () => {
    await withApi(
      async ({ get, newKey }) => {
        const key = await newKey(TEST_KEY)
        expect((await get(`/v2/person/${INVENTED.jane}`, { 'x-api-key': key })).statusCode).toBe(503)
        expect((await get('/v2/person/PTEST000429', { 'x-api-key': key })).statusCode).toBe(429)
      },
      { snapshots: await inventedSnapshots() },
    )
  })
})

test('live and demo keys read what was published and meet no planned failures; only the live key is billed', async () => {
  const { newKey, get, events, state } = opened()
  for (const [kind, billable] of [
    ['live', 1],
    ['demo', 0],
  ] as const) {
    const secret = await newKey({ kind })
    const asked = async (path: string) => (await get(path, { 'x-api-key': secret })).statusCode
    expect(await asked(`/v2/person/${INVENTED.jane}`)).toBe(200)
    expect(await asked('/v2/person/PTEST000001')).toBe(404)
    expect(await asked('/v2/person/PTEST000429')).toBe(404)
    const { api_key_id } = (await state.keys.find(secret))!
    expect((await events()).filter((event) => event['api_key_id'] === api_key_id)).toMatchObject([
      { billable },
      { billable },
      { billable },
    ])
  }
})
