import type { Database } from './database.ts'
import { z } from 'zod'
import { type Columns, insertNumbered, readRows } from './rows.ts'

const Row = z.object({
  run_id: z.int(),
  job: z.string(),
  due_at: z.string(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  status: z.enum(['running', 'waiting', 'done', 'done_with_failures', 'failed', 'stopped', 'lost']),
  detail: z.string().nullable(),
})
/** A run of a scheduled job. Times are ISO 8601, UTC. */
export type ScheduleRun = Readonly<z.output<typeof Row>>
/** The outcome of a run. `waiting`: the run could not begin and is tried again at the next tick. */
export type RunEnd = 'done' | 'done_with_failures' | 'failed' | 'stopped' | 'waiting'

/** SQL condition for runs that are finished and not repeated. */
const SERVED = `status in ('done', 'done_with_failures', 'failed')`

/** The runs of scheduled jobs, and the process that runs each job now. Any number of processes may share the ledger. */
export class ScheduleLedger {
  readonly #db: Database
  /** Milliseconds for which a process keeps a job without renewing its lease. */
  readonly leaseMs: number

  constructor(db: Database, leaseMs = 60_000) {
    this.#db = db
    this.leaseMs = leaseMs
  }

  /**
   * Returns the due time of the last run that is finished, or in progress in a process that is alive at `at`. Ignores runs
   * that were due after `at`, because a wrong clock recorded them. Returns null when the job never ran, and 1970 when the job
   * has runs but none that counts.
   */
  async lastServed(job: string, at: Date): Promise<Date | null> {
    const row = await this.#db.get(
      `select count(*) as runs, max(due_at) filter (where due_at <= $at and (${SERVED} or status = 'running' and exists (
           select 1 from schedule_leases as leases
           where leases.job = schedule_runs.job and expires_at > $now and expires_at <= $latest
         ))) as due_at
         from schedule_runs where job = $job`,
      { at: at.toISOString(), now: at.getTime(), latest: this.#latestLease(at), job },
    )
    if (Number(row?.['runs']) === 0) return null
    const due = row?.['due_at']
    return new Date(typeof due === 'string' ? due : 0)
  }

  /**
   * Begins the run that was due at `due_at` and returns its id. Returns null when another process runs the job, or the run is
   * already done. A run whose process has died becomes `lost`; a `waiting` run is started again.
   */
  async begin(job: string, holder: string, due_at: Date, at: Date): Promise<number | null> {
    return this.#db.transaction(async () => {
      const lease = await this.#db.get('select expires_at from schedule_leases where job = ?', job)
      const expires_at = Number(lease?.['expires_at'] ?? 0)
      if (expires_at > at.getTime() && expires_at <= this.#latestLease(at)) return null
      await this.#db.run(
        `update schedule_runs set status = 'lost', finished_at = ? where job = ? and status = 'running'`,
        at.toISOString(),
        job,
      )
      const served = await this.lastServed(job, at)
      if (served !== null && served >= due_at) return null
      await this.#db.run(
        `insert into schedule_leases (job, holder, expires_at) values (?, ?, ?)
         on conflict (job) do update set holder = excluded.holder, expires_at = excluded.expires_at`,
        job,
        holder,
        at.getTime() + this.leaseMs,
      )
      return (await this.#beginAgain(job, due_at, at)) ?? (await this.#insert(job, due_at, at, 'running'))
    })
  }

  /** Extends the lease with which the process `holder` runs the job. */
  async renew(job: string, holder: string, at: Date): Promise<void> {
    await this.#db.run(
      'update schedule_leases set expires_at = ? where job = ? and holder = ?',
      at.getTime() + this.leaseMs,
      job,
      holder,
    )
  }

  async end(run_id: number, holder: string, status: RunEnd, detail: string | null, at: Date): Promise<void> {
    await this.#db.transaction(async () => {
      await this.#db.run(
        'update schedule_runs set status = ?, detail = ?, finished_at = ? where run_id = ?',
        status,
        detail,
        at.toISOString(),
        run_id,
      )
      await this.#db.run(
        'delete from schedule_leases where holder = ? and job = (select job from schedule_runs where run_id = ?)',
        holder,
        run_id,
      )
    })
  }

  /** Records a finished run of a job that needs no lease, because several processes may run it at once. */
  async note(
    job: string,
    started_at: Date,
    finished_at: Date,
    status: RunEnd,
    detail: string | null,
  ): Promise<void> {
    await this.#insert(job, started_at, started_at, status, {
      finished_at: finished_at.toISOString(),
      detail,
    })
  }

  /** Returns runs with a due time after `at`. The schedule ignores them. */
  async dueAfter(at: Date): Promise<ScheduleRun[]> {
    return this.#read('from schedule_runs where due_at > ? order by run_id', at.toISOString())
  }

  /** Returns the last `count` runs of each job, newest first. */
  async last(count: number): Promise<ScheduleRun[]> {
    return this.#read(
      `from (select *, row_number() over (partition by job order by run_id desc) as place from schedule_runs) as runs
       where place <= ? order by job, run_id desc`,
      count,
    )
  }

  /** Returns whether a run began between 12 and 48 hours before `at`. Then the clock is steady and did not just jump to `at`. */
  async isPlausible(at: Date): Promise<boolean> {
    const hoursBefore = (hours: number): string => new Date(at.getTime() - hours * 3_600_000).toISOString()
    return (
      (await this.#db.get(
        'select 1 from schedule_runs where started_at between ? and ?',
        hoursBefore(48),
        hoursBefore(12),
      )) !== undefined
    )
  }

  /** Deletes runs that are due after `at`, which a fast clock recorded. Returns their number. */
  async forgetFuture(at: Date): Promise<number> {
    const { changes } = await this.#db.run(
      `delete from schedule_runs where due_at > ? and status <> 'running'`,
      at.toISOString(),
    )
    return changes
  }

  /** Deletes runs that started before `before`, except the last run of each job, from which the next due time is computed. */
  async prune(before: Date): Promise<number> {
    const { changes } = await this.#db.run(
      `delete from schedule_runs where started_at < ?
           and run_id not in (select max(run_id) from schedule_runs where ${SERVED} or status = 'running' group by job)`,
      before.toISOString(),
    )
    return changes
  }

  // The latest plausible end of a lease. A fast clock may have written a later end, which is ignored. Twice the lease leaves
  // room for a clock that was set back a little.
  #latestLease(at: Date): number {
    return at.getTime() + 2 * this.leaseMs
  }

  async #beginAgain(job: string, due_at: Date, at: Date): Promise<number | null> {
    const row = await this.#db.get(
      `update schedule_runs set status = 'running', due_at = $due_at, started_at = $at, finished_at = null, detail = null
         where run_id = (select max(run_id) from schedule_runs where job = $job) and status = 'waiting'
         returning run_id`,
      { job, due_at: due_at.toISOString(), at: at.toISOString() },
    )
    return row === undefined ? null : Number(row['run_id'])
  }

  async #read(from: string, param: string | number): Promise<ScheduleRun[]> {
    return readRows(this.#db, Row, `select ${Object.keys(Row.shape).join(', ')} ${from}`, param)
  }

  async #insert(
    job: string,
    due_at: Date,
    started_at: Date,
    status: string,
    end: Columns = {},
  ): Promise<number> {
    const times = { due_at: due_at.toISOString(), started_at: started_at.toISOString() }
    return insertNumbered(this.#db, 'schedule_runs', 'run_id', { job, ...times, status, ...end })
  }
}
