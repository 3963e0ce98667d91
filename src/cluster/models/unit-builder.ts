import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { BuildTables } from '../../warehouse/models.ts'
import { execute, inTransaction, query } from '../../warehouse/query.ts'
import { codeHash } from '../code-hash.ts'
import type { Engine } from '../engine.ts'
import { parquetRows, RunFolder } from '../run-folder.ts'
import { buildInUnits, givenTables } from './models-in-units.ts'

export interface UnitBuilderOptions {
  /** The folder in which each run makes a folder of its own. All machines of the engine must reach it by this path. */
  readonly work: string
  readonly openEngine: (folder: RunFolder) => Promise<Engine>
  /** Number of units; by default one for each million rows of the input. */
  readonly units?: number | undefined
}

const PREFIX = 'models-'
const ROWS_PER_UNIT = 1_000_000
const ROWS_PER_FILE = 1000

/**
 * Returns a function that builds the tables of a step in units. A run that is killed leaves its folder, and a run with the
 * same input goes on with it. Folders of other runs are removed.
 */
export function unitBuilder({ work, openEngine, units }: UnitBuilderOptions): BuildTables {
  return async (db, step) => {
    const given = await givenTables(step)
    const { rows, hash } = await inputOf(db, given)
    const all = [...rows.values()].reduce((sum, own) => sum + own, 0)
    const count = units ?? Math.max(1, Math.ceil(all / ROWS_PER_UNIT))
    const id = createHash('sha256')
      .update(JSON.stringify([await codeHash(), step, hash, count]))
      .digest('hex')
    const folder = new RunFolder(join(work, `${PREFIX}${id.slice(0, 16)}`))
    await mkdir(folder.path, { recursive: true })
    for (const name of await readdir(work)) {
      const path = join(work, name)
      if (name.startsWith(PREFIX) && path !== folder.path) await rm(path, { recursive: true, force: true })
    }
    for (const table of given)
      await exportTable(db, folder, table, { rows: rows.get(table) ?? 0, units: count })
    const engine = await openEngine(folder)
    try {
      const built = await buildInUnits(engine, folder, step, count)
      await inTransaction(db, async () => {
        for (const table of built.keys()) {
          const own = parquetRows(await folder.files(table))
          await execute(db, `create or replace table ${table} as from ${own}`)
        }
      })
      await rm(folder.path, { recursive: true, force: true })
      return built
    } finally {
      await engine.close()
    }
  }
}

/** Writes a table to the run folder. A large table gets several files, because units divide the files among them. */
async function exportTable(
  db: DuckDBConnection,
  folder: RunFolder,
  table: string,
  { rows, units }: { rows: number; units: number },
): Promise<void> {
  const files = Math.min(units, Math.ceil(rows / ROWS_PER_FILE))
  if (files < 2) return folder.writeTable(db, `from ${table}`, table)
  await folder.writeUnits(db, `select *, (rowid % ${files})::integer as unit from ${table}`, table)
}

const Input = z.object({ rows: z.int(), mixed: z.string() })

async function inputOf(
  db: DuckDBConnection,
  tables: readonly string[],
): Promise<{ rows: Map<string, number>; hash: string }> {
  const hash = createHash('sha256')
  const rows = new Map<string, number>()
  for (const table of tables) {
    const [input] = await query(
      db,
      `select count(*)::double as rows, coalesce(bit_xor(hash(t)), 0)::varchar as mixed from ${table} as t`,
      Input,
    )
    rows.set(table, input?.rows ?? 0)
    hash.update(`${table} ${input?.rows} ${input?.mixed}\n`)
  }
  return { rows, hash: hash.digest('hex') }
}
