import { cp } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import type { DeedEvent } from '../../src/api/responses/event.ts'
import { buildApp } from '../../src/api/app.ts'
import { Snapshots } from '../../src/api/snapshots.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { openEventArchive, searchOptions } from '../../src/events/archive.ts'
import { silentLog } from '../../src/log.ts'
import { currentSnapshot, openLookup } from '../../src/lookup/index.ts'
import { openState, type State } from '../../src/state/open.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'
import type { Notification } from '../../src/webhooks/notification.ts'
import { withFolder } from '../support/folder.ts'
import { Described } from '../support/described.ts'
import { afterFirstNight, nightReport, NIGHTS, sampleNight } from '../support/sample-nights.ts'
import { type Received, type Receiver, withReceiver } from '../webhooks/receiver.ts'
import type { z } from 'zod'

const STATES = ['tx', 'ny', 'fl'] as const

/** The service on the data folder, as it is in the second night. */
async function withService(
  config: Config,
  body: (app: FastifyInstance, state: State) => Promise<void>,
): Promise<void> {
  const state = await openState(config.paths.state, { now: () => NIGHTS['day-2'] })
  const open = (snapshots: string) =>
    Snapshots.open({
      folder: snapshots,
      open: openLookup,
      openEvents: (folder) => openEventArchive(folder, searchOptions(config)),
      current: currentSnapshot,
      suppressions: state.suppressions,
      log: silentLog,
    })
  const app = await buildApp({
    config,
    state,
    now: () => NIGHTS['day-2'],
    log: silentLog,
    openSnapshots: () => open(config.paths.snapshots),
    openTestSnapshots: () => open(config.paths.testSnapshots),
  })
  try {
    await body(app, state)
  } finally {
    await app.close()
    await state.close()
  }
}

/** What the package says of a notification at the time it was sent; it throws for one that isn't genuine. */
function verified({ body, headers }: Received, secret: string): Notification {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(headers['webhook-timestamp']) * 1_000 })
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) as Notification
  } finally {
    vi.useRealTimers()
  }
}

async function subscribe(
  app: FastifyInstance,
  key: string,
  receiver: Receiver,
): Promise<Map<string, string>> {
  const secrets = new Map<string, string>()
  for (const state of STATES) {
    const reply = await app.inject({
      method: 'POST',
      url: '/v1/webhooks/',
      headers: { 'x-api-key': key },
      payload: { url: `${receiver.url}/${state}`, event_type: 'deed.*', region: `state:${state}` },
    })
    expect(reply.statusCode).toBe(201)
    secrets.set(state, reply.json<{ result: { signing_secret: string } }>().result.signing_secret)
  }
  receiver.received.length = 0
  return secrets
}

test('who subscribes after the first day hears of the second day’s deeds the same night, and fetches each', async () => {
  const described = new Described()
  await withReceiver((receiver) =>
    withFolder(async (data) => {
      const config = loadConfig({ WEBHOOK_TEST_HOSTS: receiver.host }, { data })
      await cp(await afterFirstNight(), data, { recursive: true })
      expect((await nightReport(data, 'day-1')).released).toMatchObject({ event_count: 0 })

      let key = ''
      let secrets = new Map<string, string>()
      await withService(config, async (app, state) => {
        key = (await state.keys.create({ name: 'subscriber', invitations: ['webhooks', 'events'] })).secret
        secrets = await subscribe(app, key, receiver)
      })

      const { released } = await sampleNight(config, 'day-2')
      expect(released?.event_count).toBeGreaterThan(0)
      expect(released?.delivery_count).toBe(released?.event_count)

      await withService(config, async (app, state) => {
        const webhooks = await openWebhooks({ state, config, now: () => NIGHTS['day-2'] })
        const signal = new AbortController().signal
        const counts = await deliverDue({ webhooks, signal, log: silentLog })
        await webhooks.close()
        expect(counts).toEqual({ delivered: released?.delivery_count, retried: 0, failed: 0 })

        const heard = new Set<string>()
        for (const received of receiver.received) {
          const code = received.path.split('/').at(-1) ?? ''
          const notification = verified(received, secrets.get(code) ?? '')
          const url = new URL(notification.links[0]?.url ?? '').pathname
          const reply = await app.inject({ url, headers: { 'x-api-key': key } })
          const { statusCode: status, headers, body } = reply
          expect(described.faultOf({ method: 'GET', url, status, headers, body })).toBeNull()
          const event = reply.json<z.output<typeof DeedEvent>>()
          expect(event).toMatchObject({ id: notification.event_id, event_type: notification.event_type })
          expect(event.data.jurisdiction.state.toLowerCase()).toBe(code)
          heard.add(`${code} ${event.event_type}`)
        }
        expect(heard).toEqual(
          new Set(['fl deed.correction', 'fl deed.transfer', 'ny deed.transfer', 'tx deed.transfer']),
        )
        expect(receiver.received).toHaveLength(released?.delivery_count ?? -1)
      })
    }),
  )
}, 240_000)
