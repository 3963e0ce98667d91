import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/state/database.ts'
import { leaseMs } from '../../src/webhooks/deliver.ts'
import { answer, withReceiver } from './receiver.ts'
import { statusOf, withBoth, withWebhooks } from './support.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('no more than eight at a time go to one host, over all its subscriptions', async () => {
  await withBoth(async (world, receiver) => {
    let now = 0
    let most = 0
    receiver.script = async (response) => {
      now += 1
      most = Math.max(most, now)
      await turn()
      now -= 1
      response.end()
    }
    for (let n = 0; n < 4; n += 1) world.subscribe(`${receiver.url}/${n}`)
    world.release(Array.from({ length: 50 }, (_, n) => ({ id: `e${n}` })))
    expect((await world.deliver()).delivered).toBe(200)
    expect(most).toBeLessThanOrEqual(8)
    expect(most).toBeGreaterThan(1)
  })
})

test('an endpoint that never answers does not hold up the others', async () => {
  await withReceiver(
    (dead) =>
      withReceiver((alive) =>
        withWebhooks(
          async (world) => {
            world.subscribe(dead.url)
            const { id } = world.subscribe(alive.url)
            world.release(Array.from({ length: 100 }, (_, n) => ({ id: `e${n}` })))
            const stop = new AbortController()
            const ended = world.deliver({ signal: stop.signal })
            await expect
              .poll(
                () => world.webhooks.deliveries.list({ subscription_id: id, status: 'delivered' }).length,
                {
                  timeout: 50_000,
                },
              )
              .toBe(100)
            stop.abort()
            expect((await ended).delivered).toBe(100)
          },
          { testHosts: [dead.host, alive.host], internet: { answerWithinMs: 10_000 } },
        ),
      ),
    { script: () => {} },
  )
})

test('what was taken and not begun when it is stopped is due at once for the next', async () => {
  await withBoth(async (world, receiver) => {
    world.subscribe(receiver.url)
    world.release(Array.from({ length: 100 }, (_, n) => ({ id: `e${n}` })))
    const stop = new AbortController()
    receiver.script = (response) => {
      stop.abort()
      response.end()
    }
    const first = await world.deliver({ signal: stop.signal })
    expect(first.delivered).toBeLessThanOrEqual(8)
    const second = await world.deliver()
    expect(first.delivered + second.delivered).toBe(100)
    expect(receiver.received).toHaveLength(100)
  })
})

test('what somebody else has taken is left alone until the lease ends', async () => {
  await withBoth(async (world, receiver) => {
    const { id } = world.subscribe(receiver.url)
    world.release([{ id: 'e1' }, { id: 'e2' }])
    const lease = leaseMs(world.webhooks.sender.answerWithinMs)
    const [taken] = world.webhooks.deliveries.claim(
      world.webhooks.subscriptions.find(id),
      world.at().getTime(),
      'another',
      lease,
      1,
    )
    expect((await world.deliver()).delivered).toBe(1)
    world.pass(lease - 1)
    expect((await world.deliver()).delivered).toBe(0)
    world.pass(1)
    expect((await world.deliver()).delivered).toBe(1)
    expect(statusOf(world, taken?.event_id ?? '')).toBe('delivered')
    expect(receiver.received).toHaveLength(2)
  })
})

test('an attempt that ends after its lease does not undo what the next holder found', async () => {
  await withBoth(async (world, receiver) => {
    const { id } = world.subscribe(receiver.url)
    world.release([{ id: 'e1' }])
    const [late] = world.webhooks.deliveries.claim(
      world.webhooks.subscriptions.find(id),
      world.at().getTime(),
      'late',
      1_000,
      1,
    )
    if (late === undefined) throw new Error('nothing to claim')
    world.pass(1_000)
    expect((await world.deliver()).delivered).toBe(1)
    const failure = { status_code: 500, duration_ms: 5_000, failure: null, retry_after_ms: null, body: '' }
    world.webhooks.deliveries.settle({ claim: late, attempted_at: 0, answer: failure, random: 0.5 })
    expect(statusOf(world, 'e1')).toBe('delivered')
  })
})

test('while another process writes, attempts wait to be written and nothing is lost', async () => {
  await withBoth(async (world, receiver) => {
    world.subscribe(receiver.url)
    world.release(Array.from({ length: 20 }, (_, n) => ({ id: `e${n}` })))
    world.state.db.exec('pragma busy_timeout = 1')
    const other = openDatabase(world.path)
    const warnings: string[] = []
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (_: object, message: string) => warnings.push(message),
    }
    receiver.script = (response) => {
      if (!other.isTransaction) other.exec('begin immediate')
      response.end()
    }
    const ended = world.deliver({ log })
    await expect.poll(() => warnings, { timeout: 50_000 }).toContain('attempts not written yet')
    receiver.script = answer(200)
    other.exec('commit')
    other.close()
    expect((await ended).delivered).toBe(20)
    expect(receiver.received).toHaveLength(20)
  })
})

test('the next time that something is due is known, with pauses and without the inactive', async () => {
  await withBoth(
    async (world, receiver) => {
      const { deliveries, subscriptions } = world.webhooks
      expect(deliveries.nextDueAt(world.at().getTime())).toBeNull()
      const { id, account_id } = world.subscribe(receiver.url)
      world.release([{ id: 'e1' }])
      expect(deliveries.nextDueAt(world.at().getTime())).toBe(world.at().getTime())
      await world.deliver()
      expect(deliveries.nextDueAt(world.at().getTime())).toBeGreaterThanOrEqual(world.at().getTime() + HOUR)
      subscriptions.update(account_id, id, { status: 'inactive' })
      expect(deliveries.nextDueAt(world.at().getTime())).toBeNull()
    },
    {},
    { script: answer(429, { 'retry-after': '3600' }) },
  )
})

test('what is older than the days it is kept for goes, the rest stays', async () => {
  await withBoth(async (world, receiver) => {
    const { id, account_id } = world.subscribe(receiver.url)
    const jurisdiction = { county: 'Travis', state: 'TX', fips_code: '48453' }
    const old = world.webhooks.testEvents.create(account_id, 'deed.*', jurisdiction)
    world.release([{ id: 'e1' }])
    await world.deliver()
    world.pass(DAY)
    const young = world.webhooks.testEvents.create(account_id, 'deed.*', jurisdiction)
    world.release([{ id: 'e2' }])
    await world.deliver()
    expect(world.webhooks.deliveries.prune(world.at().getTime())).toBe(4)
    expect(world.webhooks.deliveries.list({ subscription_id: id })).toMatchObject([{ event_id: 'e2' }])
    expect(world.rows('select event_id from released_events')).toEqual([{ event_id: 'e2' }])
    expect(world.rows('select event_id from delivery_attempts')).toEqual([{ event_id: 'e2' }])
    expect(world.webhooks.testEvents.find(account_id, old.event_id)).toBeNull()
    expect(world.webhooks.testEvents.find(account_id, young.event_id)).not.toBeNull()
  })
})
