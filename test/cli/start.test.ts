import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runCommand, withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'

// As an installation has it by default; commands of other tests have one thread.
const TWO_THREADS = { DUCKDB_THREADS: '2' }
const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url))

interface Served {
  readonly requests: string[]
  readonly key: string
}

/** The requests that `start` prints, as URLs, and the demo key in them. */
function printed(stdout: string): Served {
  const lines = [...stdout.matchAll(/curl -H 'X-Api-Key: (\S+)' '(\S+)'/g)]
  return { requests: lines.map((line) => line[2] ?? ''), key: lines[0]?.[1] ?? '' }
}

async function get(url: string, key = ''): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('an empty folder becomes a service that answers, picks up day 2, and starts again at once', async () => {
  await withFolder(async (data) => {
    const start = ['start', '--data', data, '--port', '0']
    const demo = await withCommand(
      start,
      async (first) => {
        const served = printed(await first.waitFor(/Ctrl-C stops/))
        expect(served.requests).toHaveLength(3)
        const [person, phone, property] = await Promise.all(
          served.requests.map((url) => get(url, served.key)),
        )
        expect(person?.status).toBe(200)
        expect(person?.body['results']).not.toHaveLength(0)
        expect(phone?.body['people']).not.toHaveLength(0)
        expect(property?.body['result']).toMatchObject({
          property_id: expect.stringMatching(/^R[0-9A-Za-z]{10}$/),
        })

        const doctor = await runCommand(['doctor', '--data', data])
        expect(doctor.stdout).toMatch(/us\/ny\/nyc\.acris .*newest 2026-01-05 \(sample\)/)
        expect(doctor).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/no problems found$/m) as string,
        })

        await expectNewSnapshot(data, new URL(served.requests[0] ?? '').origin)
        first.process.kill('SIGTERM')
        expect((await first.ended).code).toBe(0)
        return served
      },
      { env: TWO_THREADS },
    )
    await withCommand(start, async (second) => {
      const stdout = await second.waitFor(/Ctrl-C stops/)
      expect(stdout).not.toContain('first nightly run')
      const { requests, key } = printed(stdout)
      expect(key).toBe(demo.key)
      expect((await get(requests[0] ?? '', key)).status).toBe(200)
    })
  })
}, 180_000)

/** Day 2's files make a snapshot that the running server picks up; the same night again makes none. */
async function expectNewSnapshot(data: string, origin: string): Promise<void> {
  const before = (await get(`${origin}/ready`)).body['snapshot']
  await cp(join(SAMPLE, 'day-2'), join(data, 'landing', 'day-2'), { recursive: true })
  const night = await runCommand(['nightly', '--data', data, '--json'], { env: TWO_THREADS })
  expect(night.code).toBe(0)
  const { version } = JSON.parse(night.stdout) as { version: string }
  expect(version).not.toBe(before)
  await expect
    .poll(async () => (await get(`${origin}/ready`)).body['snapshot'], { timeout: 10_000 })
    .toBe(version)
  const again = await runCommand(['nightly', '--data', data, '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ published: false, version })
}
