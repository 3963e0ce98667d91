import { setTimeout as delay } from 'node:timers/promises'
import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'
import { cancelJob } from '../../src/enrich/jobs/jobs.ts'
import { scenarioSnapshots } from '../support/scenario-snapshots.ts'
import { withReceiver } from '../webhooks/receiver.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'

const LIST = 'key,name,phone,city,state\na,Jane Smith,512-555-0101,Austin,TX\n'

interface Subscriber {
  readonly api: Api
  readonly key: string
  readonly webhook: string
  readonly post: (query: string, key?: string) => Promise<LightMyRequestResponse>
  /** Sends the due deliveries of the state file, as another process would. Returns what the receiver got. */
  readonly delivered: () => Promise<Record<string, unknown>[]>
}

async function withSubscriber(body: (subscriber: Subscriber) => Promise<void>): Promise<void> {
  await withReceiver(async (receiver) => {
    const env = { WEBHOOK_TEST_HOSTS: receiver.host, PLATBOOK_URL: 'https://platbook.example.com/' }
    await withApi(
      async (api) => {
        const own = await api.newKey({ invitations: ['webhooks'], rate_per_second: 1_000_000 })
        const wanted = { url: receiver.url, event_type: 'deed.*', region: 'state:tx' }
        const made = await api.send('POST', '/v1/webhooks/', wanted, own)
        await body({
          api,
          key: own,
          webhook: made.json<{ result: { id: string } }>().result.id,
          post: async (query, key = own) =>
            api.app.inject({
              method: 'POST',
              url: `/v1/enrichments${query}`,
              headers: { 'x-api-key': key, 'content-type': 'text/csv', prefer: 'respond-async' },
              payload: LIST,
            }),
          delivered: async () => {
            const seen = receiver.received.length
            const config = loadConfig(env)
            const webhooks = await openWebhooks({ state: api.state, config, now: api.now })
            await deliverDue({ webhooks, signal: new AbortController().signal, log: silentLog })
            await webhooks.close()
            return receiver.received.slice(seen).map((one) => ({
              ...(JSON.parse(one.body) as object),
              isSigned: 'webhook-signature' in one.headers,
            }))
          },
        })
      },
      { snapshots: await inventedSnapshots(), testSnapshots: await scenarioSnapshots(), env },
    )
  })
}

async function ended({ api, key }: Pick<Subscriber, 'api' | 'key'>, id: string): Promise<string> {
  for (;;) {
    const { result } = (await api.get(`/v1/enrichments/${id}`, { 'x-api-key': key })).json<{
      result: { status: string }
    }>()
    if (result.status !== 'queued' && result.status !== 'running') return result.status
    await delay(20)
  }
}

test('a list that has ended notifies the webhook that it named, once, signed, with a link to the list', async () => {
  await withSubscriber(async (subscriber) => {
    const { webhook, post, delivered } = subscriber
    const started = await post(`?notify=${webhook}`)
    const { id } = started.json<{ result: { id: string } }>().result
    expect(await ended(subscriber, id)).toBe('done')
    expect(await delivered()).toEqual([
      {
        event_id: id,
        event_type: 'enrichment.finished',
        links: [{ version: '1', url: `https://platbook.example.com/v1/enrichments/${id}` }],
        isSigned: true,
      },
    ])
    expect(await delivered()).toEqual([])
    // A list without `notify` causes no notification.
    const other = await post('')
    expect(await ended(subscriber, other.json<{ result: { id: string } }>().result.id)).toBe('done')
    expect(await delivered()).toEqual([])
  })
})

test('a list that is cancelled notifies its webhook too', async () => {
  await withSubscriber(async ({ api, key, webhook, delivered }) => {
    const { account_id, api_key_id } = (await api.state.keys.find(key))!
    const id = `enr_${'A'.repeat(22)}`
    const at = api.now().getTime()
    await api.state.db.run(
      `insert into enrichments (enrichment_id, account_id, api_key_id, status, created_at, leased_until, request, row_count, byte_count)
         values (?, ?, ?, 'queued', ?, ?, ?, 1, 1)`,
      id,
      account_id,
      api_key_id,
      at,
      Date.now() + 3_600_000,
      JSON.stringify({ notify: webhook }),
    )
    expect(await cancelJob(api.state.db, id, at)).toBe(true)
    expect((await delivered()).map(({ event_id }) => event_id)).toEqual([id])
  })
})

test('a webhook that the account does not have, and a test key, are refused before anything is done', async () => {
  await withSubscriber(async ({ api, webhook, post }) => {
    const unknown = await post(`?notify=wh_${'0'.repeat(22)}`)
    expect(unknown.statusCode).toBe(400)
    expect(unknown.body).toContain('notify: the account has no active webhook')
    const stranger = await post(`?notify=${webhook}`, await api.newKey())
    expect(stranger.statusCode).toBe(400)
    expect((await post('?notify=nobody')).statusCode).toBe(400)
    const lists = await api.state.db.get('select count(*) as count from enrichments')
    expect(lists!['count']).toBe(0)
  })
})
