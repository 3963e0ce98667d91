import { resolve } from 'node:path'
import type { UnitLinkerOptions } from '../cluster/link/unit-linker.ts'
import type { TaskCounts } from '../cluster/spark/spark-connect.ts'
import type { SparkCluster } from '../cluster/spark/spark-engine.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { LinkByModel } from '../link/link-records.ts'
import type { OnProgress } from '../progress.ts'
import type { BuildTables } from '../warehouse/models.ts'

/** The options of the command line that choose how tables are built and records are linked. */
export const ENGINE_OPTIONS = {
  engine: { type: 'string' },
  units: { type: 'string' },
  work: { type: 'string' },
  spark: { type: 'string' },
  master: { type: 'string' },
} as const

/** The lines of a command's usage that explain `ENGINE_OPTIONS`. */
export const ENGINE_USAGE = `--engine embedded links the records and builds the tables in this process. This is the default.
--engine units does both in parts, which need less memory: --units N parts. Their files are in --work DIR.
--engine spark does these parts on a Spark cluster: --spark sc://HOST:PORT is a running Spark Connect server; --master URL starts one from
SPARK_HOME for this run. --work DIR is a folder that all machines of the cluster share. They need this installation at the same path.`

interface EngineValues {
  readonly engine?: string | undefined
  readonly units?: string | undefined
  readonly work?: string | undefined
  readonly spark?: string | undefined
  readonly master?: string | undefined
}

interface EngineContext {
  readonly config: Config
  readonly signal: AbortSignal
  readonly progress: OnProgress
}

const MOST_UNITS = 100_000

/** How a run links records and builds tables. Undefined functions are those of the embedded way. */
export interface ChosenEngine {
  readonly linkByModel?: LinkByModel
  readonly buildTables?: BuildTables
}

/**
 * Returns what the options choose. The embedded way loads nothing of `src/cluster`.
 * @throws `bad_usage`
 */
export async function chosenEngine(values: EngineValues, context: EngineContext): Promise<ChosenEngine> {
  const { engine = 'embedded', units, work } = values
  if (engine !== 'spark' && (values.spark !== undefined || values.master !== undefined))
    throw new AppError('bad_usage', '--spark and --master need --engine spark')
  switch (engine) {
    case 'embedded':
      if (units !== undefined || work !== undefined)
        throw new AppError('bad_usage', '--units and --work need --engine units or --engine spark')
      return {}
    case 'units':
      return localEngine(values, context)
    case 'spark':
      return sparkEngine(values, context)
    default:
      throw new AppError(
        'bad_usage',
        `there is no engine '${engine.slice(0, 80)}': --engine is embedded, units or spark`,
      )
  }
}

async function localEngine(
  { units, work }: EngineValues,
  { config, signal }: EngineContext,
): Promise<ChosenEngine> {
  const [{ openLocalEngine }, { runStageProcesses }] = await Promise.all([
    import('../cluster/local-engine.ts'),
    import('../cluster/stage-processes.ts'),
  ])
  const { DUCKDB_MEMORY_LIMIT: memoryLimit, DUCKDB_THREADS: threads } = config
  return inUnits({
    work: work ?? config.paths.work,
    units: unitsOf(units),
    openEngine: async (folder) =>
      openLocalEngine({
        folder,
        memoryLimit,
        threads,
        run: async (stage) => runStageProcesses(stage, { processes: threads, signal }),
      }),
  })
}

async function sparkEngine(
  { units, work, spark, master }: EngineValues,
  { config, signal, progress }: EngineContext,
): Promise<ChosenEngine> {
  if (work === undefined)
    throw new AppError(
      'bad_usage',
      '--engine spark needs --work DIR: a folder that all machines of the cluster share',
    )
  const cluster = clusterOf(spark, master, config)
  const { openSparkEngine } = await import('../cluster/spark/spark-engine.ts')
  let [latest, finished] = ['', 0]
  const onTasks = (step: string, { done, all }: TaskCounts) => {
    if (step === latest && done <= finished) return
    ;[latest, finished] = [step, done]
    progress({ step: 'spark', detail: `${step}: ${done} of ${all} tasks`, rows: 0, seconds: 0 })
  }
  return inUnits({
    work: resolve(work),
    units: unitsOf(units),
    openEngine: async ({ path }) => openSparkEngine({ cluster, work: path, signal, onTasks }),
  })
}

function clusterOf(spark: string | undefined, master: string | undefined, config: Config): SparkCluster {
  if (spark !== undefined && master === undefined)
    return { spark, token: config.SPARK_CONNECT_AUTHENTICATE_TOKEN }
  if (master !== undefined && spark === undefined) return { master, sparkHome: config.SPARK_HOME }
  throw new AppError(
    'bad_usage',
    '--engine spark needs either --spark sc://HOST:PORT (a running Spark Connect server) or --master URL (the cluster)',
  )
}

async function inUnits(options: UnitLinkerOptions): Promise<ChosenEngine> {
  const [{ unitLinker }, { unitBuilder }] = await Promise.all([
    import('../cluster/link/unit-linker.ts'),
    import('../cluster/models/unit-builder.ts'),
  ])
  return { linkByModel: unitLinker(options), buildTables: unitBuilder(options) }
}

function unitsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const units = Number(text)
  if (Number.isInteger(units) && units >= 1 && units <= MOST_UNITS) return units
  throw new AppError('bad_usage', `--units ${text.slice(0, 20)}: give a number from 1 to ${MOST_UNITS}`)
}
