import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Clock } from '../src/clock.ts'
import type { Config } from '../src/config.ts'
import { EventLedger } from '../src/events/ledger.ts'
import type { Log } from '../src/log.ts'
import { currentSnapshot } from '../src/lookup/current.ts'
import type { State } from '../src/state/open.ts'
import type { ScheduleLedger } from '../src/state/schedule-ledger.ts'
import { deliverDue } from '../src/webhooks/deliver.ts'
import type { Webhooks } from '../src/webhooks/open.ts'
import { lastDaily, lastInterval } from './due.ts'
import { newsSince, releaseNews } from './release.ts'
import type { Job } from './schedule.ts'

export interface JobsOptions {
  readonly config: Config
  readonly state: State
  readonly webhooks: Webhooks
  readonly ledger: ScheduleLedger
  readonly now: Clock
  readonly log: Log
}

const DAY_MS = 86_400_000
/** Runs of the schedule are kept this long. */
const RUNS_KEPT_DAYS = 90
const PRUNE_AT = '05:30'

/** What `platbook schedule` runs. */
export function scheduledJobs(options: JobsOptions): Job[] {
  const { config, state, now } = options
  const daily = (at: string) => (instant: Date) => lastDaily(at, config.SCHEDULE_ZONE, instant)
  return [
    { name: 'nightly', lastDue: daily(config.SCHEDULE_NIGHTLY_AT), run: (signal) => nightly(config, signal) },
    {
      name: 'usage',
      lastDue: (instant) => lastInterval(30, instant),
      run: async () => {
        state.report.refresh(now().getTime())
        return 'usage reports are as of now'
      },
    },
    { name: 'release', lastDue: null, run: () => release(options) },
    { name: 'deliver', lastDue: null, run: (signal) => deliver(options, signal) },
    { name: 'prune', lastDue: daily(PRUNE_AT), run: async () => prune(options) },
  ]
}

const CLI = fileURLToPath(new URL('../src/cli/platbook.mjs', import.meta.url))
const Report = z.object({ version: z.string().nullable(), published: z.boolean() })

/** A night, in a process of its own: requests that this one answers are not slowed by its memory and its engine. */
async function nightly({ paths, PLATBOOK_SOURCES }: Config, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const sources = PLATBOOK_SOURCES === undefined ? [] : ['--sources', PLATBOOK_SOURCES]
  const child = spawn(process.execPath, [CLI, 'nightly', '--json', '--data', paths.root, ...sources], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = (): void => void child.kill('SIGTERM')
  signal.addEventListener('abort', end, { once: true })
  let last = ''
  createInterface(child.stdout).on('line', (line) => (last = line))
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal.throwIfAborted()
    if (code !== 0 && code !== 3)
      throw new Error(`the night ended with exit code ${code}; its own log says why`)
    const { version, published } = Report.parse(JSON.parse(last))
    const outcome = published ? `snapshot ${version}` : `nothing new; snapshot ${version ?? 'none'} stays`
    return code === 3 ? `${outcome}; a source was rolled back` : outcome
  } finally {
    signal.removeEventListener('abort', end)
  }
}

// A night releases its own news; this is for one that was killed between the snapshot and the release.
async function release({ config, state, now, log }: JobsOptions): Promise<string | null> {
  const snapshot = await currentSnapshot(config.paths.snapshots)
  if (snapshot === null) return null
  const released = await releaseNews({
    state,
    snapshot,
    eventStates: config.EVENT_STATES,
    newsDays: config.EVENT_NEWS_DAYS,
    now,
    log,
  })
  return released === null
    ? null
    : `${released.event_count} events, ${released.delivery_count} deliveries of ${snapshot.version}`
}

async function deliver({ webhooks, log }: JobsOptions, signal: AbortSignal): Promise<string | null> {
  const { delivered, retried, failed } = await deliverDue({ webhooks, signal, log })
  if (delivered + retried + failed === 0) return null
  return `${delivered} delivered, ${retried} to try again, ${failed} given up`
}

function prune({ config, state, webhooks, ledger, now }: JobsOptions): string {
  const at = now()
  const before = (days: number): Date => new Date(at.getTime() - days * DAY_MS)
  const rows = webhooks.deliveries.prune(before(config.WEBHOOK_KEEP_DAYS).getTime())
  const events = new EventLedger(state.db).prune(newsSince(at, config.EVENT_NEWS_DAYS))
  const runs = ledger.prune(before(RUNS_KEPT_DAYS))
  return `${rows} rows of webhooks, ${events} events, ${runs} runs`
}
