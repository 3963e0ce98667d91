import { describe, expect, test } from 'vitest'
import { CountiesResponse, StatesResponse } from '../../src/api/responses/regions.ts'
import { EVENT_TYPES } from '../../src/normalize/regions.ts'
import { sharedApi, withApi } from './support.ts'

const api = sharedApi()
const NO_KEY = {}

const listStates = async () =>
  StatesResponse.parse((await api.get('/v1/regions/states', NO_KEY)).json()).results

describe('GET /v1/regions/states', () => {
  test('lists the states and territories of the Census with slug, code and name, to anyone', async () => {
    const results = await listStates()
    expect(results).toHaveLength(56)
    expect(results).toContainEqual({ slug: 'texas', state_code: 'TX', name: 'Texas', supported_webhook_events: EVENT_TYPES }) // prettier-ignore
    expect(results).toContainEqual({ slug: 'puerto_rico', state_code: 'PR', name: 'Puerto Rico', supported_webhook_events: [] }) // prettier-ignore
  })

  test('Texas, New York and Florida support the deed events, nobody else does', async () => {
    const supporting = (await listStates()).filter((state) => state.supported_webhook_events.length > 0)
    expect(supporting.map(({ state_code }) => state_code)).toEqual(['FL', 'NY', 'TX'])
    for (const { supported_webhook_events } of supporting) {
      expect(supported_webhook_events).toEqual(['deed.transfer', 'deed.quitclaim', 'deed.foreclosure', 'deed.correction', 'deed.other']) // prettier-ignore
    }
  })

  test('the path answers with and without a slash at its end', async () => {
    expect((await api.get('/v1/regions/states/', NO_KEY)).body).toBe(
      (await api.get('/v1/regions/states', NO_KEY)).body,
    )
  })
})

const listCounties = async (code: string) =>
  CountiesResponse.parse((await api.get(`/v1/regions/states/${code}/counties`, NO_KEY)).json()).results

const supporting = async (code: string) =>
  (await listCounties(code))
    .filter((county) => county.supported_webhook_events.length > 0)
    .map(({ slug }) => slug)

describe.each([
  ['GET /v1/regions/states', '/v1/regions/states', 200],
  ['GET /v1/regions/states/{state_code}/counties', '/v1/regions/states/ZZ/counties', 404],
])('%s', (route, path, status_code) => {
  test('a valid key is not asked for, but leaves an access event that is not billed', async () => {
    await withApi(async ({ get, newKey, events }) => {
      const slow = await newKey({ rate_per_second: 1, burst: 1, monthly_cap: 0 })
      for (let n = 0; n < 3; n += 1)
        expect((await get(path, { 'x-api-key': slow })).statusCode).toBe(status_code)
      const template = route.replace('GET ', '')
      expect(await events()).toMatchObject(
        Array.from({ length: 3 }, () => ({ route: template, status_code, billable: 0 })),
      )
    })
  })
})

describe('GET /v1/regions/states/{state_code}/counties', () => {
  test('lists the counties of a state with slug, name and FIPS code, to anyone', async () => {
    const results = await listCounties('FL')
    expect(results).toHaveLength(67)
    expect(results.find(({ slug }) => slug === 'miami_dade')).toEqual({
      slug: 'miami_dade',
      name: 'Miami-Dade',
      fips_code: '12086',
      supported_webhook_events: EVENT_TYPES,
    })
  })

  test('counties of Texas, New York and Florida support the deed events where a source of rolls or deeds is loaded', async () => {
    expect(await supporting('TX')).toEqual(['travis'])
    expect(await supporting('FL')).toEqual(['miami_dade'])
    expect(await supporting('NY')).toEqual([])
    expect(await supporting('CA')).toEqual([])
  })

  test('the case of the code does not matter', async () => {
    expect(await listCounties('tx')).toEqual(await listCounties('TX'))
  })

  test.each(['ZZ', 'TT', 'Texas', '48'])('an unknown state, %s: 404', async (code) => {
    const reply = await api.get(`/v1/regions/states/${code}/counties`, NO_KEY)
    expect(reply.statusCode).toBe(404)
    expect(reply.json<{ error: { code: number } }>().error.code).toBe(404)
  })

  test('before the first night no county supports events', async () => {
    await withApi(async ({ get }) => {
      const reply = await get('/v1/regions/states/TX/counties', NO_KEY)
      expect(CountiesResponse.parse(reply.json()).results.flatMap((county) => county.supported_webhook_events)).toEqual([]) // prettier-ignore
    })
  })
})
