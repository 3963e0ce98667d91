import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { schedule as startTicker } from 'node-cron'
import type { Clock } from '../src/clock.ts'
import { messageOf } from '../src/errors.ts'
import type { Log } from '../src/log.ts'
import type { RunEnd, ScheduleLedger } from '../src/state/schedule-ledger.ts'

/** What a run did, in a few words for the ledger; null when there was nothing to do. */
export type Job = Readonly<{
  name: string
  run: (signal: AbortSignal) => Promise<string | null>
}> &
  (
    | {
        /** The last instant not after `now` at which it was due; each is run once, by one process. */
        readonly lastDue: (now: Date) => Date
      }
    | {
        /** At every tick, by any number of processes; only runs that did something stand in the ledger. */
        readonly lastDue: null
      }
  )

export interface ScheduleOptions {
  readonly jobs: readonly Job[]
  readonly ledger: ScheduleLedger
  readonly now: Clock
  readonly log: Log
}

/**
 * Runs jobs when they are due. It looks at the clock and the ledger at every tick and keeps no timer of its own: what
 * was due while no process ran is made up for once, by the first tick; a job that is still going isn't started again,
 * neither here nor by another process.
 */
export class Schedule {
  readonly #options: ScheduleOptions
  readonly #holder = randomUUID()
  readonly #startedAt: Date
  readonly #running = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()

  constructor(options: ScheduleOptions) {
    this.#options = options
    this.#startedAt = options.now()
  }

  /** Starts what is due and returns at once. */
  tick(): void {
    if (this.#stop.signal.aborted) return
    const { jobs, ledger, now } = this.#options
    for (const job of jobs) {
      if (this.#running.has(job.name)) {
        if (job.lastDue !== null) ledger.renew(job.name, this.#holder, now())
        continue
      }
      if (job.lastDue === null) this.#start(job, null)
      else this.#startIfDue(job, job.lastDue(now()))
    }
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /** Asks what runs to end, and waits for it; nothing is started any more. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.idle()
  }

  #startIfDue(job: Job, due: Date): void {
    const { ledger, now, log } = this.#options
    // A job that never ran is not behind: its first run is the next one that falls due.
    if (due <= (ledger.lastServed(job.name, now()) ?? this.#startedAt)) return
    const run_id = ledger.begin(job.name, this.#holder, due, now())
    if (run_id === null) return
    log.info({ job: job.name, due_at: due.toISOString() }, 'job started')
    this.#start(job, run_id)
  }

  #start(job: Job, run_id: number | null): void {
    this.#running.set(
      job.name,
      this.#run(job, run_id).finally(() => this.#running.delete(job.name)),
    )
  }

  async #run(job: Job, run_id: number | null): Promise<void> {
    const { ledger, now, log } = this.#options
    const startedAt = now()
    let status: RunEnd = 'done'
    let detail: string | null
    try {
      detail = await job.run(this.#stop.signal)
    } catch (cause) {
      status = this.#stop.signal.aborted ? 'stopped' : 'failed'
      detail = messageOf(cause).split('\n')[0] ?? null
    }
    if (run_id === null && status === 'done' && detail === null) return
    const end = now()
    const seconds = Math.round((end.getTime() - startedAt.getTime()) / 100) / 10
    if (status === 'failed') log.error({ job: job.name, reason: detail, seconds }, 'job failed')
    else log.info({ job: job.name, status, detail, seconds }, 'job ended')
    if (run_id === null) ledger.note(job.name, startedAt, end, status, detail)
    else ledger.end(run_id, this.#holder, status, detail, end)
  }
}

// What it would print is in our own log.
const QUIET = { info() {}, warn() {}, error() {}, debug() {} }

const EVERY_FIVE_SECONDS = '*/5 * * * * *'

/**
 * Ticks until `signal` is aborted, then lets what runs end. The ticker runs in UTC and the jobs say themselves when
 * they are due: node-cron leaves out a night whose hour the clock skips in spring, and the hour that autumn repeats.
 */
export async function runSchedule(options: ScheduleOptions, signal: AbortSignal): Promise<void> {
  const schedule = new Schedule(options)
  schedule.tick()
  const ticker = startTicker(EVERY_FIVE_SECONDS, () => schedule.tick(), {
    timezone: 'UTC',
    name: 'platbook',
    suppressMissedWarning: true,
    logger: QUIET,
  })
  ticker.on('execution:failed', ({ execution }) =>
    options.log.error({ reason: messageOf(execution?.error) }, 'the schedule could not look at its jobs'),
  )
  if (!signal.aborted) await once(signal, 'abort')
  await ticker.destroy()
  await schedule.stop()
}
