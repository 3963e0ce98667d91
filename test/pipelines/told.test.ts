import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { runNight, STEPS } from '../../pipelines/nightly.ts'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { openState } from '../../src/state/open.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'
import { createSecret } from '../../src/webhooks/signing.ts'
import { createSubscriptionId } from '../../src/webhooks/subscriptions.ts'
import { withApi } from '../api/support.ts'
import { withFolder } from '../support/folder.ts'
import { withReceiver } from '../webhooks/receiver.ts'

const root = join(import.meta.dirname, '../..')
const now = (): Date => new Date('2026-01-07T08:30:00Z')
const { signal } = new AbortController()

interface Event {
  id: string
  event_type: string
  data: { jurisdiction: { state: string }; detail: { consideration: number | null; recorded_date: string } }
}

// Two whole nights of the sample: 20 s of processor.
test('the second day of the sample is told to a subscriber of each state, signed, and every event can be fetched', async () => {
  await withFolder((folder) =>
    withReceiver(async (receiver) => {
      const config = loadConfig(
        { WEBHOOK_TEST_HOSTS: receiver.host, DUCKDB_MEMORY_LIMIT: '1GB' },
        { data: folder },
      )
      const night = async (day: string) => {
        await cp(join(root, 'data/sample', day), join(config.paths.landing, day), { recursive: true })
        return runNight({ config, sourceFolders: [join(root, 'pipelines/sources')], steps: STEPS, full: false, now, signal, log: silentLog, progress: () => undefined }) // prettier-ignore
      }
      const first = await night('day-1')
      expect(first.released).toMatchObject({ event_count: 0, delivery_count: 0 })

      const secrets = new Map<string, string>()
      const state = openState(config.paths.state, { now })
      const webhooks = openWebhooks({ state, config, now })
      const account_id = state.keys.create({ name: 'told', invitations: ['webhooks', 'events'] }).key
        .api_key_id
      for (const area of ['TX', 'NY', 'FL']) {
        const url = `${receiver.url}/${area}`
        secrets.set(area, createSecret())
        webhooks.subscriptions.create(createSubscriptionId(), secrets.get(area)!, {
          account_id, url, name: null, event_type: 'deed.*', region: `state:${area.toLowerCase()}`, area,
        }) // prettier-ignore
      }
      const second = await night('day-2')
      try {
        await deliverDue({ webhooks, signal, log: silentLog })
      } finally {
        await webhooks.close()
        await state.close()
      }

      expect(second.released).toEqual({
        event_count: receiver.received.length,
        delivery_count: receiver.received.length,
        history_count: 0,
      })
      await withApi(
        async (api) => {
          const key = api.newKey({ invitations: ['events'], rate_per_second: 1_000_000 })
          const types = new Set<string>()
          for (const { path, headers, body } of receiver.received) {
            const area = path.split('/').at(-1)!
            // The receiver's clock is today's, the night's is driven: what is verified is the signature.
            const told = verified(secrets.get(area)!, headers as Record<string, string>, body)
            const reply = await api.get(`/v1/events/${told.event_id}`, { 'x-api-key': key })
            expect(reply.statusCode).toBe(200)
            const event = reply.json<Event>()
            expect(event).toMatchObject({
              id: told.event_id,
              event_type: told.event_type,
              data: { jurisdiction: { state: area } },
            })
            types.add(`${area} ${event.event_type}`)
          }
          expect([...types].sort()).toEqual([
            'FL deed.correction',
            'FL deed.transfer',
            'NY deed.transfer',
            'TX deed.transfer',
          ])
        },
        { snapshots: config.paths.snapshots, start: now().toISOString() },
      )
    }),
  )
}, 300_000)

function verified(
  secret: string,
  headers: Record<string, string>,
  body: string,
): { event_id: string; event_type: string } {
  const webhook = new Webhook(secret)
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  expect(webhook.sign(headers['webhook-id']!, at, body)).toBe(headers['webhook-signature'])
  return JSON.parse(body) as { event_id: string; event_type: string }
}
