import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scheduledJobs } from '../../pipelines/jobs.ts'
import type { Job } from '../../pipelines/schedule.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { openState, type State } from '../../src/state/open.ts'
import { RunLedger } from '../../src/state/run-ledger.ts'
import { ScheduleLedger } from '../../src/state/schedule-ledger.ts'
import { openWebhooks } from '../../src/webhooks/open.ts'
import { withFolder } from '../support/folder.ts'

interface Jobs {
  readonly config: Config
  readonly state: State
  readonly job: (name: string) => Job
}

async function withJobs(
  body: (jobs: Jobs) => Promise<void>,
  { now = () => new Date(), nightlyArguments = [] }: { now?: () => Date; nightlyArguments?: string[] } = {},
): Promise<void> {
  await withFolder(async (data) => {
    const config = loadConfig({ LOG_LEVEL: 'silent' }, { data })
    const state = await openState(config.paths.state, { now })
    const webhooks = await openWebhooks({ state, config, now })
    try {
      const ledger = new ScheduleLedger(state.db)
      const jobs = scheduledJobs({ config, state, webhooks, ledger, now, log: silentLog, nightlyArguments })
      await body({ config, state, job: (name) => jobs.find((job) => job.name === name)! })
    } finally {
      await webhooks.close()
      await state.close()
    }
  })
}

/** Another process that holds the warehouse until `release` is called. */
async function holdWarehouse(config: Config): Promise<{ release: () => Promise<void> }> {
  await mkdir(dirname(config.paths.warehouse), { recursive: true })
  const script = `const { DuckDBInstance } = await import('@duckdb/node-api')
    await DuckDBInstance.create(${JSON.stringify(config.paths.warehouse)})
    console.log('held')
    setInterval(() => {}, 1e6)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return {
    release: async () => {
      holder.kill('SIGKILL')
      await once(holder, 'close')
    },
  }
}

test('a nightly run gets the options of the engine', async () => {
  await withJobs(
    async ({ job }) => {
      await expect(job('nightly').run(new AbortController().signal)).rejects.toThrow('exit code 2')
    },
    { nightlyArguments: ['--engine', 'hadoop'] },
  )
})

test('a nightly run waits while another process uses the warehouse, then names the sources that failed', async () => {
  await withJobs(async ({ config, state, job }) => {
    const feed = join(config.paths.landing, 'us-nanpa-central-office-codes')
    await mkdir(feed, { recursive: true })
    await writeFile(join(feed, 'allutlzd_20260105.txt'), 'no\tcolumn\tis\tthere\n1\t2\t3\t4\n')
    const { signal } = new AbortController()
    const holder = await holdWarehouse(config)
    await expect(job('nightly').run(signal)).rejects.toMatchObject({ code: 'warehouse_locked' })
    expect(await new RunLedger(state.db).latest()).toEqual([])
    await holder.release()

    expect(await job('nightly').run(signal)).toMatchObject({
      detail: expect.stringMatching(/^snapshot /) as string,
      failures: expect.stringMatching(/^us\/nanpa\.central-office-codes failed, /) as string,
    })
    expect(await new RunLedger(state.db).latest()).toMatchObject([
      { step: 'ingest', outcome: 'done_with_failures' },
      { step: 'normalize', outcome: 'done' },
      { step: 'link', outcome: 'done' },
      { step: 'publish', outcome: 'done' },
      { step: 'events', outcome: 'done' },
    ])
  })
}, 180_000)

test('a nightly run that fails is named by its step, and one that is killed too', async () => {
  await withJobs(async ({ config, state, job }) => {
    await mkdir(config.paths.landing)
    // The folder of the snapshots cannot be made.
    await writeFile(config.paths.snapshots, '')
    const { signal } = new AbortController()
    await expect(job('nightly').run(signal)).rejects.toThrow(/^publish failed \(exit code 1\): /)

    const ledger = new RunLedger(state.db)
    await ledger.beginStep(await ledger.begin(new Date()), 'link', new Date())
    await ledger.noteEnd(process.pid, new Date())
    expect(await ledger.ofProcess(process.pid, new Date(0))).toMatchObject([
      { step: 'link', outcome: 'killed' },
    ])
  })
}, 180_000)

test('pruning waits until the clock has gone on for a day, and removes runs that are due in the future', async () => {
  let at = new Date('2026-03-01T05:30:00Z')
  await withJobs(
    async ({ state, job }) => {
      const schedule = new ScheduleLedger(state.db)
      const note = async (day: string): Promise<void> =>
        schedule.note('deliver', new Date(day), new Date(day), 'done', 'some')
      await note('2025-11-01T00:00:00Z')
      await note('2026-02-28T05:00:00Z')
      const { signal } = new AbortController()
      at = new Date('2027-03-01T05:30:00Z')
      expect(await job('prune').run(signal)).toMatch(
        /^no old rows deleted: the ledger has no run of the schedule/,
      )
      expect(await schedule.last(9)).toHaveLength(2)
      await note('2027-03-01T05:30:00Z')
      at = new Date('2026-03-01T05:30:00Z')
      expect(await job('prune').run(signal)).toBe(
        '1 runs with a date in the future, 0 rows of webhooks, 0 events, 1 runs',
      )
      expect(await schedule.last(9)).toMatchObject([{ started_at: '2026-02-28T05:00:00.000Z' }])
    },
    { now: () => at },
  )
})
