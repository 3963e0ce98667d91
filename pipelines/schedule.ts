import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Clock } from '../src/clock.ts'
import { AppError, messageOf } from '../src/errors.ts'
import type { Log } from '../src/log.ts'
import type { RunEnd, ScheduleLedger } from '../src/state/schedule-ledger.ts'

/**
 * The result of a run as a short text for the ledger. `failures` names what the run left out. Null when there was
 * nothing to do. A run that throws `warehouse_locked` is tried again at the next tick.
 */
export type JobResult = string | { readonly detail: string; readonly failures: string } | null

export type Job = Readonly<{
  name: string
  run: (signal: AbortSignal) => Promise<JobResult>
}> &
  (
    | {
        /** Returns the last due instant not after `now`. One process runs the job once for each due instant. */
        readonly lastDue: (now: Date) => Date
      }
    | {
        /** Null for a job that every process runs at every tick. The ledger records only runs that did something. */
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
 * Runs jobs when they are due. At every tick it compares the clock with the ledger and has no timer per job. The
 * first tick makes up once for runs that no process made. A job that is still running is not started again, in this
 * or another process.
 */
export class Schedule {
  readonly #options: ScheduleOptions
  readonly #holder = randomUUID()
  #startedAt: Date
  readonly #running = new Map<string, Promise<void>>()
  #ticking = Promise.resolve()
  readonly #stop = new AbortController()

  constructor(options: ScheduleOptions) {
    this.#options = options
    this.#startedAt = options.now()
  }

  /** Starts the due jobs and does not wait for them. A tick waits for the tick before it. */
  tick(): Promise<void> {
    const tick = this.#ticking.then(() => this.#startDue())
    this.#ticking = tick.catch(() => undefined)
    return tick
  }

  async #startDue(): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { jobs, ledger, now } = this.#options
    for (const job of jobs) {
      if (this.#running.has(job.name)) {
        if (job.lastDue !== null) await ledger.renew(job.name, this.#holder, now())
        continue
      }
      if (job.lastDue === null) this.#start(job, null)
      else await this.#startIfDue(job, job.lastDue(now()))
    }
  }

  /** Resolves when no job runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /** Aborts the running jobs and waits for them. Later ticks start nothing. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ticking
    await this.idle()
  }

  async #startIfDue(job: Job, due: Date): Promise<void> {
    const { ledger, now, log } = this.#options
    // The clock was ahead when this process started.
    if (this.#startedAt > now()) this.#startedAt = now()
    // A job that never ran is first run at the next due instant.
    if (due <= ((await ledger.lastServed(job.name, now())) ?? this.#startedAt)) return
    const run_id = await ledger.begin(job.name, this.#holder, due, now())
    if (run_id === null) return
    log.info({ job: job.name, due_at: due.toISOString() }, 'job started')
    this.#start(job, run_id)
  }

  #start(job: Job, run_id: number | null): void {
    const running = this.#run(job, run_id)
      .catch((cause: unknown) =>
        this.#options.log.error(
          { job: job.name, reason: messageOf(cause) },
          'the outcome of a job cannot be written into the state file',
        ),
      )
      .finally(() => this.#running.delete(job.name))
    this.#running.set(job.name, running)
  }

  async #run(job: Job, run_id: number | null): Promise<void> {
    const { ledger, now, log } = this.#options
    const startedAt = now()
    const { status, detail } = await this.#outcome(job)
    if (run_id === null && status === 'done' && detail === null) return
    const end = now()
    const seconds = Math.round((end.getTime() - startedAt.getTime()) / 100) / 10
    if (status === 'failed') log.error({ job: job.name, reason: detail, seconds }, 'job failed')
    else if (status === 'done_with_failures')
      log.warn({ job: job.name, detail, seconds }, 'job ended with failures')
    else if (status === 'waiting') log.debug({ job: job.name, reason: detail }, 'job waits')
    else log.info({ job: job.name, status, detail, seconds }, 'job ended')
    if (run_id === null) await ledger.note(job.name, startedAt, end, status, detail)
    else await ledger.end(run_id, this.#holder, status, detail, end)
  }

  async #outcome(job: Job): Promise<{ status: RunEnd; detail: string | null }> {
    try {
      const result = await job.run(this.#stop.signal)
      if (result === null || typeof result === 'string') return { status: 'done', detail: result }
      return { status: 'done_with_failures', detail: `${result.detail}; not loaded: ${result.failures}` }
    } catch (cause) {
      const detail = messageOf(cause).split('\n')[0] ?? null
      if (this.#stop.signal.aborted) return { status: 'stopped', detail }
      const isInUse = cause instanceof AppError && cause.code === 'warehouse_locked'
      return { status: isInUse ? 'waiting' : 'failed', detail }
    }
  }
}

const TICK_MS = 5_000

/**
 * Runs a tick every five seconds until `signal` is aborted, then stops the jobs. The interval does not follow the
 * system clock.
 */
export async function runSchedule(options: ScheduleOptions, signal: AbortSignal): Promise<void> {
  const schedule = new Schedule(options)
  const tick = async (): Promise<void> => {
    try {
      await schedule.tick()
    } catch (cause) {
      options.log.error({ reason: messageOf(cause) }, 'the schedule could not check its jobs')
    }
  }
  await tick()
  const ticker = setInterval(() => void tick(), TICK_MS)
  if (!signal.aborted) await once(signal, 'abort')
  clearInterval(ticker)
  await schedule.stop()
}
