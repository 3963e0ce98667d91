import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Clock } from '../src/clock.ts'
import { AppError, messageOf } from '../src/errors.ts'
import type { Log } from '../src/log.ts'
import type { RunEnd, ScheduleLedger } from '../src/state/schedule-ledger.ts'

/**
 * The result of a run, in a few words for the ledger; `failures` names what it could not do. Null when there was nothing to
 * do. A run that throws `warehouse_locked` is tried again at the next tick.
 */
export type JobResult = string | { readonly detail: string; readonly failures: string } | null

export type Job = Readonly<{
  name: string
  run: (signal: AbortSignal) => Promise<JobResult>
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
  #startedAt: Date
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
    // The clock was ahead when this process started.
    if (this.#startedAt > now()) this.#startedAt = now()
    // A job that never ran is not behind: its first run is the next one that falls due.
    if (due <= (ledger.lastServed(job.name, now()) ?? this.#startedAt)) return
    const run_id = ledger.begin(job.name, this.#holder, due, now())
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
    if (run_id === null) ledger.note(job.name, startedAt, end, status, detail)
    else ledger.end(run_id, this.#holder, status, detail, end)
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

/** Ticks until `signal` is aborted, then lets what runs end. The interval does not depend on the clock of the machine. */
export async function runSchedule(options: ScheduleOptions, signal: AbortSignal): Promise<void> {
  const schedule = new Schedule(options)
  const tick = (): void => {
    try {
      schedule.tick()
    } catch (cause) {
      options.log.error({ reason: messageOf(cause) }, 'the schedule could not look at its jobs')
    }
  }
  tick()
  const ticker = setInterval(tick, TICK_MS)
  if (!signal.aborted) await once(signal, 'abort')
  clearInterval(ticker)
  await schedule.stop()
}
