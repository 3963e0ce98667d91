import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '../errors.ts'
import { execute, quotedLiteral } from '../warehouse/query.ts'
import { type LinkModel, parseModel } from './model.ts'

const MODEL = 'link-model.json'
const TERMS = 'link-model.terms.parquet'

/** Writes `link-model.json` and, beside it, the term frequencies of `link.term_counts`; each file is whole or the old one. */
export async function saveModel(db: DuckDBConnection, folder: string, model: LinkModel): Promise<void> {
  await mkdir(folder, { recursive: true })
  const terms = join(folder, TERMS)
  await execute(
    db,
    `copy (from link.term_counts order by field, high, low) to ${quotedLiteral(`${terms}.partial`)} (format parquet)`,
  )
  await writeFile(join(folder, `${MODEL}.partial`), `${JSON.stringify(model, null, 2)}\n`)
  await rename(`${terms}.partial`, terms)
  await rename(join(folder, `${MODEL}.partial`), join(folder, MODEL))
}

/** Reads both into memory and `link.term_counts`; undefined when no model was ever saved there. */
export async function readModel(db: DuckDBConnection, folder: string): Promise<LinkModel | undefined> {
  let text: string
  try {
    text = await readFile(join(folder, MODEL), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AppError('bad_config', `${join(folder, MODEL)} cannot be read`, { cause })
  }
  const model = parseModel(text)
  await execute(
    db,
    `create or replace table link.term_counts as from read_parquet(${quotedLiteral(join(folder, TERMS))})`,
  )
  return model
}

/** A level whose weight would be another if the model were trained on today's records. */
export interface Drift {
  readonly comparison: string
  readonly level: string
  readonly bits: number
  readonly fresh: number
}

/** Levels that drifted by at least `atLeast` bits, furthest first; frequencies decide levels that go by them, so these compare by m alone. */
export function driftBetween(model: LinkModel, fresh: LinkModel, atLeast = 0.5): Drift[] {
  const drifted: Drift[] = []
  for (const { comparison, levels } of model.comparisons) {
    const now = fresh.comparisons.find((other) => other.comparison === comparison)
    levels.forEach((level, l) => {
      const other = now?.levels[l]
      // A level that hardly ever occurs among true pairs is estimated from next to nothing.
      if (other === undefined || Math.max(level.m, other.m) < 0.001) return
      const bits = Math.log2(level.m / level.u)
      const freshBits = Math.log2(other.m / other.u)
      if (Math.abs(bits - freshBits) >= atLeast)
        drifted.push({ comparison, level: level.level, bits, fresh: freshBits })
    })
  }
  return drifted.sort((a, b) => Math.abs(b.fresh - b.bits) - Math.abs(a.fresh - a.bits))
}
