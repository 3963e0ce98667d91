import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { DELAYS_MS } from '../../src/webhooks/retries.ts'
import { replay } from '../../src/webhooks/release.ts'
import { messageId } from '../../src/webhooks/signing.ts'
import { answer } from './receiver.ts'
import { statusOf, withBoth, type World } from './support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const subscriptionOf = async ({ webhooks }: World, account_id: string) =>
  (await webhooks.subscriptions.list({ account_id }))[0]

describe('a notification', () => {
  test('says which event, and where it is; it verifies with the package of Standard Webhooks', async () => {
    await withBoth(
      async (world, receiver) => {
        const { id, secret } = await world.subscribe(receiver.url)
        await world.release([{ id: '0b0e7c2e-8f0a-5c59-9a68-3c1d3a4f5e6b' }])
        // The package `standardwebhooks` refuses timestamps other than the present.
        world.pass(Date.now() - world.at().getTime())
        expect(await world.deliver()).toEqual({ delivered: 1, retried: 0, failed: 0 })
        const [notification] = receiver.received
        if (notification === undefined) throw new Error('nothing came')
        const verified = new Webhook(secret).verify(
          notification.body,
          notification.headers as Record<string, string>,
        )
        expect(verified).toEqual({
          event_id: '0b0e7c2e-8f0a-5c59-9a68-3c1d3a4f5e6b',
          event_type: 'deed.transfer',
          links: [
            {
              version: '1',
              url: 'https://platbook.example.com/v1/events/0b0e7c2e-8f0a-5c59-9a68-3c1d3a4f5e6b',
            },
          ],
        })
        expect(notification.headers['webhook-id']).toBe(messageId(id, '0b0e7c2e-8f0a-5c59-9a68-3c1d3a4f5e6b'))
      },
      {},
      { isTls: true },
    )
  })

  test('carries both signatures for 24 hours after a rotation, and then the new one', async () => {
    await withBoth(async (world, receiver) => {
      const { id, account_id, secret } = await world.subscribe(receiver.url)
      world.pass(Date.now() - world.at().getTime())
      const fresh = await world.webhooks.subscriptions.rotateSecret(account_id, id)
      await world.release([{ id: 'e1' }])
      await world.deliver()
      const { body, headers } = receiver.received[0] ?? { body: '', headers: {} }
      for (const known of [secret, fresh]) {
        expect(() => new Webhook(known).verify(body, headers as Record<string, string>)).not.toThrow()
      }
      world.pass(DAY)
      await world.release([{ id: 'e2' }])
      await world.deliver()
      expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
      expect(receiver.received[1]?.headers['webhook-signature']).toMatch(/^v1,\S+$/)
    })
  })

  test('is in the log with status, time and the first kilobytes of the answer', async () => {
    await withBoth(
      async (world, receiver) => {
        const { id } = await world.subscribe(receiver.url)
        await world.release([{ id: 'e1' }])
        await world.deliver()
        const [entry] = await world.webhooks.deliveries.list({})
        expect(entry).toMatchObject({
          subscription_id: id,
          event_id: 'e1',
          status: 'delivered',
          attempt_count: 1,
          attempted_at: world.at().getTime(),
          status_code: 201,
          failure: null,
          body: 'x'.repeat(4_096),
        })
        expect(entry?.duration_ms).toBeGreaterThanOrEqual(0)
      },
      {},
      { script: answer(201, {}, 'x'.repeat(10_000)) },
    )
  })

  test('goes to the address that the subscription has at that moment', async () => {
    await withBoth(async (world, receiver) => {
      const { id, account_id } = await world.subscribe(`${receiver.url}/old`)
      await world.release([{ id: 'e1' }])
      await world.webhooks.subscriptions.update(account_id, id, { url: `${receiver.url}/new` })
      await world.deliver()
      expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/new'])
    })
  })
})

describe('a delivery that fails', () => {
  test('is tried ten times by the schedule, with the same webhook-id and a new timestamp, and then given up', async () => {
    await withBoth(
      async (world, receiver) => {
        await world.subscribe(receiver.url)
        await world.release([{ id: 'e1' }])
        for (const [index, wait] of DELAYS_MS.entries()) {
          if (index > 0) {
            const attempted = (
              await world.rows('select max(attempted_at + duration_ms) as at from delivery_attempts')
            )[0]
            const due = Number(attempted?.['at']) + wait
            world.pass(due - world.at().getTime() - 1)
            expect(await world.deliver()).toEqual({ delivered: 0, retried: 0, failed: 0 })
            world.pass(1)
          }
          const isLast = index === DELAYS_MS.length - 1
          expect(await world.deliver()).toEqual({
            delivered: 0,
            retried: isLast ? 0 : 1,
            failed: isLast ? 1 : 0,
          })
        }
        world.pass(10 * DAY)
        expect(await world.deliver()).toEqual({ delivered: 0, retried: 0, failed: 0 })
        expect(receiver.received).toHaveLength(10)
        expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
        expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10)
        expect(await statusOf(world, 'e1')).toBe('failed')
      },
      {},
      { script: answer(500) },
    )
  })

  test.each([301, 302, 307, 308, 400, 404, 500, 503])('%i is a failure and tried again', async (status) => {
    await withBoth(
      async (world, receiver) => {
        await world.subscribe(receiver.url)
        await world.release([{ id: 'e1' }])
        expect(await world.deliver()).toEqual({ delivered: 0, retried: 1, failed: 0 })
        receiver.script = answer(204)
        world.pass(MINUTE)
        expect(await world.deliver()).toEqual({ delivered: 1, retried: 0, failed: 0 })
      },
      {},
      { script: answer(status, { location: 'https://receiver.example.com/' }) },
    )
  })

  test('has its reason in the log', async () => {
    await withBoth(async (world, receiver) => {
      await world.subscribe(receiver.url.replace(/:\d+/, ':1'))
      await world.release([{ id: 'e1' }])
      await world.deliver()
      expect(await world.webhooks.deliveries.list({ status: 'pending' })).toMatchObject([
        { event_id: 'e1', attempt_count: 1, status_code: 0, failure: 'address_refused', body: '' },
      ])
    })
  })

  test.each([429, 502, 504])('with %i leaves the whole endpoint alone for a minute', async (status) => {
    await withBoth(
      async (world, receiver) => {
        await world.subscribe(receiver.url)
        await world.release([{ id: 'e1' }])
        await world.deliver()
        receiver.script = answer(200)
        await world.release([{ id: 'e2' }])
        world.pass(59_000)
        expect(await world.deliver()).toEqual({ delivered: 0, retried: 0, failed: 0 })
        world.pass(MINUTE)
        expect(await world.deliver()).toEqual({ delivered: 2, retried: 0, failed: 0 })
      },
      {},
      { script: answer(status) },
    )
  })

  test('with 429 and Retry-After is tried again no sooner, whatever else waits for that endpoint', async () => {
    await withBoth(
      async (world, receiver) => {
        await world.subscribe(receiver.url)
        await world.release(Array.from({ length: 60 }, (_, n) => ({ id: `e${n}` })))
        const first = await world.deliver()
        // The attempts in progress at the first refusal. The others were handed back untried.
        expect(first.retried).toBe(receiver.received.length)
        expect(first.retried).toBeLessThanOrEqual(world.webhooks.perHost)
        receiver.script = answer(200)
        world.pass(2 * HOUR - MINUTE)
        expect((await world.deliver()).delivered).toBe(0)
        world.pass(2 * MINUTE)
        expect((await world.deliver()).delivered).toBe(60)
        expect((await world.rows('select max(attempt_count) as most from deliveries'))[0]?.['most']).toBe(2)
      },
      {},
      { script: answer(429, { 'retry-after': '7200' }) },
    )
  })
})

describe('a subscription', () => {
  test('becomes inactive at once when its endpoint answers 410, and hears no more', async () => {
    await withBoth(
      async (world, receiver) => {
        const { account_id } = await world.subscribe(receiver.url)
        await world.release(Array.from({ length: 60 }, (_, n) => ({ id: `e${n}` })))
        await world.deliver()
        expect(await subscriptionOf(world, account_id)).toMatchObject({
          status: 'inactive',
          inactive_reason: 'gone',
        })
        expect(receiver.received.length).toBeLessThanOrEqual(world.webhooks.perHost)
        const heard = receiver.received.length
        world.pass(DAY)
        expect((await world.release([{ id: 'later' }])).delivery_count).toBe(0)
        await world.deliver()
        expect(receiver.received).toHaveLength(heard)
      },
      {},
      { script: answer(410) },
    )
  })

  test('that is made active again hears what was still waiting, and by a replay what it missed', async () => {
    await withBoth(
      async (world, receiver) => {
        const { id, account_id } = await world.subscribe(receiver.url)
        await world.release([{ id: 'e1' }])
        await world.deliver()
        const since = world.at()
        await world.release([{ id: 'missed' }])
        receiver.received.length = 0
        receiver.script = answer(200)
        world.pass(MINUTE)
        await world.webhooks.subscriptions.update(account_id, id, { status: 'active' })
        expect(await world.deliver()).toMatchObject({ delivered: 1 })
        expect(await replay(world.state.db, { since, at: world.at() })).toBe(2)
        expect(await world.deliver()).toMatchObject({ delivered: 2 })
        const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
        expect(ids).toHaveLength(3)
        expect(new Set(ids)).toEqual(new Set([messageId(id, 'e1'), messageId(id, 'missed')]))
      },
      {},
      { script: answer(410) },
    )
  })

  test('becomes inactive after five days of nothing but failures', async () => {
    await withBoth(
      async (world, receiver) => {
        const { account_id } = await world.subscribe(receiver.url)
        await world.release([{ id: 'e1' }])
        await world.deliver()
        world.pass(5 * DAY - MINUTE)
        await world.deliver()
        expect(await subscriptionOf(world, account_id)).toMatchObject({ status: 'active' })
        // The next attempt is five minutes later.
        world.pass(6 * MINUTE)
        await world.deliver()
        expect(await subscriptionOf(world, account_id)).toMatchObject({
          status: 'inactive',
          inactive_reason: 'failing',
        })
      },
      {},
      { script: answer(500) },
    )
  })

  test('with a success in between starts its five days anew', async () => {
    await withBoth(async (world, receiver) => {
      const { account_id } = await world.subscribe(receiver.url)
      for (const [status, id] of [
        [500, 'e1'],
        [200, 'e2'],
        [500, 'e3'],
      ] as const) {
        receiver.script = answer(status)
        await world.release([{ id }])
        await world.deliver()
        world.pass(3 * DAY)
      }
      await world.release([{ id: 'e4' }])
      await world.deliver()
      expect(await subscriptionOf(world, account_id)).toMatchObject({ status: 'active' })
    })
  })

  test('whose key is revoked hears nothing more, not even what was waiting', async () => {
    await withBoth(async (world, receiver) => {
      const { account_id } = await world.subscribe(receiver.url)
      await world.release([{ id: 'e1' }])
      for (const { api_key_id } of await world.state.keys.list(account_id))
        await world.state.keys.revoke(api_key_id)
      expect(await world.deliver()).toEqual({ delivered: 0, retried: 0, failed: 0 })
      expect(receiver.received).toEqual([])
    })
  })

  test('survives the replacement of its key: the account hears on after the grace of the old one', async () => {
    await withBoth(async (world, receiver) => {
      const { account_id } = await world.subscribe(receiver.url)
      const [key] = await world.state.keys.list(account_id)
      const { key: next } = await world.state.keys.rotate(key!.api_key_id, 60_000)
      world.pass(60_000)
      await world.release([{ id: 'e1' }])
      expect(await world.deliver()).toMatchObject({ delivered: 1 })
      await world.state.keys.update(next.api_key_id, { expires_at: new Date(world.at().getTime() + 1_000) })
      world.pass(1_000)
      expect(await world.release([{ id: 'e2' }])).toEqual({ event_count: 1, delivery_count: 0 })
      expect(receiver.received).toHaveLength(1)
    })
  })
})
