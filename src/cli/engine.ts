import type { RunFolder } from '../cluster/run-folder.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { LinkByModel } from '../link/link-records.ts'
import type { BuildTables } from '../warehouse/models.ts'

/** The options of the command line that choose how tables are built and records are linked. */
export const ENGINE_OPTIONS = {
  engine: { type: 'string' },
  units: { type: 'string' },
  work: { type: 'string' },
} as const

/** The lines of a command's usage that explain `ENGINE_OPTIONS`. */
export const ENGINE_USAGE = `--engine embedded links the records and builds the tables in this process. This is the default.
--engine units does both in parts, which need less memory: --units N parts. Their files are in --work DIR.`

interface EngineValues {
  readonly engine?: string | undefined
  readonly units?: string | undefined
  readonly work?: string | undefined
}

interface EngineContext {
  readonly config: Config
  readonly signal: AbortSignal
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
export async function chosenEngine(
  { engine = 'embedded', units, work }: EngineValues,
  { config, signal }: EngineContext,
): Promise<ChosenEngine> {
  if (engine === 'embedded') {
    if (units !== undefined || work !== undefined)
      throw new AppError('bad_usage', '--units and --work need --engine units')
    return {}
  }
  if (engine !== 'units')
    throw new AppError(
      'bad_usage',
      `there is no engine '${engine.slice(0, 80)}': --engine is embedded or units`,
    )
  const [{ unitLinker }, { unitBuilder }, { openLocalEngine }, { runStageProcesses }] = await Promise.all([
    import('../cluster/link/unit-linker.ts'),
    import('../cluster/models/unit-builder.ts'),
    import('../cluster/local-engine.ts'),
    import('../cluster/stage-processes.ts'),
  ])
  const { DUCKDB_MEMORY_LIMIT: memoryLimit, DUCKDB_THREADS: threads } = config
  const options = {
    work: work ?? config.paths.work,
    units: unitsOf(units),
    openEngine: async (folder: RunFolder) =>
      openLocalEngine({
        folder,
        memoryLimit,
        threads,
        run: async (stage) => runStageProcesses(stage, { processes: threads, signal }),
      }),
  }
  return { linkByModel: unitLinker(options), buildTables: unitBuilder(options) }
}

function unitsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const units = Number(text)
  if (Number.isInteger(units) && units >= 1 && units <= MOST_UNITS) return units
  throw new AppError('bad_usage', `--units ${text.slice(0, 20)}: give a number from 1 to ${MOST_UNITS}`)
}
