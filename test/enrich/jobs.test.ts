import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { dataPaths } from '../../src/config.ts'
import { DiskSpace, SHORT_OF_SPACE } from '../../src/enrich/jobs/disk-space.ts'
import { cancelJob, Jobs } from '../../src/enrich/jobs/jobs.ts'
import { silentLog } from '../../src/log.ts'
import { currentSnapshot } from '../../src/lookup/index.ts'
import { openSqlite } from '../../src/state/sqlite.ts'
import { openState, type State } from '../../src/state/open.ts'
import { type Api, inventedSnapshots, withApi } from '../api/support.ts'
import { rowsIn } from '../state/support.ts'
import { withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { IN_POSTGRES, newStatePlace } from '../support/state-place.ts'
import { openFiles, tellsOpenFiles } from '../support/open-files.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'

const ROWS = 20_000
const LIST = `id,name,phone\n${Array.from({ length: ROWS }, (_, at) => `${at + 1},${at % 3 === 0 ? 'Nobody Whatsoever,' : 'Jane Smith,512-555-0101'}`).join('\n')}\n`

interface Job {
  readonly id: string
  readonly status: string
  readonly rows: number | null
  readonly billed: number | null
  readonly finished_at: string | null
  readonly expires_at: string | null
}

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Asks a real process on `data`, which is ended afterwards. */
async function serving<T>(
  data: string,
  body: (ask: (path: string, asked?: Asked) => Promise<Response>, kill: () => Promise<void>) => Promise<T>,
  key: string,
): Promise<T> {
  return withCommand(['serve', '--port', '0', '--data', data], async (service) => {
    const [, address] = /listening on (\S+)/.exec(await service.waitFor(/listening on \S+\n/)) ?? []
    return body(
      (path, asked = {}) =>
        fetch(`${address}${path}`, { ...asked, headers: { 'x-api-key': key, ...asked.headers } }),
      async () => {
        service.process.kill('SIGKILL')
        await service.ended
      },
    )
  })
}

test('a list whose process is killed is taken over by the next one: every row comes once and is billed once', async () => {
  await withFolder(async (data) => {
    const paths = dataPaths(data)
    await inventedSnapshot(paths.snapshots)
    const state = await openState(paths.state, { now: systemClock, log: silentLog })
    const { secret, key } = await state.keys.create({ name: 'test', rate_per_second: 1_000_000 })
    await state.close()
    const id = await serving(
      data,
      async (ask, kill) => {
        const headers = { 'content-type': 'text/csv', prefer: 'respond-async' }
        const reply = await ask('/v1/enrichments', { method: 'POST', headers, body: LIST })
        const { result } = (await reply.json()) as { result: Job }
        const partial = join(paths.out, 'enrichments', result.id, 'result.csv.partial')
        await vi.waitFor(async () => expect((await stat(partial)).size).toBeGreaterThan(0), 30_000)
        await kill()
        return result.id
      },
      secret,
    )
    const db = await openSqlite(paths.state)
    const row = await db.get('select status from enrichments where enrichment_id = ?', id)
    expect(row).toEqual({ status: 'running' })
    // The minute that others wait for a process that may be alive.
    await db.exec('update enrichments set leased_until = leased_until - 60000')
    await db.close()
    await serving(
      data,
      async (ask) => {
        const job = await vi.waitFor(
          async () => {
            const { result } = (await (await ask(`/v1/enrichments/${id}`)).json()) as { result: Job }
            expect(result.status).toBe('done')
            return result
          },
          { timeout: 50_000, interval: 50 },
        )
        const csv = await (await ask(`/v1/enrichments/${id}/result`)).text()
        const rows: Record<string, string>[] = parse(csv, { columns: true })
        expect(rows.map((one) => one['id'])).toEqual(Array.from({ length: ROWS }, (_, at) => String(at + 1)))
        const matched = rows.filter((one) => one['pb_match_status'] === 'matched').length
        expect(job).toMatchObject({ rows: ROWS, billed: matched })
        expect(matched).toBeGreaterThan(ROWS / 2)
        const usage = 'select api_key_id, sum(billable_count) as billed from usage_days group by api_key_id'
        await vi.waitFor(async () => expect(await rowsIn(paths.state, usage)).toEqual([{ api_key_id: key.api_key_id, billed: matched }]), 10_000) // prettier-ignore
      },
      secret,
    )
  })
})

async function send({ app, key }: Api, payload: string): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'text/csv', prefer: 'respond-async' }
  const reply = await app.inject({ method: 'POST', url: '/v1/enrichments', headers, payload })
  return reply.json<{ result: Job }>().result.id
}

async function ended(api: Api, id: string): Promise<Job> {
  return vi.waitFor(
    async () => {
      const reply = await api.get(`/v1/enrichments/${id}`, { 'x-api-key': api.key })
      const { result } = reply.json<{ result: Job }>()
      expect(['done', 'failed']).toContain(result.status)
      return result
    },
    { timeout: 30_000, interval: 20 },
  )
}

// The second service opens the file of the first one in the same folder.
test.skipIf(IN_POSTGRES)(
  'a list that was done, and its result, can be asked for until they expire; then nothing of them is left',
  async () => {
    const snapshots = await inventedSnapshots()
    await withFolder(async (folder) => {
      const env = { ENRICHMENT_KEEP_DAYS: '7' }
      const files = join(folder, 'out', 'enrichments')
      let id = ''
      await withApi(
        async (api) => {
          id = await send(api, 'name,phone\nJane Smith,512-555-0101\ntoo,many,fields\n')
          const { finished_at, expires_at } = await ended(api, id)
          expect(Date.parse(String(expires_at)) - Date.parse(String(finished_at))).toBe(7 * 86_400_000)
          const kept = ['result.csv', 'result.rejected.csv']
          await vi.waitFor(async () => expect((await readdir(join(files, id))).sort()).toEqual(kept))
          api.pass(7 * 86_400_000 - 1)
          for (const path of ['', '/result', '/rejected'])
            expect((await api.get(`/v1/enrichments/${id}${path}`)).statusCode).toBe(200)
          api.pass(1)
          for (const path of ['', '/result', '/rejected'])
            expect((await api.get(`/v1/enrichments/${id}${path}`)).statusCode).toBe(404)
          // Files of a process that was killed while a list came, a day ago and now.
          for (const name of ['enr_left', 'enr_coming']) await mkdir(join(files, name))
          const dayAgo = new Date(Date.now() - 86_400_001)
          await utimes(join(files, 'enr_left'), dayAgo, dayAgo)
        },
        { snapshots, env, folder },
      )
      const start = '2026-07-01T00:00:00Z'
      await withApi(
        async ({ app }) => {
          await app.ready()
          await vi.waitFor(async () => expect(await readdir(files)).toEqual(['enr_coming']))
        },
        { snapshots, env, folder, start },
      )
    })
  },
)

test('however a list is written, its result comes in any form', async () => {
  await withApi(
    async (api) => {
      const lines = ['id;name;phone', '1;"Jane;Smith";512-555-0101']
      for (const list of [
        lines.join('\n'),
        `\ufeff${lines.join('\r\n')}`,
        lines.join('\n').replaceAll(';', '|'),
      ]) {
        const id = await send(api, list)
        await ended(api, id)
        const headers = { 'x-api-key': api.key, accept: 'application/x-ndjson' }
        const { body } = await api.get(`/v1/enrichments/${id}/result`, headers)
        expect(JSON.parse(body)).toMatchObject({ id: '1', phone: '512-555-0101', pb_match_status: 'matched' })
      }
    },
    { snapshots: await inventedSnapshots() },
  )
})

test('a list that fails leaves nothing behind, and what it took of the monthly cap comes back', async () => {
  // There is no snapshot to match it against.
  await withApi(async (api) => {
    const key = await api.newKey({ monthly_cap: 2, rate_per_second: 1_000_000 })
    for (let round = 0; round < 3; round += 1) {
      const id = await send({ ...api, key }, 'name,phone\nJane Smith,512-555-0101\n')
      expect(await ended({ ...api, key }, id)).toMatchObject({
        status: 'failed',
        failure: 'The service failed while it worked on the list: send the list again.',
        billed: null,
      })
      await vi.waitFor(async () => expect(await readdir(join(api.folder, 'out', 'enrichments'))).toEqual([]))
    }
  })
})

interface Desk {
  /** A process's jobs; they start once `ready` says so. */
  readonly process: (ready?: Promise<void>) => Jobs
  readonly create: (jobs: Jobs, rows?: number) => Promise<string>
  /** Lets the minute pass for which a process that says nothing is waited for. */
  readonly forget: (id: string) => void
  readonly statusOf: (id: string) => Promise<string>
  readonly done: string[]
  readonly files: (id: string) => Promise<string[]>
  /** Has who is suppressed be unreadable from now on. */
  readonly loseSuppressions: () => void
  readonly folder: string
  readonly state: State
  readonly account_id: string
}

/** Processes that share a state file and a snapshot, without the service around their jobs. */
async function withJobs(body: (desk: Desk) => Promise<void>, keepFree = 0): Promise<void> {
  const snapshots = await inventedSnapshots()
  const current = (await currentSnapshot(snapshots))!
  await withFolder(async (folder) => {
    const state = await openState(await newStatePlace(folder), { now: systemClock, log: silentLog })
    const { key } = await state.keys.create({ name: 'test' })
    const opened: Jobs[] = []
    const space = new DiskSpace(folder, keepFree)
    const done: string[] = []
    let isLost = false
    const statusOf = async (id: string): Promise<string> => (await opened[0]!.get(id, key.account_id)).status
    try {
      await body({
        folder,
        state,
        account_id: key.account_id,
        done,
        loseSuppressions() {
          isLost = true
        },
        statusOf,
        process(ready = Promise.resolve()) {
          const jobs = new Jobs({
            db: state.db,
            folder: join(folder, 'enrichments'),
            now: systemClock,
            log: silentLog,
            snapshot: () => ready.then(() => ({ ...current, personCount: 100 })),
            snapshotFolder: async () => current.folder,
            async suppressions() {
              if (isLost) throw new Error('the state file is locked')
              return []
            },
            limits: { bytes: 2 ** 30, rows: 1_000_000, ratio: 1e9 },
            jobLimits: { openJobs: 10, storedBytes: 2 ** 30, smallRows: 1_000 },
            space,
            keptFor: 86_400_000,
            onEnded: ({ enrichment_id }) => void done.push(enrichment_id),
          })
          opened.push(jobs)
          return jobs
        },
        async create(jobs, rows = 1) {
          const { id, folder: own } = await jobs.prepare()
          await writeFile(join(own, 'list.csv'), `name,phone\n${'Jane Smith,512-555-0101\n'.repeat(rows)}`)
          const mapping = [{ column: 0, field: 'name', by: 'name' }] as const
          await jobs.create(id, key, { list: 'list.csv', suppress: null, mapping: [...mapping], fields: ['age'], require: [], min_score: 50, max_billable: null, limit: null, top: 1, dedupe: false, dry_run: false, no_header: false, skip_lines: 0, notify: null, is_billed: true, today: '2026-06-01', is_test: false }, { rows, bytes: 1 }) // prettier-ignore
          return id
        },
        async forget(id) {
          await state.db.run('update enrichments set leased_until = 0 where enrichment_id = ?', id)
        },
        files: (id) => readdir(join(folder, 'enrichments', id)),
      })
    } finally {
      for (const jobs of opened) await jobs.close()
      await state.close()
    }
  })
}

test('a job whose process stood still is done once, and stays done, when the same process goes on with it', async () => {
  await withJobs(async ({ process, create, forget, statusOf, done, files }) => {
    const awake = Promise.withResolvers<void>()
    const jobs = process(awake.promise)
    const first = await create(jobs)
    await vi.waitFor(async () => expect(await statusOf(first)).toBe('running'))
    forget(first)
    jobs.start()
    awake.resolve()
    // What is created later has its turn later.
    const last = await create(jobs)
    await vi.waitFor(() => expect(done).toContain(last), 30_000)
    expect([await statusOf(first), done]).toEqual(['done', [first, last]])
    await vi.waitFor(async () => expect(await files(first)).toEqual(['result.csv']))
  })
})

test('a job that waited in a process that stood still, and that another has done meanwhile, is left as it is', async () => {
  await withJobs(async ({ process, create, forget, statusOf, done, files }) => {
    const awake = Promise.withResolvers<void>()
    const still = process(awake.promise)
    const first = await create(still)
    const waiting = await create(still)
    const last = await create(still)
    forget(waiting)
    process().start()
    await vi.waitFor(() => expect(done).toEqual([waiting]), 30_000)
    awake.resolve()
    await vi.waitFor(() => expect(done).toEqual([waiting, first, last]), 30_000)
    expect(await statusOf(waiting)).toBe('done')
    await vi.waitFor(async () => expect(await files(waiting)).toEqual(['result.csv']))
  })
})

test.skipIf(!tellsOpenFiles)('a job that fails before its list is read leaves no file open', async () => {
  await withJobs(async ({ process, create, loseSuppressions, statusOf, folder }) => {
    loseSuppressions()
    // Longer than what is looked at when it is opened.
    const id = await create(process(), 100_000)
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('failed'), 30_000)
    expect(await openFiles(join(folder, 'enrichments'))).toEqual([])
  })
})

test('a small list is done while a large one runs, which another process then cancels: nothing of it is left or billed', async () => {
  await withJobs(async ({ process, create, statusOf, done, files, state, account_id }) => {
    const jobs = process()
    const large = await create(jobs, 1_000_000)
    await vi.waitFor(async () => expect(await statusOf(large)).toBe('running'))
    const small = await create(jobs)
    await vi.waitFor(() => expect(done).toEqual([small]), 30_000)
    expect(await statusOf(large)).toBe('running')
    expect(await cancelJob(state.db, large, Date.now())).toBe(true)
    await vi.waitFor(async () => expect(await files(large).catch(() => null)).toBeNull(), 30_000)
    expect([await statusOf(large), (await jobs.get(large, account_id)).result, done]).toEqual([
      'cancelled',
      null,
      [small],
    ])
    expect(await cancelJob(state.db, large, Date.now())).toBe(false)
  })
})

test('a list that is cancelled while it waits never runs; one that is done is removed with its result', async () => {
  await withJobs(async ({ process, create, statusOf, done, files, account_id }) => {
    const jobs = process()
    const large = await create(jobs, 1_000_000)
    const waiting = await create(jobs, 2_000)
    await jobs.remove(waiting, account_id)
    await jobs.remove(large, account_id)
    expect([await statusOf(large), await statusOf(waiting)]).toEqual(['cancelled', 'cancelled'])
    const last = await create(jobs, 2_000)
    await vi.waitFor(async () => expect(await statusOf(last)).toBe('done'), 30_000)
    expect(done).toEqual([waiting, large, last])
    for (const id of [large, waiting]) expect(await files(id).catch(() => null)).toBeNull()
    await jobs.remove(last, account_id)
    await expect(statusOf(last)).rejects.toThrow(/there is no enrichment/)
    await vi.waitFor(async () => expect(await files(last).catch(() => null)).toBeNull(), 30_000)
  })
})

test('a list is not worked on while the disk has less space than is kept free', async () => {
  await withJobs(async ({ process, create, statusOf, account_id }) => {
    const jobs = process()
    const id = await create(jobs)
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('failed'), 30_000)
    expect((await jobs.get(id, account_id)).failure).toBe(SHORT_OF_SPACE)
  }, 2 ** 60)
})
