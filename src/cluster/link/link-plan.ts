import { readFile, writeFile } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { hashOfFile } from '../../hash.ts'
import type { GiantKeys, KeyUnits } from '../../link/block/key-units.ts'
import { type LinkModel, parseModel } from '../../link/model/model.ts'
import { loadTerms, type StoredTerms } from '../../link/model/stored-terms.ts'
import type { TextPool } from '../../link/records/texts.ts'
import { execute, quotedLiteral } from '../../warehouse/query.ts'
import { codeHash } from '../code-hash.ts'
import { parquetRows, type RunFolder } from '../run-folder.ts'

const PLAN = 'link-plan.json'
const MODEL = 'link-model.json'
const TERMS = 'link-model.terms.parquet'
/** The file with the rows of `link.source_traits`. */
export const TRAITS = 'source-traits.parquet'

const Plan = z.object({
  /** Hash of the code that made the plan. */
  code: z.string(),
  /** SHA-256 of the other files of the plan, by name. */
  files: z.record(z.string(), z.string()),
  units: z.int(),
  limit: z.int(),
  giants: z.array(z.number()),
})

/** The facts that all units of a link run share. */
export interface LinkPlan {
  readonly keys: KeyUnits
  /** The block limit; see `blockLimit`. */
  readonly limit: number
  readonly model: LinkModel
}

/**
 * Writes the plan of a link run: the model with its value frequencies and the traits of the sources, as the warehouse
 * has them, and the division of the blocking keys.
 */
export async function writeLinkPlan(db: DuckDBConnection, folder: RunFolder, plan: LinkPlan): Promise<void> {
  await writeFile(folder.pathOf(MODEL), JSON.stringify(plan.model))
  for (const [file, rows] of [
    [TERMS, 'from link.term_counts order by field, high, low'],
    [TRAITS, 'from link.source_traits order by source_id'],
  ] as const)
    await execute(db, `copy (${rows}) to ${quotedLiteral(folder.pathOf(file))} (format parquet)`)
  const files: Record<string, string> = {}
  for (const file of [MODEL, TERMS, TRAITS]) files[file] = await hashOfFile(folder.pathOf(file))
  const { keys, limit } = plan
  const text: z.output<typeof Plan> = {
    code: await codeHash(),
    files,
    units: keys.units,
    limit,
    giants: [...keys.giants],
  }
  await writeFile(folder.pathOf(PLAN), JSON.stringify(text))
}

/** Replaces the giant keys of a plan. */
export async function changeGiants(folder: RunFolder, giants: GiantKeys): Promise<void> {
  const plan = Plan.parse(JSON.parse(await readFile(folder.pathOf(PLAN), 'utf8')))
  await writeFile(folder.pathOf(PLAN), JSON.stringify({ ...plan, giants: [...giants] }))
}

/**
 * Reads the plan of a link run.
 * @throws `stage_failed` when other code made the plan, or a file of the plan has changed
 */
export async function readLinkPlan(folder: RunFolder): Promise<LinkPlan> {
  const path = folder.pathOf(PLAN)
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AppError('stage_failed', `${path} cannot be read: give the folder of a run as --run`, { cause })
  })
  const { code, files, units, limit, giants } = Plan.parse(JSON.parse(text))
  if (code !== (await codeHash()))
    throw new AppError(
      'stage_failed',
      `${path} was made by another version of Platbook: install the same version on every machine`,
    )
  for (const [file, hash] of Object.entries(files))
    if ((await hashOfFile(folder.pathOf(file))) !== hash)
      throw new AppError(
        'stage_failed',
        `${folder.pathOf(file)} is not the file of the plan: start the run again`,
      )
  const model = parseModel(await readFile(folder.pathOf(MODEL), 'utf8'), folder.pathOf(MODEL))
  return { keys: { units, giants: new Set(giants) }, limit, model }
}

/** Reads the value frequencies of the model of a run for some texts. Creates the view `link.term_counts`. */
export async function readTerms(
  db: DuckDBConnection,
  folder: RunFolder,
  model: LinkModel,
  texts: TextPool,
): Promise<StoredTerms> {
  await execute(db, `create or replace view link.term_counts as from ${parquetRows([folder.pathOf(TERMS)])}`)
  return loadTerms(db, model, texts)
}
