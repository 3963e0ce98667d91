import type { Database, Value } from './database.ts'
import { z } from 'zod'
import { insertRow, readRows, updateRows } from './rows.ts'

/** The steps of a nightly run, in their order. */
export const RUN_STEPS = ['ingest', 'normalize', 'link', 'publish', 'events'] as const
export type RunStepName = (typeof RUN_STEPS)[number]

const Row = z.object({
  run_id: z.int(),
  step: z.enum(RUN_STEPS),
  pid: z.int(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  outcome: z.enum(['running', 'done', 'unchanged', 'done_with_failures', 'failed', 'stopped', 'killed']),
  row_count: z.int().nullable(),
  reason: z.string().nullable(),
})
/** One step of a nightly run. Times are ISO 8601, UTC. */
export type RunStep = Readonly<z.output<typeof Row>>

export interface StepEnd {
  readonly outcome: 'done' | 'unchanged' | 'done_with_failures' | 'failed' | 'stopped'
  readonly row_count: number | null
  readonly reason: string | null
}

/** Longer reasons are cut to this number of characters. */
const LONGEST_REASON = 2_000

const COLUMNS = Object.keys(Row.shape).join(', ')
const STEP_ORDER = `case step ${RUN_STEPS.map((step, index) => `when '${step}' then ${index}`).join(' ')} end`

/**
 * The steps of nightly runs with their outcomes. A step is written when it begins and when it ends, in two transactions. So a
 * killed run leaves a step with the outcome `running`.
 */
export class RunLedger {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Begins a run and returns its id. Only the process that holds the lock of the warehouse calls it. So every step that is
   * still `running` belongs to a killed process and becomes `killed`.
   */
  async begin(at: Date): Promise<number> {
    return this.#db.transaction(async () => {
      await this.#db.run(`update run_steps ${KILLED} where outcome = 'running'`, at.toISOString())
      return this.#nextId()
    })
  }

  async beginStep(run_id: number, step: RunStepName, at: Date): Promise<void> {
    const started_at = at.toISOString()
    await insertRow(this.#db, 'run_steps', { run_id, step, pid: process.pid, started_at, outcome: 'running' })
  }

  async endStep(run_id: number, step: RunStepName, end: StepEnd, at: Date): Promise<void> {
    const { outcome, row_count } = end
    const reason = end.reason?.slice(0, LONGEST_REASON) ?? null
    const columns = { outcome, row_count, reason, ended_at: at.toISOString() }
    await updateRows(this.#db, 'run_steps', columns, { run_id, step })
  }

  /** Records a run that failed before its first step, because the warehouse could not be opened. */
  async noteFailure(step: RunStepName, reason: string, at: Date): Promise<void> {
    await this.#db.transaction(async () => {
      const run_id = await this.#nextId()
      await this.beginStep(run_id, step, at)
      await this.endStep(run_id, step, { outcome: 'failed', row_count: null, reason }, at)
    })
  }

  /** Marks the steps that the ended process `pid` left `running` as killed. */
  async noteEnd(pid: number, at: Date): Promise<void> {
    await this.#db.run(
      `update run_steps ${KILLED} where outcome = 'running' and pid = ?`,
      at.toISOString(),
      pid,
    )
  }

  /** Returns each step in its last run. */
  async latest(): Promise<RunStep[]> {
    return this.#read(
      `select ${COLUMNS} from run_steps as steps
       where run_id = (select max(run_id) from run_steps where step = steps.step) order by ${STEP_ORDER}`,
    )
  }

  /** Returns the steps of the last `count` runs, newest run first. */
  async last(count: number): Promise<RunStep[]> {
    return this.#read(
      `select ${COLUMNS} from run_steps
       where run_id in (select distinct run_id from run_steps order by run_id desc limit ?)
       order by run_id desc, ${STEP_ORDER}`,
      count,
    )
  }

  /** Returns the steps of the last run that the process `pid` started at or after `since`. */
  async ofProcess(pid: number, since: Date): Promise<RunStep[]> {
    return this.#read(
      `select ${COLUMNS} from run_steps
       where run_id = (select max(run_id) from run_steps where pid = ? and started_at >= ?) order by ${STEP_ORDER}`,
      pid,
      since.toISOString(),
    )
  }

  /** Returns the steps without an end. Their process is running or was killed. */
  async running(): Promise<RunStep[]> {
    return this.#read(`select ${COLUMNS} from run_steps where outcome = 'running'`)
  }

  /** Returns the last time at or before `now` at which a publish step succeeded or found nothing new. */
  async lastPublishedAt(now: Date): Promise<Date | null> {
    const row = await this.#db.get(
      `select max(ended_at) as at from run_steps
         where step = 'publish' and outcome in ('done', 'unchanged') and ended_at <= ?`,
      now.toISOString(),
    )
    return typeof row?.['at'] === 'string' ? new Date(row['at']) : null
  }

  /** Deletes steps that started before `before`, except the last run of each step. Returns their number. */
  async prune(before: Date): Promise<number> {
    const { changes } = await this.#db.run(
      `delete from run_steps where started_at < ?
           and run_id not in (select max(run_id) from run_steps group by step)`,
      before.toISOString(),
    )
    return changes
  }

  async #nextId(): Promise<number> {
    const row = await this.#db.get('select coalesce(max(run_id), 0) + 1 as run_id from run_steps')
    return Number(row?.['run_id'])
  }

  async #read(sql: string, ...params: Value[]): Promise<RunStep[]> {
    return readRows(this.#db, Row, sql, ...params)
  }
}

const KILLED = `set outcome = 'killed', ended_at = ?, reason = 'the process ended without recording an outcome'`
