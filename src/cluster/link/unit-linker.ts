import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { LinkByModel } from '../../link/link-records.ts'
import type { LinkModel } from '../../link/model/model.ts'
import { query } from '../../warehouse/query.ts'
import { codeHash } from '../code-hash.ts'
import type { Engine } from '../engine.ts'
import { RunFolder } from '../run-folder.ts'
import { linkInUnits } from './link-in-units.ts'

export interface UnitLinkerOptions {
  /** The folder in which each run makes a folder of its own. All machines of the engine must reach it by this path. */
  readonly work: string
  readonly openEngine: (folder: RunFolder) => Promise<Engine>
  readonly units?: number | undefined
}

const PREFIX = 'link-'

/**
 * Returns a function that links all records in units. A run that is killed leaves its folder, and a run with the same
 * input goes on with it. Folders of other runs are removed.
 */
export function unitLinker({ work, openEngine, units }: UnitLinkerOptions): LinkByModel {
  return async (db, model, onStep) => {
    const folder = new RunFolder(join(work, PREFIX + (await inputHash(db, model, units))))
    await mkdir(folder.path, { recursive: true })
    for (const name of await readdir(work)) {
      const path = join(work, name)
      if (name.startsWith(PREFIX) && path !== folder.path) await rm(path, { recursive: true, force: true })
    }
    const engine = await openEngine(folder)
    try {
      const linked = await linkInUnits(db, model, { engine, folder, units, onStep })
      await rm(folder.path, { recursive: true, force: true })
      return linked
    } finally {
      await engine.close()
    }
  }
}

const Input = z.object({ text: z.string() })

/** Returns a hash of all that decides the files of a run: code, model, records, traits of the sources, number of units. */
async function inputHash(db: DuckDBConnection, model: LinkModel, units: number | undefined): Promise<string> {
  const [input] = await query(
    db,
    `select concat_ws(' ',
       (select concat_ws(' ', count(*), bit_xor(hash(record_id, content))) from link.records),
       (select concat_ws(' ', count(*), bit_xor(hash(t))) from link.source_traits as t)
     ) as text`,
    Input,
  )
  return createHash('sha256')
    .update(JSON.stringify([await codeHash(), model, input?.text, units ?? null]))
    .digest('hex')
    .slice(0, 16)
}
