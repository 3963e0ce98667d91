import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { LinkByModel } from '../link/link-records.ts'

/** The options of the command line that choose how records are linked. */
export const ENGINE_OPTIONS = {
  engine: { type: 'string' },
  units: { type: 'string' },
  work: { type: 'string' },
} as const

/** The lines of a command's usage that explain `ENGINE_OPTIONS`. */
export const ENGINE_USAGE = `--engine embedded links the records in this process. This is the default.
--engine units links them in parts, which need less memory: --units N parts. Their files are in --work DIR.`

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

/**
 * Returns the linker that the options choose; undefined for the embedded one, which loads nothing of `src/cluster`.
 * @throws `bad_usage`
 */
export async function chosenLinker(
  { engine = 'embedded', units, work }: EngineValues,
  { config, signal }: EngineContext,
): Promise<LinkByModel | undefined> {
  if (engine === 'embedded') {
    if (units !== undefined || work !== undefined)
      throw new AppError('bad_usage', '--units and --work need --engine units')
    return undefined
  }
  if (engine !== 'units')
    throw new AppError(
      'bad_usage',
      `there is no engine '${engine.slice(0, 80)}': --engine is embedded or units`,
    )
  const [{ unitLinker }, { openLocalEngine }, { runStageProcesses }] = await Promise.all([
    import('../cluster/link/unit-linker.ts'),
    import('../cluster/local-engine.ts'),
    import('../cluster/stage-processes.ts'),
  ])
  const { DUCKDB_MEMORY_LIMIT: memoryLimit, DUCKDB_THREADS: threads } = config
  return unitLinker({
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

function unitsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const units = Number(text)
  if (Number.isInteger(units) && units >= 1 && units <= MOST_UNITS) return units
  throw new AppError('bad_usage', `--units ${text.slice(0, 20)}: give a number from 1 to ${MOST_UNITS}`)
}
