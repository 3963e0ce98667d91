import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../../errors.ts'
import { execute, quotedLiteral } from '../../warehouse/query.ts'
import { comparisonsOf } from '../compare/levels.ts'
import { type LinkModel, parseModel } from './model.ts'

/**
 * Writes the model to `file` (`link-model.json`) and the value frequencies of `link.term_counts` to a Parquet file
 * beside it. Each file is replaced by a rename, so a killed run leaves no half-written file.
 */
export async function saveModel(db: DuckDBConnection, file: string, model: LinkModel): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const terms = termsFile(file)
  await execute(
    db,
    `copy (from link.term_counts order by field, high, low) to ${quotedLiteral(`${terms}.partial`)} (format parquet)`,
  )
  await writeFile(`${file}.partial`, `${JSON.stringify(model, null, 2)}\n`)
  await rename(`${terms}.partial`, terms)
  await rename(`${file}.partial`, file)
}

/**
 * Reads the model from `file`, and its value frequencies into `link.term_counts`. Returns undefined when there is no
 * file. If the model equals `used`, the model of the warehouse, returns `used` itself and skips the frequencies:
 * `link.term_counts` already has them.
 */
export async function readModel(
  db: DuckDBConnection,
  file: string,
  used?: LinkModel,
): Promise<LinkModel | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AppError('bad_config', `${file} cannot be read`, { cause })
  }
  const model = parseModel(text, file)
  if (isDeepStrictEqual(model, used)) return used
  const terms = termsFile(file)
  try {
    await execute(
      db,
      `create or replace table link.term_counts as from read_parquet(${quotedLiteral(terms)})`,
    )
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `${terms} belongs to the link model and cannot be read: put the file back, or learn a new model with \`platbook link --train\` (person ids may change then)`,
      { cause },
    )
  }
  return model
}

/** Returns the path of the value frequencies of a model file. */
export function termsFile(file: string): string {
  return file.replace(/(\.json)?$/, '.terms.parquet')
}

/** A level whose match weight would change if the model were trained on the current records. */
export interface Drift {
  readonly comparison: string
  readonly level: string
  /** Match weight in the model, and in a model trained on the current records. */
  readonly bits: number
  readonly fresh: number
}

type Learned = LinkModel['comparisons'][number]['levels'][number]

/** Least difference in match weight that is reported. */
const LEAST_DRIFT = 0.5

/** A difference between two models in u counts from this many standard errors on. A smaller one may be chance. */
const STANDARD_ERRORS = 3

/**
 * Returns the levels whose match weight differs by more than chance explains, largest difference first.
 * `fresh` is trained on all records, so each difference of m (the share of true pairs at a level) counts. A difference
 * of u (the share of other pairs) must exceed the error of both models. For levels with frequency weights, value
 * frequencies replace u, so only m is compared.
 */
export function driftBetween(model: LinkModel, fresh: Pick<LinkModel, 'comparisons'>): Drift[] {
  const drifted: Drift[] = []
  const levelsOf = new Map(comparisonsOf(model.attributes).map(({ name, levels }) => [name, levels]))
  for (const { comparison, levels } of model.comparisons) {
    const now = fresh.comparisons.find((other) => other.comparison === comparison)
    levels.forEach((level, l) => {
      const other = now?.levels[l]
      // A level that is rare among true pairs is estimated from very few pairs.
      if (other === undefined || Math.max(level.m, other.m) < 0.001) return
      const bits = Math.log2(level.m / level.u)
      const byM = Math.log2(other.m / level.m)
      const isByFrequency = levelsOf.get(comparison)?.[l]?.byFrequency === true
      const byU =
        isByFrequency || isChance(level.u, other.u, errorOf(level, other)) ? 0 : Math.log2(level.u / other.u)
      if (Math.abs(byM + byU) >= LEAST_DRIFT)
        drifted.push({ comparison, level: level.level, bits, fresh: bits + byM + byU })
    })
  }
  return drifted.sort((a, b) => Math.abs(b.fresh - b.bits) - Math.abs(a.fresh - a.bits))
}

function isChance(one: number, other: number, error: number): boolean {
  return Math.abs(one - other) < STANDARD_ERRORS * error
}

// Older model files have no `u_error`. Assume the error of the other model.
function errorOf({ u_error: one }: Learned, { u_error: other }: Learned): number {
  return Math.hypot(one ?? other ?? 0, other ?? one ?? 0)
}
