import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { inTransaction } from './transaction.ts'

const Row = z.object({
  run_id: z.int(),
  job: z.string(),
  due_at: z.string(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  status: z.enum(['running', 'waiting', 'done', 'done_with_failures', 'failed', 'stopped', 'lost']),
  detail: z.string().nullable(),
})
/** A run of a job of the schedule. Times are ISO 8601, UTC. */
export type ScheduleRun = Readonly<z.output<typeof Row>>
/** How a run ended; `waiting`: it could not begin, and the next tick tries again. */
export type RunEnd = 'done' | 'done_with_failures' | 'failed' | 'stopped' | 'waiting'

/** Runs that are not made again. */
const SERVED = `status in ('done', 'done_with_failures', 'failed')`

/** Runs of the schedule's jobs, and which process runs which job now. Any number of processes may share it. */
export class ScheduleLedger {
  readonly #db: DatabaseSync
  /** For how long a job is a process's own without a word from it. */
  readonly leaseMs: number

  constructor(db: DatabaseSync, leaseMs = 60_000) {
    this.#db = db
    this.leaseMs = leaseMs
  }

  /**
   * The due instant of the last run that counts: finished, or under way in a process that is alive at `at`. A run that
   * was due after `at` does not count: the clock was wrong when it was noted. Null when the job never ran; the beginning
   * of time when no run of it counts.
   */
  lastServed(job: string, at: Date): Date | null {
    const row = this.#db
      .prepare(
        `select count(*) as runs, max(due_at) filter (where due_at <= $at and (${SERVED} or status = 'running' and exists (
           select 1 from schedule_leases as leases
           where leases.job = schedule_runs.job and expires_at > $now and expires_at <= $latest
         ))) as due_at
         from schedule_runs where job = $job`,
      )
      .get({ at: at.toISOString(), now: at.getTime(), latest: this.#latestLease(at), job })
    if (Number(row?.['runs']) === 0) return null
    const due = row?.['due_at']
    return new Date(typeof due === 'string' ? due : 0)
  }

  /**
   * Begins the run that was due at `due_at`: its id; null when another process runs the job, or the run has been made.
   * A run that its process left without a word is lost then; a run that waits is begun again.
   */
  begin(job: string, holder: string, due_at: Date, at: Date): number | null {
    return inTransaction(this.#db, () => {
      const lease = this.#db.prepare('select expires_at from schedule_leases where job = ?').get(job)
      const expires_at = Number(lease?.['expires_at'] ?? 0)
      if (expires_at > at.getTime() && expires_at <= this.#latestLease(at)) return null
      this.#db
        .prepare(
          `update schedule_runs set status = 'lost', finished_at = ? where job = ? and status = 'running'`,
        )
        .run(at.toISOString(), job)
      const served = this.lastServed(job, at)
      if (served !== null && served >= due_at) return null
      this.#db
        .prepare('insert or replace into schedule_leases (job, holder, expires_at) values (?, ?, ?)')
        .run(job, holder, at.getTime() + this.leaseMs)
      return this.#beginAgain(job, due_at, at) ?? Number(this.#insert(job, due_at, at, null, 'running', null))
    })
  }

  /** Keeps the job this process's own. */
  renew(job: string, holder: string, at: Date): void {
    this.#db
      .prepare('update schedule_leases set expires_at = ? where job = ? and holder = ?')
      .run(at.getTime() + this.leaseMs, job, holder)
  }

  end(run_id: number, holder: string, status: RunEnd, detail: string | null, at: Date): void {
    inTransaction(this.#db, () => {
      this.#db
        .prepare('update schedule_runs set status = ?, detail = ?, finished_at = ? where run_id = ?')
        .run(status, detail, at.toISOString(), run_id)
      this.#db
        .prepare(
          'delete from schedule_leases where holder = ? and job = (select job from schedule_runs where run_id = ?)',
        )
        .run(holder, run_id)
    })
  }

  /** Notes a run of a job that several processes may do at once. */
  note(job: string, started_at: Date, finished_at: Date, status: RunEnd, detail: string | null): void {
    this.#insert(job, started_at, started_at, finished_at, status, detail)
  }

  /** Runs that were due after `at`, which the schedule ignores. */
  dueAfter(at: Date): ScheduleRun[] {
    return this.#read('from schedule_runs where due_at > ? order by run_id', at.toISOString())
  }

  /** The last runs of each job, newest first. */
  last(count: number): ScheduleRun[] {
    return this.#read(
      `from (select *, row_number() over (partition by job order by run_id desc) as place from schedule_runs)
       where place <= ? order by job, run_id desc`,
      count,
    )
  }

  /** Whether any run began between 12 and 48 hours before `at`: the clock has gone on for a day, and has not just jumped. */
  isPlausible(at: Date): boolean {
    const hoursBefore = (hours: number): string => new Date(at.getTime() - hours * 3_600_000).toISOString()
    return (
      this.#db
        .prepare('select 1 from schedule_runs where started_at between ? and ?')
        .get(hoursBefore(48), hoursBefore(12)) !== undefined
    )
  }

  /** Forgets runs that are due after `at`: a clock that was ahead noted them. */
  forgetFuture(at: Date): number {
    const { changes } = this.#db
      .prepare(`delete from schedule_runs where due_at > ? and status <> 'running'`)
      .run(at.toISOString())
    return Number(changes)
  }

  /** Forgets runs that started before; never the last of a job, which says what is due next. */
  prune(before: Date): number {
    const { changes } = this.#db
      .prepare(
        `delete from schedule_runs where started_at < ?
           and run_id not in (select max(run_id) from schedule_runs where ${SERVED} or status = 'running' group by job)`,
      )
      .run(before.toISOString())
    return Number(changes)
  }

  // A clock that was ahead leaves leases that would hold for as long. Twice the lease: clocks are set back a little, too.
  #latestLease(at: Date): number {
    return at.getTime() + 2 * this.leaseMs
  }

  #beginAgain(job: string, due_at: Date, at: Date): number | null {
    const row = this.#db
      .prepare(
        `update schedule_runs set status = 'running', due_at = $due_at, started_at = $at, finished_at = null, detail = null
         where run_id = (select max(run_id) from schedule_runs where job = $job) and status = 'waiting'
         returning run_id`,
      )
      .get({ job, due_at: due_at.toISOString(), at: at.toISOString() })
    return row === undefined ? null : Number(row['run_id'])
  }

  #read(from: string, param: string | number): ScheduleRun[] {
    return this.#db
      .prepare(`select ${Object.keys(Row.shape).join(', ')} ${from}`)
      .all(param)
      .map((row) => Row.parse(row))
  }

  #insert(
    job: string,
    due_at: Date,
    started_at: Date,
    finished_at: Date | null,
    status: string,
    detail: string | null,
  ): number | bigint {
    return this.#db
      .prepare(
        'insert into schedule_runs (job, due_at, started_at, finished_at, status, detail) values (?, ?, ?, ?, ?, ?)',
      )
      .run(
        job,
        due_at.toISOString(),
        started_at.toISOString(),
        finished_at?.toISOString() ?? null,
        status,
        detail,
      ).lastInsertRowid
  }
}
