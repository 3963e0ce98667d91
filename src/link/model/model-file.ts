import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../../errors.ts'
import { execute, quotedLiteral } from '../../warehouse/query.ts'
import { comparisonsOf } from '../compare/levels.ts'
import { type LinkModel, parseModel } from './model.ts'

/** Writes the model to `file` (`link-model.json`) and, beside it, the term frequencies of `link.term_counts`; each is whole or the old one. */
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
 * Reads both into memory and `link.term_counts`; undefined when no model was ever saved there. Of a model that is the one in use
 * (then `used` itself is given back) the frequencies are there already: reading a million of them takes as long as a small night.
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

/** Where the term frequencies of a model lie. */
export function termsFile(file: string): string {
  return file.replace(/(\.json)?$/, '.terms.parquet')
}

/** A level whose weight would be another if the model were trained on today's records. */
export interface Drift {
  readonly comparison: string
  readonly level: string
  readonly bits: number
  readonly fresh: number
}

type Learned = LinkModel['comparisons'][number]['levels'][number]

/** A difference of so many bits is worth telling. */
const LEAST_DRIFT = 0.5

/** And of so many standard errors: of forty levels none by chance in most nights. */
const STANDARD_ERRORS = 3

/**
 * Levels that drifted, furthest first, by what chance does not explain: u by the errors of both models, m by `matches`, how many true pairs
 * of which a comparison knows both sides the fresh model was learned from (without them, m as it stands). Where the frequency of the value
 * counts as well it takes the place of u, so these compare by m alone.
 */
export function driftBetween(
  model: LinkModel,
  fresh: Pick<LinkModel, 'comparisons'>,
  matches?: ReadonlyMap<string, number>,
): Drift[] {
  const drifted: Drift[] = []
  const levelsOf = new Map(comparisonsOf(model.attributes).map(({ name, levels }) => [name, levels]))
  for (const { comparison, levels } of model.comparisons) {
    const now = fresh.comparisons.find((other) => other.comparison === comparison)
    levels.forEach((level, l) => {
      const other = now?.levels[l]
      // A level that hardly ever occurs among true pairs is estimated from next to nothing.
      if (other === undefined || Math.max(level.m, other.m) < 0.001) return
      const bits = Math.log2(level.m / level.u)
      const spread = Math.max(level.m * (1 - level.m), other.m * (1 - other.m))
      const known = matches === undefined ? Infinity : (matches.get(comparison) ?? 0)
      const byM = isChance(level.m, other.m, Math.sqrt(spread / known)) ? 0 : Math.log2(other.m / level.m)
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

// A model of before tells no error: it was learned as the other was.
function errorOf({ u_error: one }: Learned, { u_error: other }: Learned): number {
  return Math.hypot(one ?? other ?? 0, other ?? one ?? 0)
}
