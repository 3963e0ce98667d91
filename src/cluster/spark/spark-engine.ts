import { AppError, messageOf } from '../../errors.ts'
import type { Engine, Exchange, FolderQuery, StageCall, UnitResult } from '../engine.ts'
import { STAGE_COMMAND } from '../stage-processes.ts'
import { parseUnitResults, stageName } from '../unit-results.ts'
import type { Row } from './arrow-rows.ts'
import { type Plan, selectFrom, writeParquet } from './plans.ts'
import { parseSparkUrl } from './spark-address.ts'
import { openSparkSession, type SparkSession, type TaskCounts } from './spark-connect.ts'
import { unitFailure } from './spark-errors.ts'
import { startSparkServer } from './spark-server.ts'
import { stageSql } from './stage-command.ts'
import { WorkFolder } from './work-folder.ts'

export interface SparkEngineOptions {
  readonly cluster: SparkCluster
  /** The work folder of the run: an absolute path or a `file:` URL that all workers see. */
  readonly work: string
  /** The program and its first arguments that run a stage on a worker. Default: the path of this installation. */
  readonly command?: readonly string[]
  readonly signal: AbortSignal
  /** Called about every two seconds with the tasks of the current step. */
  readonly onTasks?: (step: string, tasks: TaskCounts) => void
}

/** A running Connect server (`sc://host:port`), or a cluster for which this process starts a Connect server. */
export type SparkCluster =
  | { readonly spark: string; readonly token?: string | undefined }
  | {
      readonly master: string
      readonly sparkHome: string | undefined
      readonly conf?: Readonly<Record<string, string>>
    }

const SETTINGS = {
  // Paths may have `${` and backslashes.
  'spark.sql.variable.substitute': 'false',
  'spark.sql.parser.escapedStringLiterals': 'false',
  // Integers that overflow are errors, as in DuckDB.
  'spark.sql.ansi.enabled': 'true',
  'spark.sql.session.timeZone': 'UTC',
  'spark.sql.parquet.outputTimestampType': 'TIMESTAMP_MICROS',
  // A process of a stage closes its output before it has closed DuckDB.
  'spark.sql.scriptTransformation.exitTimeoutInSeconds': '60',
}

/**
 * Opens the engine of `--engine spark`.
 * @throws `cluster_unreachable` when no server answers; `bad_config` and `bad_usage` for options that cannot work
 */
export async function openSparkEngine(options: SparkEngineOptions): Promise<Engine> {
  const { cluster, signal } = options
  const work = new WorkFolder(options.work)
  await work.check()
  const { session, close } = await openCluster(cluster, SETTINGS, signal)
  return new SparkEngine(session, work, options, close)
}

/**
 * Opens a session on a running Connect server, or on one that it starts. `settings` are settings of Spark SQL for this session.
 * @throws `cluster_unreachable` when no server answers
 */
export async function openCluster(
  cluster: SparkCluster,
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ session: SparkSession; close: () => Promise<void> }> {
  if ('master' in cluster) {
    const server = await startSparkServer({ conf: {}, ...cluster, settings, signal })
    return { session: server.session, close: async () => server.close() }
  }
  const session = await openSparkSession({
    address: parseSparkUrl(cluster.spark),
    token: cluster.token,
    settings,
  })
  return { session, close: async () => session.close() }
}

class SparkEngine implements Engine {
  readonly #session: SparkSession
  readonly #work: WorkFolder
  readonly #options: SparkEngineOptions
  readonly close: () => Promise<void>

  constructor(
    session: SparkSession,
    work: WorkFolder,
    options: SparkEngineOptions,
    close: () => Promise<void>,
  ) {
    this.#session = session
    this.#work = work
    this.#options = options
    this.close = close
  }

  async run(stage: StageCall): Promise<readonly UnitResult[]> {
    const name = `stage ${stageName(stage)}`
    const sql = stageSql(this.#options.command ?? STAGE_COMMAND, stage)
    const rows = await this.#execute(name, { root: selectFrom(sql, {}) })
    return parseUnitResults(
      stage,
      rows.map(({ line }) => line as string | null),
    )
  }

  async exchange({ from, by, to, units, distinct = false }: Exchange): Promise<void> {
    const name = `exchange of ${from} to ${to}`
    const folders = { exchanged: this.#work.url(from) }
    const copies =
      by === 'unit' ? 'exchanged' : '(select * except (units), explode(units) as unit from exchanged)'
    const range = `'a row names the unit ', unit, ', but the units are 0 to ${units - 1}'`
    const checked = `case when unit between 0 and ${units - 1} then unit else raise_error(concat(${range})) end`
    const rows = `select * except (unit), cast(${checked} as int) as unit from ${copies}`
    const moved = `select /*+ repartition(${units}, unit) */ * from (${rows})`
    const all = distinct ? `select distinct * from (${moved})` : moved
    await this.#execute(name, writeParquet(selectFrom(all, folders), this.#work.url(to), ['unit']))

    // Spark writes no file for a unit without rows. A reader would then not know the columns.
    const missing = await this.#work.missingUnits(to, units)
    if (missing.length === 0) return
    const none = selectFrom(`select * except (unit) from (${rows}) where false`, folders)
    await this.#execute(name, writeParquet(none, this.#work.url(`${to}/${NO_ROWS}`)))
    await this.#work.copyToUnits(to, NO_ROWS, missing)
  }

  async select(query: FolderQuery & { readonly to: string }): Promise<void>
  async select(query: FolderQuery & { readonly to?: undefined }): Promise<readonly Row[]>
  async select({
    sql,
    folders,
    to,
  }: FolderQuery & { readonly to?: string | undefined }): Promise<void | readonly Row[]> {
    const urls = Object.entries(folders).map(([table, folder]) => [table, this.#work.url(folder)])
    const rows = selectFrom(sql, Object.fromEntries(urls) as Record<string, string>)
    if (to === undefined) return this.#execute('select', { root: rows })
    await this.#execute(`select to ${to}`, writeParquet(rows, this.#work.url(to)))
  }

  async #execute(step: string, plan: Plan): Promise<Row[]> {
    const { signal, onTasks } = this.#options
    try {
      return await this.#session.execute(plan, { signal, onTasks: (tasks) => onTasks?.(step, tasks) })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'stage_failed') throw error
      const failed = unitFailure(messageOf(error))
      const what =
        failed === undefined ? error.message : `unit ${failed.unit} failed every time: ${failed.reason}`
      throw new AppError('stage_failed', `${step}: ${what}`, {
        cause: error,
        ...(failed === undefined ? {} : { details: { unit: failed.unit } }),
      })
    }
  }
}

/** A folder below a folder of units; Spark and the stages ignore names that begin with `_`. */
const NO_ROWS = '_no_rows'
