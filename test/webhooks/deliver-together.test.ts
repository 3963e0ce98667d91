import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/state/sqlite.ts'
import { silentLog } from '../../src/log.ts'
import { deliverContinually, type DeliveryCounts, deliverDue, leaseMs } from '../../src/webhooks/deliver.ts'
import { answer, type Receiver, type Script, withReceiver } from './receiver.ts'
import { statusOf, withBoth, withWebhooks, type World } from './support.ts'
import { IN_POSTGRES } from '../support/state-place.ts'

type Subscribed = Awaited<ReturnType<World['subscribe']>>

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
    for (let n = 0; n < 4; n += 1) await world.subscribe(`${receiver.url}/${n}`)
    await world.release(Array.from({ length: 50 }, (_, n) => ({ id: `e${n}` })))
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
            await world.subscribe(dead.url)
            const { id } = await world.subscribe(alive.url)
            await world.release(Array.from({ length: 100 }, (_, n) => ({ id: `e${n}` })))
            const stop = new AbortController()
            const ended = world.deliver({ signal: stop.signal })
            await expect
              .poll(
                async () =>
                  (await world.webhooks.deliveries.list({ subscription_id: id, status: 'delivered' })).length,
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
    await world.subscribe(receiver.url)
    await world.release(Array.from({ length: 100 }, (_, n) => ({ id: `e${n}` })))
    const stop = new AbortController()
    let taken = 0
    receiver.script = async (response) => {
      // After a quick answer, more deliveries are leased in advance than are in progress.
      if (receiver.received.length > 8 && !stop.signal.aborted) {
        taken = Number(
          (await world.rows('select count(*) as n from deliveries where lease is not null'))[0]?.['n'],
        )
        stop.abort()
      }
      response.end()
    }
    const first = await world.deliver({ signal: stop.signal })
    expect(taken).toBeGreaterThan(8)
    expect(first.delivered).toBeLessThanOrEqual(16)
    expect(await world.rows('select delivery_id from deliveries where lease is not null')).toEqual([])
    const second = await world.deliver()
    expect(first.delivered + second.delivered).toBe(100)
    expect(receiver.received).toHaveLength(100)
  })
})

test.each([429, 410])(
  'what was taken ahead for an endpoint is not sent any more once it has answered %i',
  async (status) => {
    await withBoth(async (world, receiver) => {
      await world.subscribe(receiver.url)
      await world.release(Array.from({ length: 100 }, (_, n) => ({ id: `e${n}` })))
      receiver.script = (response) => {
        response.writeHead(receiver.received.length > 8 ? status : 200)
        response.end()
      }
      const counts = await world.deliver()
      expect(counts).toMatchObject({ delivered: 8, failed: 0 })
      // Only the attempts that were in progress at the first refusal.
      expect(receiver.received.length).toBeLessThanOrEqual(16)
      expect(counts.retried).toBe(receiver.received.length - 8)
    })
  },
)

test('an attempt begins only when its lease lasts to its end', async () => {
  await withBoth(async (world, receiver) => {
    const { answerWithinMs } = world.webhooks.sender
    await world.subscribe(receiver.url)
    await world.release(Array.from({ length: 60 }, (_, n) => ({ id: `e${n}` })))
    const left: number[] = []
    const leaseOf = async (event_id: string): Promise<number> =>
      Number(
        (await world.rows(`select due_at from deliveries where event_id = '${event_id}'`))[0]?.['due_at'],
      )
    receiver.script = async (response, { body }) => {
      const { event_id } = JSON.parse(body) as { event_id: string }
      left.push((await leaseOf(event_id)) - world.at().getTime())
      // The leases of the third eight end before their turn.
      if (left.length === 9) world.pass(leaseMs(answerWithinMs) - answerWithinMs + 1)
      response.end()
    }
    expect((await world.deliver()).delivered).toBe(60)
    // These eight were in progress when the time passed.
    const begunLater = left.filter((_, index) => index < 9 || index >= 16)
    expect(Math.min(...begunLater)).toBeGreaterThanOrEqual(answerWithinMs)
  })
})

test('a lease lasts for six attempts: what a killed process had taken is due again after 90 seconds', () => {
  expect(leaseMs(15_000)).toBe(90_000)
})

function noRandomness(): number {
  throw new Error('no randomness')
}

test('a fault of this program ends the delivery with its cause', async () => {
  await withBoth(async (world, receiver) => {
    await world.subscribe(receiver.url)
    await world.release([{ id: 'e1' }])
    const { webhooks } = world
    const signal = new AbortController().signal
    const options = { webhooks, signal, log: silentLog, random: noRandomness }
    await expect(deliverDue(options)).rejects.toThrow('no randomness')
  })
})

test('continual delivery looks again until it is stopped, and returns the sums of all looks', async () => {
  await withBoth(async (world, receiver) => {
    await world.subscribe(receiver.url)
    await world.release([{ id: 'e1' }, { id: 'e2' }])
    receiver.script = (response, { body }) => {
      response.writeHead(body.includes('"e1"') ? 500 : 200)
      response.end()
    }
    const stop = new AbortController()
    const logged: object[] = []
    const info = async (counts: object): Promise<void> => {
      logged.push({ ...counts })
      // Late enough for the first answers, and too early for the retry.
      world.pass(2_000)
      if (logged.length === 1) await world.release([{ id: 'e3' }])
      else stop.abort()
    }
    const { webhooks } = world
    const log = { ...silentLog, info }
    expect(await deliverContinually({ webhooks, signal: stop.signal, log, random: () => 0.5 })).toEqual({
      delivered: 2,
      retried: 1,
      failed: 0,
    })
    expect(logged).toEqual([
      { delivered: 1, retried: 1, failed: 0 },
      { delivered: 1, retried: 0, failed: 0 },
    ])
  })
})

/** Two endpoints in one round. `first` answers by its script; `second` answers when the log has an attempt of `first`. */
async function whileSecondIsUnderWay(
  first: Script,
  meanwhile: (world: World, firstReceiver: Receiver, subscription: Subscribed) => void | Promise<void>,
  prepare: (world: World) => void | Promise<void> = () => {},
): Promise<{ counts: DeliveryCounts; received: number }> {
  return withReceiver((a) =>
    withReceiver((b) =>
      withWebhooks(
        async (world) => {
          await prepare(world)
          a.script = first
          const subscription = await world.subscribe(a.url)
          await world.subscribe(b.url)
          await world.release([{ id: 'e1' }])
          b.script = async (response) => {
            while ((await world.rows('select 1 from delivery_attempts')).length === 0) await turn()
            b.script = answer(200)
            await meanwhile(world, a, subscription)
            response.end()
          }
          return { counts: await world.deliver(), received: a.received.length }
        },
        { testHosts: [a.host, b.host] },
      ),
    ),
  )
}

test('an endpoint that asked to be left alone is called again in the same round when its owner says so', async () => {
  const { counts, received } = await whileSecondIsUnderWay(
    answer(429, { 'retry-after': '7200' }),
    async (world, receiver, { id, account_id }) => {
      receiver.script = answer(200)
      await world.release([{ id: 'e2' }])
      world.pass(1)
      await world.webhooks.subscriptions.update(account_id, id, { status: 'active' })
    },
  )
  // e1 and e2 at the second endpoint, and e2 at the first. At the first, e1 waits for two hours.
  expect(counts).toEqual({ delivered: 3, retried: 1, failed: 0 })
  expect(received).toBe(2)
})

test('an endpoint that stays an endpoint of the round is left alone until its pause has passed', async () => {
  const { counts, received } = await whileSecondIsUnderWay(
    answer(429, { 'retry-after': '7200' }),
    async (world, receiver) => {
      receiver.script = answer(200)
      await world.release([{ id: 'e2' }])
      world.pass(3_600_000)
    },
  )
  expect(counts).toEqual({ delivered: 2, retried: 1, failed: 0 })
  expect(received).toBe(1)
})

test('a round ends also when a pause is over in the file and not yet in memory', async () => {
  let pass: World['pass'] | null = null
  const { counts } = await whileSecondIsUnderWay(
    (response) => {
      // The answer takes a second by the service's clock, so the pause in memory begins a second later.
      pass?.(1_000)
      response.writeHead(429)
      response.end()
    },
    (world) => world.pass(59_900),
    (world) => {
      pass = world.pass
    },
  )
  expect(counts).toEqual({ delivered: 1, retried: 1, failed: 0 })
})

test('what somebody else has taken is left alone until the lease ends', async () => {
  await withBoth(async (world, receiver) => {
    const { id } = await world.subscribe(receiver.url)
    await world.release([{ id: 'e1' }, { id: 'e2' }])
    const lease = leaseMs(world.webhooks.sender.answerWithinMs)
    const [taken] = await world.webhooks.deliveries.claim(
      await world.webhooks.subscriptions.find(id),
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
    expect(await statusOf(world, taken?.event_id ?? '')).toBe('delivered')
    expect(receiver.received).toHaveLength(2)
  })
})

test('an attempt that ends after its lease does not undo what the next holder found', async () => {
  await withBoth(async (world, receiver) => {
    const { id } = await world.subscribe(receiver.url)
    await world.release([{ id: 'e1' }])
    const [late] = await world.webhooks.deliveries.claim(
      await world.webhooks.subscriptions.find(id),
      world.at().getTime(),
      'late',
      1_000,
      1,
    )
    if (late === undefined) throw new Error('nothing to claim')
    world.pass(1_000)
    expect((await world.deliver()).delivered).toBe(1)
    const failure = { status_code: 500, duration_ms: 5_000, failure: null, retry_after_ms: null, body: '' }
    await world.webhooks.deliveries.settle({ claim: late, attempted_at: 0, response: failure, random: 0.5 })
    expect(await statusOf(world, 'e1')).toBe('delivered')
  })
})

test.skipIf(IN_POSTGRES)(
  'while another process writes, attempts wait to be written and nothing is lost',
  async () => {
    await withBoth(async (world, receiver) => {
      await world.subscribe(receiver.url)
      await world.release(Array.from({ length: 20 }, (_, n) => ({ id: `e${n}` })))
      const other = await openSqlite(world.path)
      let isLocked = false
      const lock = async (): Promise<void> => {
        isLocked = true
        await other.exec('begin immediate')
      }
      const warnings: string[] = []
      const log = {
        debug() {},
        info() {},
        error() {},
        warn: (_: object, message: string) => warnings.push(message),
      }
      receiver.script = async (response) => {
        if (!isLocked) await lock()
        response.end()
      }
      const ended = world.deliver({ log })
      await expect
        .poll(() => warnings, { timeout: 50_000 })
        .toContain('delivery attempts could not be written and will be written again')
      receiver.script = answer(200)
      await other.exec('commit')
      await other.close()
      expect((await ended).delivered).toBe(20)
      expect(receiver.received).toHaveLength(20)
    })
  },
)

test('the next time that something is due is known, with pauses and without the inactive', async () => {
  await withBoth(
    async (world, receiver) => {
      const { deliveries, subscriptions } = world.webhooks
      expect(await deliveries.nextDueAt(world.at().getTime())).toBeNull()
      const { id, account_id } = await world.subscribe(receiver.url)
      await world.release([{ id: 'e1' }])
      expect(await deliveries.nextDueAt(world.at().getTime())).toBe(world.at().getTime())
      await world.deliver()
      expect(await deliveries.nextDueAt(world.at().getTime())).toBeGreaterThanOrEqual(
        world.at().getTime() + HOUR,
      )
      await subscriptions.update(account_id, id, { status: 'inactive' })
      expect(await deliveries.nextDueAt(world.at().getTime())).toBeNull()
    },
    {},
    { script: answer(429, { 'retry-after': '3600' }) },
  )
})

test('what is older than the days it is kept for goes, the rest stays', async () => {
  await withBoth(async (world, receiver) => {
    const { id, account_id } = await world.subscribe(receiver.url)
    const jurisdiction = { county: 'Travis', state: 'TX', fips_code: '48453' }
    const old = await world.webhooks.testEvents.create(account_id, 'deed.*', jurisdiction)
    await world.release([{ id: 'e1' }])
    await world.deliver()
    world.pass(DAY)
    const young = await world.webhooks.testEvents.create(account_id, 'deed.*', jurisdiction)
    await world.release([{ id: 'e2' }])
    await world.deliver()
    expect(await world.webhooks.deliveries.prune(world.at().getTime())).toBe(4)
    expect(await world.webhooks.deliveries.list({ subscription_id: id })).toMatchObject([{ event_id: 'e2' }])
    expect(await world.rows('select event_id from released_events')).toEqual([{ event_id: 'e2' }])
    expect(await world.rows('select event_id from delivery_attempts')).toEqual([{ event_id: 'e2' }])
    expect(await world.webhooks.testEvents.find(account_id, old.event_id)).toBeNull()
    expect(await world.webhooks.testEvents.find(account_id, young.event_id)).not.toBeNull()
  })
})

test('the log shows the last hundred deliveries, newest first, or as many as are asked for', async () => {
  await withWebhooks(async (world) => {
    const { id } = await world.subscribe('https://receiver.example.com/hook')
    await world.release(Array.from({ length: 102 }, (_, n) => ({ id: `e${n}` })))
    const listed = await world.webhooks.deliveries.list({ subscription_id: id })
    expect(listed).toHaveLength(100)
    expect(listed[0]).toMatchObject({
      event_id: 'e101',
      status: 'pending',
      attempt_count: 0,
      attempted_at: null,
    })
    expect(await world.webhooks.deliveries.list({ limit: 1 })).toHaveLength(1)
    expect(await world.webhooks.deliveries.list({ since: world.at().getTime() + 1 })).toEqual([])
    expect(await world.webhooks.deliveries.list({ subscription_id: 'wh_none' })).toEqual([])
  })
})
