import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Clock } from '../src/clock.ts'
import type { Config } from '../src/config.ts'
import { AppError, EXIT_LATER } from '../src/errors.ts'
import { EventLedger } from '../src/events/ledger.ts'
import type { Log } from '../src/log.ts'
import { currentSnapshot } from '../src/lookup/format/current.ts'
import { Notices } from '../src/notify/notices.ts'
import { isNotifying, noteConditions, sendNotices } from '../src/notify/notify.ts'
import { serviceConditions } from '../src/notify/service-conditions.ts'
import type { State } from '../src/state/open.ts'
import { RunLedger, type RunStep } from '../src/state/run-ledger.ts'
import type { ScheduleLedger } from '../src/state/schedule-ledger.ts'
import { deliverDue } from '../src/webhooks/deliver.ts'
import type { Webhooks } from '../src/webhooks/open.ts'
import { lastDaily, lastInterval } from './due.ts'
import { releaseNews } from './release.ts'
import type { Job, JobResult } from './schedule.ts'

export interface JobsOptions {
  readonly config: Config
  readonly state: State
  readonly webhooks: Webhooks
  readonly ledger: ScheduleLedger
  readonly now: Clock
  readonly log: Log
  /** More arguments of `platbook nightly`: the options of its engine. */
  readonly nightlyArguments?: readonly string[]
}

const DAY_MS = 86_400_000
/** Runs of the schedule are deleted after this many days. */
const RUNS_KEPT_DAYS = 90
const PRUNE_AT = '05:30'

/** Returns the jobs that `platbook schedule` runs. */
export function scheduledJobs(options: JobsOptions): Job[] {
  const { config, state, now } = options
  const nightlyRuns = new NightlyRuns(options)
  const daily = (at: string) => (instant: Date) => lastDaily(at, config.SCHEDULE_ZONE, instant)
  return [
    {
      name: 'nightly',
      lastDue: daily(config.SCHEDULE_NIGHTLY_AT),
      run: (signal) => nightlyRuns.run(signal),
    },
    {
      name: 'usage',
      lastDue: (instant) => lastInterval(30, instant),
      run: async () => {
        await state.report.refresh(now().getTime())
        return 'usage reports refreshed'
      },
    },
    { name: 'release', lastDue: null, run: () => release(options) },
    { name: 'deliver', lastDue: null, run: (signal) => deliver(options, signal) },
    { name: 'notify', lastDue: null, run: () => notify(options) },
    { name: 'prune', lastDue: daily(PRUNE_AT), run: async () => prune(options) },
  ]
}

const CLI = fileURLToPath(new URL('../src/cli/platbook.mjs', import.meta.url))
const Report = z.object({ version: z.string().nullable(), published: z.boolean() })

/** When a nightly run found the warehouse in use, no process is started for this long while the other run lives. */
const BELIEVED_MS = 60_000
const IN_USE = 'another process uses the warehouse; the next tick tries again'

/** Starts nightly runs as processes of their own, so that requests to this process keep their memory and processor. */
class NightlyRuns {
  readonly #options: JobsOptions
  #refusedAt = 0

  constructor(options: JobsOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<JobResult> {
    signal.throwIfAborted()
    const { config, state, now, nightlyArguments = [] } = this.#options
    const ledger = new RunLedger(state.db)
    const startedAt = now()
    const isRecent = Math.abs(startedAt.getTime() - this.#refusedAt) < BELIEVED_MS
    if (isRecent && (await ledger.running()).some(isAlive)) throw new AppError('warehouse_locked', IN_USE)
    const { paths, PLATBOOK_SOURCES } = config
    const sources = PLATBOOK_SOURCES === undefined ? [] : ['--sources', PLATBOOK_SOURCES]
    const argv = ['nightly', '--json', '--data', paths.root, ...sources, ...nightlyArguments]
    const child = spawn(process.execPath, [CLI, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
    const end = (): void => void child.kill('SIGTERM')
    signal.addEventListener('abort', end, { once: true })
    let last = ''
    createInterface(child.stdout).on('line', (line) => (last = line))
    try {
      const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
      signal.throwIfAborted()
      if (code === EXIT_LATER) {
        this.#refusedAt = now().getTime()
        throw new AppError('warehouse_locked', IN_USE)
      }
      const steps = await stepsOf(ledger, child.pid, startedAt, now())
      if (code !== 0 && code !== 3) throw new Error(failureOf(steps, killedBy ?? `exit code ${code}`))
      const { version, published } = Report.parse(JSON.parse(last))
      const detail = published
        ? `snapshot ${version}`
        : version === null
          ? 'no new data, no snapshot'
          : `no new data; snapshot ${version} stays current`
      const failures = steps.find(({ outcome }) => outcome === 'done_with_failures')?.reason
      return failures == null ? detail : { detail, failures }
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
}

function isAlive({ pid }: RunStep): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function stepsOf(
  ledger: RunLedger,
  pid: number | undefined,
  since: Date,
  now: Date,
): Promise<RunStep[]> {
  if (pid === undefined) return []
  await ledger.noteEnd(pid, now)
  return ledger.ofProcess(pid, since)
}

function failureOf(steps: readonly RunStep[], end: string): string {
  const failed = steps.find(({ outcome }) => outcome === 'failed' || outcome === 'killed')
  if (failed === undefined) return `the run ended before its first step (${end}); its log has the reason`
  return `${failed.step} ${failed.outcome} (${end}): ${failed.reason ?? 'no reason recorded'}`
}

// Releases the events of a snapshot whose nightly run was killed between publication and release.
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

async function notify({ config, state, now, log }: JobsOptions): Promise<string | null> {
  if (!isNotifying(config)) return null
  const options = { config, db: state.db, now, log }
  await noteConditions(options, 'service', await serviceConditions(config, state.db, now()))
  const { sent, failed } = await sendNotices(options)
  return sent === 0 ? null : `${sent} notifications sent, ${failed} failed`
}

/**
 * Deletes old rows of webhooks, events and runs. Deletes by age only when the ledger has a run that is 12 to 48
 * hours old. Otherwise the clock may have jumped, and every row would look old.
 */
async function prune({ config, state, webhooks, ledger, now, log }: JobsOptions): Promise<string> {
  const at = now()
  const before = (days: number): Date => new Date(at.getTime() - days * DAY_MS)
  const future = await ledger.forgetFuture(at)
  const notes = future === 0 ? [] : [`${future} runs with a date in the future`]
  if (!(await ledger.isPlausible(at))) {
    const reason =
      'the ledger has no run of the schedule from 12 to 48 hours ago: the clock may have jumped, or the schedule was stopped'
    log.warn({ now: at.toISOString(), reason }, 'no old rows deleted')
    return [...notes, `no old rows deleted: ${reason}`].join(', ')
  }
  const rows = await webhooks.deliveries.prune(before(config.WEBHOOK_KEEP_DAYS).getTime())
  const events = await new EventLedger(state.db).prune(at, config.EVENT_NEWS_DAYS)
  await new Notices(state.db).prune(before(RUNS_KEPT_DAYS))
  const runs =
    (await ledger.prune(before(RUNS_KEPT_DAYS))) +
    (await new RunLedger(state.db).prune(before(RUNS_KEPT_DAYS)))
  return [...notes, `${rows} rows of webhooks`, `${events} events`, `${runs} runs`].join(', ')
}
