import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Agent, type ClientRequest, get as httpGet } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openState } from '../../src/state/open.ts'
import { type Running, withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { INVENTED } from '../support/published.ts'

interface Service {
  readonly process: { kill(signal: 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): unknown }
  readonly ended: Promise<{ code: number | null; stderr: string }>
  readonly origin: string
  readonly key: string
  readonly metrics: () => Promise<string>
  readonly eventCount: () => Promise<number>
}

/** `platbook serve` with these options on a port of its own, over the invented world. */
async function withServe(options: string[], body: (service: Service) => Promise<void>): Promise<void> {
  await withFolder(async (data) => {
    await inventedSnapshot(join(data, 'snapshots'))
    const statePath = join(data, 'state', 'state.sqlite')
    const state = await openState(statePath)
    const { secret } = await state.keys.create({ name: 'test', rate_per_second: 1_000_000, burst: 1_000_000 })
    await state.close()
    const argv = ['serve', '--data', data, '--port', '0', '--metrics-port', '0', ...options]
    const serve = async (running: Running): Promise<void> => {
      const stdout = await running.waitFor(/listening on/)
      const [, metricsUrl = ''] = /metrics on (\S+)/.exec(stdout) ?? []
      const [, origin = ''] = /listening on (\S+)/.exec(stdout) ?? []
      await body({
        process: running.process,
        ended: running.ended,
        origin,
        key: secret,
        metrics: async () => (await fetch(metricsUrl)).text(),
        async eventCount() {
          const written = await openState(statePath)
          const row = await written.db.get('select count(*) as count from access_events')
          await written.close()
          return Number(row?.['count'])
        },
      })
    }
    // Nothing is shed because the machine that tests run on is busy.
    await withCommand(argv, serve, { env: { SHED_AFTER_MS: '3600000' } })
  })
}

const PATHS = [
  `/v2/person/${INVENTED.jane}`,
  '/v2/person/?last_name=Smith',
  `/v2/phone/${INVENTED.sharedPhone}`,
]

/** The status of an answer that came whole; null when a connection that was new or gone carried none. */
function ask(url: string, key: string, agent: Agent): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = httpGet(url, { agent, headers: { 'x-api-key': key } }, (reply) => {
      let length = 0
      reply.on('data', (chunk: Buffer) => (length += chunk.length))
      reply.on('error', reject)
      reply.on('end', () => {
        if (length === Number(reply.headers['content-length'])) resolve(reply.statusCode ?? null)
        else reject(new Error('an answer was cut off'))
      })
    })
    // Nobody promises anything to a connection that a closed server never took.
    request.on('error', (error) => (request.reusedSocket ? reject(error) : resolve(null)))
  })
}

/** Keeps asking over kept connections until none is taken any more; counts the answers by status. */
async function load({ origin, key }: Service, clients: number): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true })
  const statuses = new Map<number, number>()
  const client = async (start: number): Promise<void> => {
    for (let n = start; ; n += 1) {
      const status = await ask(`${origin}${PATHS[n % PATHS.length]}`, key, agent)
      if (status === null) return
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, start) => client(start)))
  agent.destroy()
  return statuses
}

const pidsIn = (metrics: string): number[] =>
  [...metrics.matchAll(/platbook_worker_info\{[^}]*pid="(\d+)"/g)].map(([, pid]) => Number(pid))

test('workers share a port and are counted together; one that dies is replaced', async () => {
  await withServe(['--workers', '2'], async ({ origin, key, metrics, process: first, ended }) => {
    const before = pidsIn(await metrics())
    expect(before).toHaveLength(2)
    process.kill(before[0] ?? 0, 'SIGKILL')
    await expect
      .poll(async () => pidsIn(await metrics()).filter((pid) => !before.includes(pid)), { timeout: 30_000 })
      .toHaveLength(1)
    const text = await metrics()
    expect(pidsIn(text)).toHaveLength(2)
    expect(text).toContain('\nplatbook_workers_replaced_total 1\n')
    for (const path of PATHS) {
      expect((await fetch(`${origin}${path}`, { headers: { 'x-api-key': key } })).status).toBe(200)
    }
    expect(await metrics()).toMatch(
      /platbook_http_requests_total\{method="GET",route="\/v2\/person\/\{id\}",status="200"\} 1\n/,
    )
    first.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })
})

// Where the first process accepts for all workers, a connection that it gave to a killed one stays open for ever.
test.runIf(process.platform === 'linux')(
  'connections of a killed worker end, and the others are answered',
  async () => {
    await withServe(['--workers', '2'], async ({ origin, key, metrics }) => {
      const [stopped = 0] = pidsIn(await metrics())
      process.kill(stopped, 'SIGSTOP')
      // Each connection is new: some reach the worker that no longer answers.
      const asked = Array.from({ length: 32 }, async () =>
        fetch(`${origin}${PATHS[0]}`, { headers: { 'x-api-key': key, connection: 'close' } }).then(
          ({ status }) => status,
          () => 'reset',
        ),
      )
      const answered = await Promise.race(asked)
      process.kill(stopped, 'SIGKILL')
      const ends = await Promise.all(asked)
      expect([answered, new Set(ends)]).toEqual([200, new Set([200, 'reset'])])
      await expect.poll(async () => pidsIn(await metrics()), { timeout: 30_000 }).toHaveLength(2)
    })
  },
)

/** Seconds of processor time, by the pid of each worker. */
function cpuOf(metrics: string): Map<number, number> {
  const seconds = [...metrics.matchAll(/platbook_cpu_seconds_total\{worker="\d+"\} (\S+)/g)]
  return new Map(pidsIn(metrics).map((pid, at) => [pid, Number(seconds[at]?.[1])]))
}

test('the first process survives telling a worker that has just died', async () => {
  await withServe(['--workers', '2'], async ({ origin, key, metrics, process: first, ended }) => {
    // One connection: its worker has something to tell, the other one nothing.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const url = `${origin}${PATHS[0]}`
    let answers = 0
    const end = new AbortController()
    const client = (async () => {
      while (!end.signal.aborted) if ((await ask(url, key, agent)) === 200) answers += 1
    })()
    const answered = (more: number): Promise<void> =>
      expect.poll(() => answers, { timeout: 30_000 }).toBeGreaterThan(answers + more)
    await answered(0)
    const before = cpuOf(await metrics())
    await answered(500)
    const after = cpuOf(await metrics())
    const used = (pid: number): number => (after.get(pid) ?? 0) - (before.get(pid) ?? 0)
    const [idle = 0] = [...after.keys()].sort((left, right) => used(left) - used(right))
    first.kill('SIGSTOP')
    await answered(1_000)
    process.kill(idle, 'SIGKILL')
    const state = (): string => execFileSync('ps', ['-o', 'stat=', '-p', String(idle)]).toString()
    await expect.poll(state, { timeout: 30_000 }).toMatch(/^Z/)
    await answered(500)
    first.kill('SIGCONT')
    await expect
      .poll(async () => pidsIn(await metrics()).filter((pid) => pid !== idle), { timeout: 30_000 })
      .toHaveLength(2)
    end.abort()
    await client
    agent.destroy()
    first.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })
})

test.each([[['--workers', '2']], [['--workers', '1']]])(
  'a stop under load (%j) answers every request that was taken, and every one has its access event',
  async (options) => {
    await withServe(options, async (service) => {
      const loaded = load(service, 16)
      await expect
        .poll(async () => service.metrics(), { timeout: 30_000 })
        .toMatch(/status="200"\} [1-9]\d{2}/)
      service.process.kill('SIGTERM')
      const { code, stderr } = await service.ended
      expect([code, stderr]).toEqual([0, ''])
      const statuses = await loaded
      expect([...statuses.keys()]).toEqual([200])
      expect(await service.eventCount()).toBe(statuses.get(200))
    })
  },
)

test.each(['--port', '--metrics-port'])(
  'a port that is taken (%s) ends all workers with an error',
  async (option) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    try {
      await withFolder(async (data) => {
        const ports = { '--port': '0', [option]: String((taken.address() as AddressInfo).port) }
        const argv = ['serve', '--data', data, '--workers', '2', ...Object.entries(ports).flat()]
        await withCommand(argv, async ({ ended }) => {
          const { code, stderr } = await ended
          expect([code, stderr]).toEqual([1, expect.stringContaining('cannot listen on')])
        })
      })
    } finally {
      taken.close()
    }
  },
)
