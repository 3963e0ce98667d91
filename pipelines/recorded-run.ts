import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '../src/clock.ts'
import { messageOf } from '../src/errors.ts'
import type { Log } from '../src/log.ts'
import type { RunLedger, RunStepName, StepEnd } from '../src/state/run-ledger.ts'
import { execute } from '../src/warehouse/query.ts'

export interface RecordedRunOptions {
  readonly ledger: RunLedger
  readonly now: Clock
  readonly signal: AbortSignal
  readonly log: Log
  /** Turns an error into one with a message for the operator. */
  readonly explain: (cause: unknown) => unknown
}

/** A run that writes the beginning and the end of each step into the state file. */
export class RecordedRun {
  readonly #options: RecordedRunOptions
  readonly #run_id: number

  private constructor(options: RecordedRunOptions, run_id: number) {
    this.#options = options
    this.#run_id = run_id
  }

  /** To be called by the process that has the warehouse open. */
  static async begin(options: RecordedRunOptions): Promise<RecordedRun> {
    return new RecordedRun(options, await options.ledger.begin(options.now()))
  }

  /** Runs a step and records its outcome. Records an error of `body` and throws it. */
  async step<T>(step: RunStepName, body: () => Promise<T>, end: (result: T) => StepEnd): Promise<T> {
    const { ledger, now, signal } = this.#options
    await ledger.beginStep(this.#run_id, step, now())
    let result: T
    try {
      result = await body()
    } catch (error) {
      const cause = this.#options.explain(error)
      const outcome = signal.aborted ? 'stopped' : 'failed'
      await this.#end(step, { outcome, row_count: null, reason: firstLine(messageOf(cause)) })
      throw cause
    }
    await this.#end(step, end(result))
    return result
  }

  // A full disk may prevent the record. The result of the step still counts, and `platbook doctor` reports the step
  // as unfinished.
  async #end(step: RunStepName, end: StepEnd): Promise<void> {
    const { ledger, now, log } = this.#options
    try {
      await ledger.endStep(this.#run_id, step, end, now())
    } catch (cause) {
      log.error(
        { step, outcome: end.outcome, reason: messageOf(cause) },
        'the outcome of a step cannot be written into the state file',
      )
    }
  }
}

/** Returns the first line of a message. SQL and stack traces are in later lines. */
export function firstLine(message: string): string {
  return message.split('\n')[0] ?? ''
}

/** Replaces `ledger.runs` by a copy of the last runs in the state file, for queries together with `ledger.files`. */
export async function copyRuns(db: DuckDBConnection, ledger: RunLedger): Promise<void> {
  const runs = await ledger.last(COPIED_RUNS)
  await execute(
    db,
    `create or replace table ledger.runs as
     select run.* replace (run.started_at::timestamp as started_at, run.ended_at::timestamp as ended_at)
     from (select unnest(from_json($runs::varchar, $shape::varchar)) as run)`,
    { runs: JSON.stringify(runs), shape: RUN_SHAPE },
  )
}

const COPIED_RUNS = 400
const RUN_SHAPE = JSON.stringify([
  {
    run_id: 'integer',
    step: 'varchar',
    started_at: 'varchar',
    ended_at: 'varchar',
    outcome: 'varchar',
    row_count: 'bigint',
    reason: 'varchar',
  },
])
