import type { InjectOptions } from 'fastify'
import { expect, vi } from 'vitest'
import type { Example } from '../../src/api/examples.ts'
import type { OpenApi } from '../../src/api/openapi-document.ts'
import { scenarioSnapshots } from '../support/scenario-snapshots.ts'
import { type Receiver, withReceiver } from '../webhooks/receiver.ts'
import { type Api, connectTo, type Method, withApi } from './support.ts'

const TOKEN = 'an-internal-token-of-the-examples'
const RECEIVER = 'https://receiver.example.com/deeds'
const LIST = `key,name,phone,city,state
1,Ada Sample,512-555-0101,Austin,TX
2,Nobody Whatsoever,,Austin,TX
`
const ROWS = JSON.stringify([
  { key: '1', name: 'Ada Sample', phone: '512-555-0101', city: 'Austin', state: 'TX' },
  { key: '2', name: 'Nobody Whatsoever', phone: '', city: 'Austin', state: 'TX' },
])
const LIST_WITH_FAULT = `${LIST}3,too,many,fields,are,here\n`
const HOUR = 3_600_000

interface Asked {
  readonly headers?: Record<string, string>
  /** A JSON value, or the text of a list. */
  readonly body?: object | string
  /** Selects a part of an answer that is too long for an example. */
  readonly part?: (body: never) => unknown
}

/** Sends requests with test keys to the real service. Replaces values that differ between runs by constants of the same form. */
export async function makeExamples(): Promise<Example[]> {
  const examples: Example[] = []
  await withReceiver(async (receiver) => {
    const snapshots = await scenarioSnapshots()
    const options = {
      isCompared: false,
      snapshots,
      testSnapshots: snapshots,
      env: {
        INTERNAL_TOKENS: TOKEN,
        WEBHOOK_TEST_HOSTS: receiver.host,
        PLATBOOK_URL: 'https://platbook.example.com/',
      },
    }
    await withApi(async (api) => {
      const asker = await Asker.start(api, receiver, examples)
      await askAccount(asker)
      await askService(asker)
      await askPeople(asker)
      await askProperties(asker)
      await askEvents(asker)
      await askEnrichments(asker)
      await askWebhooks(asker)
      await askFaults(asker)
      await api.app.listen({ port: 0, host: '127.0.0.1' })
      await asker.askBySocket('getHealth', 431, 'GET /health', `x-long: ${'x'.repeat(40_000)}\r\n`)
      // The service caches known keys in memory, but must read a new key from the file.
      const unread = { headers: { 'x-api-key': await asker.newKey() } }
      await api.state.close()
      await asker.ask('searchPeople', 500, 'GET /v2/person/?name=Ada+Sample', unread)
    }, options)
    const small = {
      ...options,
      env: { ...options.env, ENRICHMENT_KEEP_FREE_MB: '1000000000000' },
      receiveTimes: { request: 1, upload: 600_000, pause: 600_000 },
    }
    await withApi(async (api) => {
      const asker = await Asker.start(api, receiver, examples)
      await asker.ask('enrich', 507, 'POST /v1/enrichments', {
        headers: { 'content-type': 'text/csv', prefer: 'respond-async' },
        body: LIST,
      })
      await api.app.listen({ port: 0, host: '127.0.0.1' })
      const head = `x-api-key: ${asker.key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n`
      await asker.askBySocket('createWebhook', 408, 'POST /v1/webhooks/', head)
    }, small)
  })
  return examples
}

async function askService(asker: Asker): Promise<void> {
  await asker.ask('getHealth', 200, 'GET /health')
  await asker.ask('getReady', 200, 'GET /ready')
  await asker.ask('getOpenApi', 200, 'GET /openapi.json', {
    part: ({ openapi, info: { title, version }, servers }: OpenApi & { info: Record<string, string> }) => ({
      openapi,
      info: { title, version },
      servers,
    }),
  })
  await asker.ask('listStates', 200, 'GET /v1/regions/states')
  await asker.ask('listCounties', 200, 'GET /v1/regions/states/DE/counties')
  await asker.ask('listCounties', 404, 'GET /v1/regions/states/ZZ/counties')
}

async function askPeople(asker: Asker): Promise<void> {
  await asker.ask('searchPeople', 200, 'GET /v2/person/?name=Ada+Sample&state_code=TX')
  await asker.ask('searchPeople', 400, 'GET /v2/person/?state_code=TX')
  await asker.ask('getPerson', 200, 'GET /v2/person/PTEST000001')
  await asker.ask('getPerson', 400, 'GET /v2/person/P1')
  await asker.ask('getPerson', 404, 'GET /v2/person/PTEST000404')
  await asker.ask('getPerson', 429, 'GET /v2/person/PTESTCAP429')
  await asker.ask('getPerson', 503, 'GET /v2/person/PTEST000503')
  await asker.ask('searchPeopleV1', 200, 'GET /v1/person/?name=Bert+Sample')
  await asker.ask('getPersonV1', 200, 'GET /v1/person/PTEST000002')
  await asker.ask('getPersonV1', 404, 'GET /v1/person/PTEST000404')
  await asker.ask('getPhone', 200, 'GET /v2/phone/5125550100')
  await asker.ask('getPhone', 400, 'GET /v2/phone/911')
  await asker.ask('getPhone', 429, 'GET /v2/phone/5125550129')
}

async function askProperties(asker: Asker): Promise<void> {
  const house = 'street=100+Example+Ave&city=Austin&state_code=TX'
  const nowhere = 'street=999+Nowhere+Rd&city=Austin&state_code=TX'
  await asker.ask('searchProperty', 200, `GET /v2/property/?${house}`)
  await asker.ask('searchProperty', 400, 'GET /v2/property/?strict_match=true&city=Austin')
  await asker.ask('searchProperty', 404, `GET /v2/property/?${nowhere}&strict_match=true`)
  await asker.ask('getProperty', 200, 'GET /v2/property/RTEST000001')
  await asker.ask('getProperty', 404, 'GET /v2/property/RTEST000404')
  await asker.ask('searchPropertyV1', 200, `GET /v1/property/?${house}`)
  await asker.ask('searchPropertyV1', 400, 'GET /v1/property/?city=Austin')
  await asker.ask(
    'searchPropertyV1',
    404,
    'GET /v1/property/?street=999+Nowhere+Rd&city=Nowhere&state_code=TT',
  )
}

async function askEvents(asker: Asker): Promise<void> {
  const search = 'GET /v1/events/deed'
  await asker.ask('searchDeedEvents', 200, `${search}?region=county:tx.travis&limit=1`)
  await asker.ask('searchDeedEvents', 400, `${search}?region=county:tx.nowhere`)
  await asker.ask('searchDeedEvents', 401, `${search}?region=state:tx`, { headers: { 'x-api-key': '' } })
  const slow = { headers: { 'x-api-key': await asker.newKey({ rate_per_second: 1, burst: 1 }) } }
  await asker.send('GET', '/v1/account/usage/', slow)
  await asker.ask('searchDeedEvents', 429, `${search}?region=state:tx`, slow)
  await asker.ask('searchDeedEvents', 504, `${search}?region=state:tx&property_id=RTEST000504`)
  await asker.ask('getEvent', 200, 'GET /v1/events/00000000-0000-5000-8000-000000000001')
  await asker.ask('getEvent', 404, 'GET /v1/events/00000000-0000-5000-8000-000000000404')
}

// First, so that there are access events of only two requests.
async function askAccount(asker: Asker): Promise<void> {
  const key = await asker.newKey()
  const { api_key_id } = (await asker.api.state.keys.find(key)) ?? { api_key_id: '' }
  const own = { headers: { 'x-api-key': key } }
  for (const id of ['PTEST000001', 'PTEST000404']) await asker.send('GET', `/v2/person/${id}`, own)
  await asker.api.state.events.flush()
  asker.api.pass(HOUR)
  const day = asker.api.now().toISOString().slice(0, 10)
  await asker.ask('getUsage', 200, `GET /v1/account/usage/?start_date=${day}&end_date=${day}`, own)
  await asker.ask('getUsage', 400, `GET /v1/account/usage/?start_date=${day}`, own)
  const internal = { headers: { authorization: `Bearer ${TOKEN}` } }
  const range = `start=${day}T00:00:00Z&end=${day}T12:30:00Z`
  await asker.ask('dumpAccessEvents', 200, `GET /internal/access-events/dump?${range}`, internal)
  await asker.ask('dumpAccessEvents', 403, `GET /internal/access-events/dump?${range}`)
  await asker.ask(
    'dumpAccessEvents',
    422,
    `GET /internal/access-events/dump?start=yesterday&end=${day}`,
    internal,
  )
  const ofKey = `GET /internal/access-events/by-key?api_key_id=${api_key_id}&${range}`
  await asker.ask('listAccessEventsOfKey', 200, ofKey, internal)
}

async function askEnrichments(asker: Asker): Promise<void> {
  const csv = { 'content-type': 'text/csv' }
  const list = 'POST /v1/enrichments'
  await asker.ask('enrich', 200, `${list}?fields=age,phones`, {
    headers: { 'content-type': 'application/json' },
    body: ROWS,
  })
  await asker.ask('enrich', 400, `${list}?dryrun=true`, { headers: csv, body: LIST })
  await asker.ask('enrich', 415, list, { headers: { 'content-type': 'image/png' }, body: LIST })
  await asker.ask('enrich', 422, list, { headers: csv, body: 'colour,size\nred,1\n' })
  // The service is idle, so the first job runs at once.
  const job = await asker.ask('enrich', 202, `${list}?fields=age`, {
    headers: { 'content-type': 'text/csv', prefer: 'respond-async' },
    body: LIST_WITH_FAULT,
  })
  const { id } = (job as { result: { id: string } }).result
  await asker.untilDone(id)
  await asker.ask('getEnrichment', 200, `GET /v1/enrichments/${id}`)
  await asker.ask('listEnrichments', 200, 'GET /v1/enrichments?limit=1')
  await asker.ask('listEnrichments', 400, 'GET /v1/enrichments?cursor=2')
  await asker.ask('getEnrichmentResult', 200, `GET /v1/enrichments/${id}/result`)
  await asker.ask('getEnrichmentResult', 200, `GET /v1/enrichments/${id}/result`, {
    headers: { accept: 'application/x-ndjson' },
  })
  await asker.ask('getEnrichmentRejected', 200, `GET /v1/enrichments/${id}/rejected`)
  const dry = await asker.send('POST', '/v1/enrichments?dry_run=true', {
    headers: { ...csv, prefer: 'respond-async' },
    body: LIST,
  })
  const dryRun = dry.json<{ result: { id: string } }>().result.id
  await asker.untilDone(dryRun)
  await asker.ask('getEnrichmentResult', 409, `GET /v1/enrichments/${dryRun}/result`)
  await asker.ask('getEnrichmentRejected', 409, `GET /v1/enrichments/${dryRun}/rejected`)
  await asker.ask('deleteEnrichment', 204, `DELETE /v1/enrichments/${dryRun}`)
  await asker.ask('deleteEnrichment', 404, `DELETE /v1/enrichments/${dryRun}`)
  await asker.ask('getEnrichment', 404, `GET /v1/enrichments/${dryRun}`)
}

async function askWebhooks(asker: Asker): Promise<void> {
  const wanted = {
    url: asker.receiver.url,
    event_type: 'deed.*',
    region: 'county:tx.travis',
    name: 'Travis County',
  }
  const made = await asker.ask('createWebhook', 201, 'POST /v1/webhooks/', { body: wanted })
  const { id } = (made as { result: { id: string } }).result
  const notification = asker.receiver.received[0]?.body ?? ''
  asker.keep({ operation: 'receiveDeedEvent', request: `POST ${asker.receiver.url}`, type: 'application/json', body: JSON.parse(notification) }) // prettier-ignore
  await asker.ask('createWebhook', 400, 'POST /v1/webhooks/', {
    body: { ...wanted, url: 'http://receiver.example.com/deeds' },
  })
  await asker.ask('createWebhook', 409, 'POST /v1/webhooks/', { body: wanted })
  await asker.ask('createWebhook', 413, 'POST /v1/webhooks/', {
    body: { ...wanted, name: 'x'.repeat(70_000) },
  })
  await asker.ask('createWebhook', 422, 'POST /v1/webhooks/', {
    body: { ...wanted, event_type: 'deed.gift' },
  })
  const path = `/v1/webhooks/${id}`
  await asker.ask('listWebhooks', 200, 'GET /v1/webhooks/')
  await asker.ask('getWebhook', 200, `GET ${path}`)
  await asker.ask('testWebhook', 200, `POST ${path}/test`, { body: {} })
  await asker.ask('rotateWebhookSecret', 200, `POST ${path}/rotate_secret`, { body: {} })
  await asker.ask('updateWebhook', 200, `PATCH ${path}`, { body: { status: 'inactive' } })
  await asker.ask('updateWebhook', 422, `PATCH ${path}`, { body: {} })
  await asker.ask('deleteWebhook', 204, `DELETE ${path}`)
  await asker.ask('getWebhook', 404, `GET ${path}`)
  await asker.ask('deleteWebhook', 404, `DELETE ${path}`)
  await asker.ask('updateWebhook', 404, `PATCH ${path}`, { body: { name: 'Travis' } })
  await asker.ask('testWebhook', 404, `POST ${path}/test`, { body: {} })
  await asker.ask('rotateWebhookSecret', 404, `POST ${path}/rotate_secret`, { body: {} })
}

async function askFaults(asker: Asker): Promise<void> {
  await asker.ask('getPerson', 403, 'GET /v2/person/PTEST000001', { headers: { 'x-api-key': '' } })
  await asker.ask('searchPeople', 414, `GET /v2/person/?name=${'x'.repeat(8_000)}`)
}

const LONGEST_REQUEST = 200

async function newTestKey(api: Api, wanted: Parameters<Api['newKey']>[0] = {}): Promise<string> {
  return api.newKey({
    kind: 'test',
    invitations: ['webhooks', 'events'],
    rate_per_second: 1_000_000,
    ...wanted,
  })
}

/** Sends requests to one service and collects its answers. */
class Asker {
  readonly api: Api
  readonly receiver: Receiver
  readonly key: string
  readonly #examples: Example[]

  private constructor(api: Api, receiver: Receiver, key: string, examples: Example[]) {
    this.api = api
    this.receiver = receiver
    this.key = key
    this.#examples = examples
  }

  static async start(api: Api, receiver: Receiver, examples: Example[]): Promise<Asker> {
    return new Asker(api, receiver, await newTestKey(api), examples)
  }

  async newKey(wanted: Parameters<Api['newKey']>[0] = {}): Promise<string> {
    return newTestKey(this.api, wanted)
  }

  /** Adds the answer as an example, and also the sent body unless the answer is an error. Returns the answer's body. */
  async ask(operation: string, status: number, request: string, asked: Asked = {}): Promise<unknown> {
    const [method = '', url = ''] = request.split(' ')
    const reply = await this.send(method as Method, url, asked)
    if (reply.statusCode !== status)
      throw new Error(`${request}: ${reply.statusCode} instead of ${status}: ${reply.body}`)
    if (status < 300 && asked.body !== undefined) {
      const type = asked.headers?.['content-type'] ?? 'application/json'
      this.keep({ operation, request, type, body: asked.body })
    }
    if (reply.body === '') return undefined
    const type = String(reply.headers['content-type']).split(';')[0] ?? ''
    const body: unknown = type === 'application/json' ? reply.json() : reply.body
    this.keep({ operation, status, request, type, body: asked.part?.(body as never) ?? body })
    return body
  }

  send(method: Method, url: string, { headers = {}, body }: Asked) {
    const options: InjectOptions = { method, url, headers: { 'x-api-key': this.key, ...headers } }
    return this.api.app.inject(body === undefined ? options : { ...options, payload: body })
  }

  /** Sends raw bytes, for errors that are found before there is a request. */
  async askBySocket(operation: string, status: number, request: string, head: string): Promise<void> {
    const socket = connectTo(this.api.app.server)
    socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n`)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    const [line = '', json = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    if (!line.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`${request}: ${line}`)
    this.keep({ operation, status, request, type: 'application/json', body: JSON.parse(json) })
  }

  async untilDone(id: string): Promise<void> {
    await vi.waitFor(async () => {
      const reply = await this.send('GET', `/v1/enrichments/${id}`, {})
      expect(reply.json()).toMatchObject({ result: { status: 'done' } })
    }, 30_000)
  }

  keep(example: Example): void {
    const request = example.request.slice(0, LONGEST_REQUEST)
    const whole = { ...example, request: request === example.request ? request : `${request}…` }
    const text = JSON.stringify(whole).replaceAll(this.receiver.url, RECEIVER)
    this.#examples.push(JSON.parse(STAND_INS.reduce((all, [form, value]) => all.replace(form, value), text)) as Example) // prettier-ignore
  }
}

const SECRET = `whsec_${Buffer.from('an invented secret for examples!').toString('base64')}`
/** Random values and times → their replacements. */
const STAND_INS: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{32}\b/g, '0af7651916cd43dd8448eb211c80319c'],
  [/\bkey_[0-9A-Za-z]+/g, 'key_EXAMPLE000000001'],
  [/\benr_[0-9A-Za-z]{22}/g, `enr_EXAMPLE000000000000001`],
  [/\bwh_[0-9A-Za-z]{22}/g, 'wh_EXAMPLE000000000000001'],
  [/\bwhsec_[0-9A-Za-z+/]{43}=/g, SECRET],
  [/\b(?!0{8})[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000001'],
  [/(?<="response_time_ms":)\d+/g, '42'],
  [/(?<="duration_ms":)\d+/g, '2'],
  [/(?<="rows_per_second":)\d+/g, '1000'],
]
