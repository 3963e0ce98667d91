import { fillDictionaries } from '../ingest/dictionaries.ts'
import { type Model, buildModels, loadModels } from '../warehouse/models.ts'
import type { LinkOptions } from './link.ts'

export interface NormalizeReport {
  /** Rows of all tables of `normal`. */
  readonly rows: number
}

/** Builds `normal.*` from what staging holds. Each distinct name, address, phone and e-mail is normalised once. */
export async function normalize({
  db,
  log,
  signal,
  progress,
  beside,
}: Pick<LinkOptions, 'db' | 'log' | 'signal' | 'progress' | 'beside'>): Promise<NormalizeReport> {
  const models = await loadModels()
  const normal = { layers: ['normal'], log, signal, progress, beside } as const
  // Dictionaries read models that follow from staging alone; the other models read dictionaries.
  const before = await buildModels(db, models.filter(isOfStaging), normal)
  await fillDictionaries({ db, log, signal, progress })
  const after = await buildModels(
    db,
    models.filter((model) => !isOfStaging(model)),
    normal,
  )
  return { rows: [...before, ...after].reduce((sum, model) => sum + model.rows, 0) }
}

function isOfStaging(model: Model): boolean {
  return !model.reads.some((read) => read.startsWith('normal.'))
}
