import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { leaseMs } from '../../src/webhooks/deliver.ts'
import { ANSWER_WITHIN_MS } from '../../src/webhooks/sender.ts'
import { messageId } from '../../src/webhooks/signing.ts'
import type { Received } from './receiver.ts'
import { withReceiver } from './receiver.ts'
import { withWebhooks } from './support.ts'

const SCRIPT = fileURLToPath(new URL('./deliver-until-killed.ts', import.meta.url))

export function startDelivering(path: string, host: string, aheadMs = 0): ChildProcess {
  return spawn(process.execPath, [SCRIPT, path, host, String(aheadMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/**
 * Kills a delivering process `kills` times, each time during a notification (before or after its answer). Then lets a last process
 * finish. Every event must have arrived at least once, repeats must have the same `webhook-id`, and no delivery may remain.
 */
export async function surviveKills({
  kills,
  perKill,
  seed,
}: {
  kills: number
  perKill: number
  seed: number
}): Promise<void> {
  const random = randomFrom(seed)
  await withReceiver((receiver) =>
    withWebhooks(
      async (world) => {
        const urls = Array.from({ length: 5 }, (_, n) => `${receiver.url}/${n}`)
        const subscriptions = await Promise.all(urls.map((url) => world.subscribe(url)))
        const events = Array.from({ length: Math.ceil((kills * perKill) / 5) }, (_, n) => `e${n}`)
        world.pass(Date.now() - world.at().getTime())
        await world.release(events.map((id) => ({ id })))

        let killAt = 0
        let child: ChildProcess | null = null
        receiver.script = (response) => {
          killAt -= 1
          const isLast = killAt === 0
          // In half of the cases, the answer is already on its way.
          if (!isLast || random() < 0.5) response.end()
          if (isLast) child?.kill('SIGKILL')
        }
        const lease = leaseMs(ANSWER_WITHIN_MS)
        for (let kill = 0; kill < kills; kill += 1) {
          killAt = 1 + Math.floor(random() * perKill * 1.5)
          child = startDelivering(world.path, receiver.host, kill * (lease + 1_000))
          await once(child, 'exit')
        }
        killAt = 0
        const last = startDelivering(world.path, receiver.host, kills * (lease + 1_000))
        expect(await once(last, 'exit')).toEqual([0, null])

        const wanted = subscriptions.flatMap(({ id }) => events.map((event) => messageId(id, event)))
        expect(new Set(receiver.received.map(idOf))).toEqual(new Set(wanted))
        for (const { path, body, headers } of receiver.received) {
          const subscription = subscriptions[Number(path.split('/').at(-1))]
          const { event_id } = JSON.parse(body) as { event_id: string }
          expect(headers['webhook-id']).toBe(messageId(subscription?.id ?? '', event_id))
        }
        expect(await world.rows('select status, count(*) as count from deliveries group by status')).toEqual([
          { status: 'delivered', count: wanted.length },
        ])
        if (world.state.db.kind === 'sqlite')
          expect(await world.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
      },
      { testHosts: [receiver.host] },
    ),
  )
}

const idOf = ({ headers }: Received): string => String(headers['webhook-id'])

// A seeded random generator, so that a failure can be repeated.
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
