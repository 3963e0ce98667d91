import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'
import { createSecret } from '../../src/webhooks/signing.ts'
import { deedEvent, eventId } from '../support/deed-events.ts'
import { readOpenApi } from '../support/described.ts'
import { inventedWorld } from '../support/invented-world.ts'
import { INVENTED, publishedSnapshot } from '../support/published.ts'
import { type KnownValues, randomRequests } from '../support/random-requests.ts'
import { type Api, connectTo, withApi } from './support.ts'

/** `npm run bench -- bad-input` sends 100,000 requests. */
const RUNS = Number(process.env['RANDOM_REQUESTS'] ?? 1_500)
const MOST_MS_A_REQUEST = 100
const TOKEN = 'an-internal-token-of-the-tests'
// Many webhooks, because random requests also delete some.
const WEBHOOKS = Array.from({ length: 200 }, (_, n) => `wh_${String(n).padStart(22, '0')}`)

const KNOWN: KnownValues = {
  id: [INVENTED.jane, INVENTED.mergedIntoJane, 'P9999999999', 'R0000000001', `enr_${'0'.repeat(22)}`],
  fields: ['phones,emails', 'property,owners', 'nothing'],
  require: ['phone', 'property,age'],
  min_score: ['1', '99', '100'],
  map: ['name=name', 'phone=-', 'a=b'],
  property_id: [INVENTED.flat, INVENTED.flatAddress, INVENTED.lot, 'Rzzzzzzzzzz'],
  phone: [INVENTED.janesPhone, '(305) 555-0170', '+1 718 555 0199', '+442079460958'],
  email: [INVENTED.janesEmail, 'a@b', 'a@b.c'],
  name: ['Jane Smith', 'Smi', 'de la Cruz', 'Jahne Smiht'],
  first_name: ['Jane', 'J', 'Jon'],
  middle_name: ['Ann', 'A.'],
  last_name: ['Smith', "O'Brien", 'Ng'],
  street: ['123 N Main St Apt 4', 'Main', '45-12 Bell Blvd'],
  city: ['Austin', 'Miami Beach'],
  state_code: ['TX', 'tx', 'ZZ'],
  zipcode: ['78701', '1234'],
  zip: ['78701', '787011234'],
  min_age: ['18', '66'],
  max_age: ['65', '17'],
  radius: ['0.1', '100', '100.1'],
  page: ['1', '10', '11'],
  page_size: ['1', '15', '16'],
  strict_match: ['true', 'false'],
  include_fuzzy_matching: ['true'],
  include_historical_locations: ['true'],
  start_date: ['2026-05-01', '2025-01-01'],
  end_date: ['2026-06-01'],
  start: ['2026-06-01T00:00:00Z'],
  end: ['2026-06-02T00:00:00Z'],
  api_key_id: ['key_0000000000000000'],
  region: ['state:tx', 'county:48453', 'county:fl.miami_dade', 'state:ca'],
  event_date_from: ['2026-01-01'],
  event_date_to: ['2026-06-01'],
  limit: ['1', '100', '101'],
  event_id: [eventId(1), '01234567-89ab-5cde-8123-456789abcdef'],
  webhook_id: [...WEBHOOKS, `wh_${'1'.repeat(22)}`],
  status: ['active', 'inactive'],
  event_type: ['deed.*', 'deed.transfer'],
  url: ['https://receiver.example.com/in', 'http://127.0.0.1/', 'https://[::1]/', 'https://localhost'],
}

let snapshots: string
beforeAll(async () => {
  snapshots = await mkdtemp(join(tmpdir(), 'platbook-'))
  const deed_events = [1, 2].map((n) => deedEvent(n, { county_fips: '48453' }))
  await publishedSnapshot(snapshots, { ...inventedWorld(), deed_events })
})
afterAll(() => rm(snapshots, { recursive: true }))

async function subscribe({ state, now }: Api, account_id: string): Promise<void> {
  const webhooks = await openWebhooks({ state, config: loadConfig({}), now })
  const wanted = { account_id, name: null, event_type: 'deed.*', region: 'state:tx', area: 'TX' }
  for (const id of WEBHOOKS) {
    const url = `https://receiver.example.com/${id}`
    await webhooks.subscriptions.create(id, createSecret(), { ...wanted, url })
  }
}

// Opens the service with a webhook, two deeds and a suppressed person.
async function withEverything(body: (api: Api & { invited: string }) => Promise<void>): Promise<void> {
  await withApi(
    async (api) => {
      const invited = await api.newKey({ invitations: ['webhooks', 'events'], rate_per_second: 1_000_000 })
      await subscribe(api, (await api.state.keys.find(invited))!.account_id)
      await body({ ...api, invited })
    },
    {
      snapshots,
      given: (state) => state.suppressions.add([{ kind: 'person', value: INVENTED.john }]),
      env: { INTERNAL_TOKENS: TOKEN },
      internet: { resolve: () => Promise.reject(new Error('there is no such name')) },
    },
  )
}

test(
  'whatever is sent, nothing is a 500 and every answer is as the OpenAPI file has it',
  async () => {
    await withEverything(async ({ app, invited }) => {
      const requests = randomRequests(readOpenApi(), KNOWN, { key: invited, token: TOKEN })
      await fc.assert(
        fc.asyncProperty(requests, async ({ method, url, headers, body }) => {
          // `inject` compares the answer with the OpenAPI file and throws when they differ.
          const reply = await app.inject({
            method: method as 'GET',
            url,
            headers,
            ...(body === null ? {} : { payload: body }),
          })
          expect(reply.statusCode).not.toBe(500)
        }),
        { numRuns: RUNS },
      )
    })
  },
  RUNS * MOST_MS_A_REQUEST,
)

/** Returns the server's answer to these bytes. */
async function responseTo(app: Api['app'], bytes: string): Promise<string> {
  const socket = connectTo(app.server)
  socket.on('error', () => {})
  socket.write(bytes)
  return text(socket)
}

const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers}\r\n`

describe('bombs', () => {
  test.each<[string, (key: string) => string, number]>([
    [
      'a path of 9,000 characters',
      (key) => get(`/v2/person/${'a'.repeat(9_000)}`, `x-api-key: ${key}\r\n`),
      414,
    ],
    ['a path of 3,000 folders', (key) => get(`/v2${'/a'.repeat(3_000)}`, `x-api-key: ${key}\r\n`), 404],
    ['2,000 parameters', (key) => get(`/v2/person/?${'a=1&'.repeat(1_900)}`, `x-api-key: ${key}\r\n`), 400],
    [
      '1,000 times one parameter',
      (key) => get(`/v2/person/?${'name=a&'.repeat(1_000)}`, `x-api-key: ${key}\r\n`),
      400,
    ],
    ['a path above what Node reads', () => get(`/${'a'.repeat(40_000)}`), 431],
    ['one header of 40,000 bytes', () => get('/health', `x-a: ${'a'.repeat(40_000)}\r\n`), 431],
    ['5,000 headers', () => get('/health', 'x-a: b\r\n'.repeat(5_000)), 431],
    [
      'a key of 30,000 characters',
      () => get('/v2/person/?name=a', `x-api-key: ${'a'.repeat(30_000)}\r\n`),
      403,
    ],
    ['20 keys', (key) => get('/v2/person/P1', `x-api-key: ${key}\r\n`.repeat(20)), 403],
    ['a null byte in a header', () => get('/health', 'x-a: \0\r\n'), 400],
    ['two lengths', () => get('/health', 'content-length: 1\r\ncontent-length: 2\r\n'), 400],
    ['a length and chunks', () => get('/health', 'content-length: 1\r\ntransfer-encoding: chunked\r\n'), 400],
    ['a method that nobody has', () => 'JUMP / HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['a version that nobody has', () => 'GET / HTTP/9.9\r\nhost: a\r\n\r\n', 400],
  ])('%s', async (_, bytes, status) => {
    await withEverything(async ({ app, invited }) => {
      await app.listen({ port: 0, host: '127.0.0.1' })
      const answer = await responseTo(app, bytes(invited))
      expect(answer.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect((await app.inject({ method: 'GET', url: '/health' })).statusCode).toBe(200)
    })
  })
})
