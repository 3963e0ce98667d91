import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openState } from '../../src/state/open.ts'
import { withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { INVENTED } from '../support/published.ts'
import { type SmallDisk, mountDisk } from '../support/small-disk.ts'

const CAP = 300

interface Service {
  readonly disk: SmallDisk
  readonly get: (path: string) => Promise<number>
  readonly send: (path: string, type: string, body: string) => Promise<{ status: number; body: string }>
  readonly stop: () => Promise<{ code: number | null; stderr: string }>
}

/** `platbook serve` on a small disk of its own, with a key whose account has a cap. */
async function withService(
  options: readonly string[],
  body: (service: Service) => Promise<void>,
  skip: () => void,
): Promise<void> {
  await withFolder(async (data) => {
    const disk = mountDisk(data, 40_000)
    if (disk === null) {
      skip()
      return
    }
    try {
      await inventedSnapshot(join(data, 'snapshots'))
      const state = await openState(join(data, 'state', 'state.sqlite'))
      const { secret } = await state.keys.create({
        name: 'test',
        monthly_cap: CAP,
        rate_per_second: 100_000,
        burst: 100_000,
        invitations: ['webhooks', 'events'],
      })
      await state.close()
      await withCommand(
        ['serve', '--data', data, '--port', '0', ...options],
        async (serve) => {
          const [, origin = ''] = /listening on (\S+)/.exec(await serve.waitFor(/listening on/)) ?? []
          await body({
            disk,
            get: async (path) => (await fetch(origin + path, { headers: { 'x-api-key': secret } })).status,
            async send(path, type, sent) {
              const headers = { 'x-api-key': secret, 'content-type': type }
              const reply = await fetch(origin + path, { method: 'POST', headers, body: sent })
              return { status: reply.status, body: await reply.text() }
            },
            async stop() {
              serve.process.kill('SIGTERM')
              return serve.ended
            },
          })
        },
        { env: { SHED_AFTER_MS: '3600000', LOG_LEVEL: 'error' } },
      )
    } finally {
      disk.unmount()
    }
  })
}

test.for([[['--workers', '1']], [['--workers', '2']]] as const)(
  'a full disk leaves caps as they are, is told to callers, and does not hold up a stop (%j)',
  async ([options], context) => {
    await withService(
      options,
      async ({ disk, get, send, stop }) => {
        const path = `/v2/person/${INVENTED.jane}`
        expect(await get(path)).toBe(200)
        await disk.fill()
        const statuses = new Map<number, number>()
        for (let asked = 0; asked < 3 * CAP; asked += 20) {
          const answers = await Promise.all(Array.from({ length: 20 }, () => get(path)))
          for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
        expect(new Set(statuses.keys())).toEqual(new Set([200, 429]))
        expect(statuses.get(200)).toBeLessThanOrEqual(CAP - 1)
        expect(statuses.get(200)).toBeGreaterThan(CAP / 2)
        const list = `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(1_500)}`
        expect(await send('/v1/enrichments', 'text/csv', list)).toMatchObject({
          status: 507,
          body: expect.stringContaining('disk') as unknown,
        })
        const webhook = { url: 'https://203.0.113.7/', event_type: 'deed.*', region: 'state:tx' }
        expect((await send('/v1/webhooks/', 'application/json', JSON.stringify(webhook))).status).not.toBe(
          500,
        )
        expect(await get('/v1/account/usage/?start_date=2026-01-01&end_date=2026-01-02')).toBe(200)
        const { code, stderr } = await stop()
        expect(code).toBe(0)
        expect(stderr).toMatch(
          /"billed_by_key":\{"[^"]+":\d+\}.*access events were lost: they could not be written before the process ended/,
        )
      },
      () => context.skip(),
    )
  },
)

test('once the disk has room again what was answered meanwhile counts against the cap', async (context) => {
  await withService(
    [],
    async ({ disk, get }) => {
      const path = `/v2/person/${INVENTED.jane}`
      expect(await get(path)).toBe(200)
      await disk.fill()
      const first = await Promise.all(Array.from({ length: 200 }, () => get(path)))
      await disk.free()
      const rest = await Promise.all(Array.from({ length: 200 }, () => get(path)))
      expect([...first, ...rest].filter((status) => status === 200)).toHaveLength(CAP - 1)
    },
    () => context.skip(),
  )
})
