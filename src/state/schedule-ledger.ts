import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { inTransaction } from './transaction.ts'

const Row = z.object({
  run_id: z.int(),
  job: z.string(),
  due_at: z.string(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  status: z.enum(['running', 'done', 'failed', 'stopped', 'lost']),
  detail: z.string().nullable(),
})
/** A run of a job of the schedule. Times are ISO 8601, UTC. */
export type ScheduleRun = Readonly<z.output<typeof Row>>
export type RunEnd = 'done' | 'failed' | 'stopped'

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
   * The due instant of the last run that counts: finished, or under way in a process that is alive at `at`. Null when
   * the job never ran; the beginning of time when no run of it counts.
   */
  lastServed(job: string, at: Date): Date | null {
    const row = this.#db
      .prepare(
        `select count(*) as runs, max(due_at) filter (where status in ('done', 'failed') or status = 'running' and exists (
           select 1 from schedule_leases as leases where leases.job = schedule_runs.job and expires_at > ?
         )) as due_at
         from schedule_runs where job = ?`,
      )
      .get(at.getTime(), job)
    if (Number(row?.['runs']) === 0) return null
    const due = row?.['due_at']
    return new Date(typeof due === 'string' ? due : 0)
  }

  /**
   * Begins the run that was due at `due_at`: its id; null when another process runs the job, or the run has been made.
   * A run that its process left without a word is lost then.
   */
  begin(job: string, holder: string, due_at: Date, at: Date): number | null {
    return inTransaction(this.#db, () => {
      const lease = this.#db.prepare('select expires_at from schedule_leases where job = ?').get(job)
      if (lease !== undefined && Number(lease['expires_at']) > at.getTime()) return null
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
      return Number(this.#insert(job, due_at, at, null, 'running', null))
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

  /** The last runs of each job, newest first. */
  last(count: number): ScheduleRun[] {
    return this.#db
      .prepare(
        `select run_id, job, due_at, started_at, finished_at, status, detail
         from (select *, row_number() over (partition by job order by run_id desc) as place from schedule_runs)
         where place <= ? order by job, run_id desc`,
      )
      .all(count)
      .map((row) => Row.parse(row))
  }

  /** Forgets runs that started before; never the last of a job, which says what is due next. */
  prune(before: Date): number {
    const { changes } = this.#db
      .prepare(
        `delete from schedule_runs where started_at < ?
           and run_id not in (select max(run_id) from schedule_runs where status in ('done', 'failed', 'running') group by job)`,
      )
      .run(before.toISOString())
    return Number(changes)
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
