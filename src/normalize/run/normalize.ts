import type { DuckDBConnection } from '@duckdb/node-api'
import type { Log } from '../../log.ts'
import type { OnProgress } from '../../progress.ts'
import { type BuildTables, type Model, buildModels, loadModels } from '../../warehouse/models.ts'
import { createDictionaries, fillDictionaries } from './dictionaries.ts'

export interface NormalizeOptions {
  readonly db: DuckDBConnection
  readonly log: Log
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
  /** Extra connections to the same warehouse, which build independent models at the same time. */
  readonly extraConnections?: readonly DuckDBConnection[] | undefined
  /** Builds the tables in place of this process. The dictionaries then have the texts of `staging` only. */
  readonly buildTables?: BuildTables | undefined
}

export interface NormalizeReport {
  /** Rows of all tables of `normal`. */
  readonly rows: number
}

/** Builds `normal.*` from `staging.*`. Normalises each distinct name, address, phone and e-mail once. */
export async function normalize({
  db,
  log,
  signal,
  progress,
  extraConnections,
  buildTables,
}: NormalizeOptions): Promise<NormalizeReport> {
  if (buildTables !== undefined) {
    await createDictionaries(db)
    const built = await buildTables(db, 'normalize')
    return { rows: [...built.values()].reduce((sum, rows) => sum + rows, 0) }
  }
  const models = await loadModels()
  const normal = { layers: ['normal'], log, signal, progress, extraConnections } as const
  // The dictionaries read models that need staging only. All other models read the dictionaries.
  const before = await buildModels(db, models.filter(readsNoNormal), normal)
  await fillDictionaries({ db, log, signal, progress })
  const after = await buildModels(
    db,
    models.filter((model) => !readsNoNormal(model)),
    normal,
  )
  return { rows: [...before, ...after].reduce((sum, model) => sum + model.rows, 0) }
}

function readsNoNormal(model: Model): boolean {
  return !model.reads.some((read) => read.startsWith('normal.'))
}
