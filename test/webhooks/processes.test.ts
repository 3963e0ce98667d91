import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startDelivering, surviveKills } from './kills.ts'
import { withReceiver } from './receiver.ts'
import { withWebhooks } from './support.ts'

test('a process that is killed loses nothing: every event arrives, repeats under the id they had', async () => {
  await surviveKills({ kills: 6, perKill: 60, seed: 1 })
})

test('two processes at once deliver everything once, and never the same at the same time', async () => {
  await withReceiver((receiver) =>
    withWebhooks(
      async (world) => {
        for (let n = 0; n < 5; n += 1) await world.subscribe(`${receiver.url}/${n}`)
        world.pass(Date.now() - world.at().getTime())
        await world.release(Array.from({ length: 100 }, (_, n) => ({ id: `e${n}` })))
        const seen = new Set<unknown>()
        const twice: unknown[] = []
        receiver.script = (response, { headers }) => {
          const id = headers['webhook-id']
          if (seen.has(id)) twice.push(id)
          seen.add(id)
          setImmediate(() => response.end())
        }
        const processes = [1, 2].map(() => startDelivering(world.path, receiver.host))
        const told = processes.map(async (child) => {
          let text = ''
          child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
          expect(await once(child, 'close')).toEqual([0, null])
          return (JSON.parse(text.split('\n')[1] ?? '') as { delivered: number }).delivered
        })
        const delivered = await Promise.all(told)
        expect(delivered.reduce((sum, count) => sum + count, 0)).toBe(500)
        expect(twice).toEqual([])
        expect(seen.size).toBe(500)
      },
      { testHosts: [receiver.host] },
    ),
  )
})
