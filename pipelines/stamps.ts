import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { LINKAGE_VERSION } from '../src/link/model/stored-linkage.ts'
import { normaliserVersion } from '../src/normalize/run/dictionaries.ts'
import { modelsVersion } from '../src/warehouse/models.ts'
import { execute, query } from '../src/warehouse/query.ts'

/**
 * The results that have a stamp: `normal.*`, the last link run, the tables `published.*`, and the last snapshot. A stamp
 * is a text that names the input of a complete result.
 */
export type Stamped = 'normalize' | 'link' | 'published' | 'publish'

export async function createStamps(db: DuckDBConnection): Promise<void> {
  await execute(db, 'create table if not exists ledger.stamps (step varchar, stamp varchar)')
}

const Stamp = z.object({ stamp: z.string().nullable() })

/** Returns null when the result was never complete, or its stamp was cleared. */
export async function stampOf(db: DuckDBConnection, step: Stamped): Promise<string | null> {
  const rows = await query(db, 'select stamp from ledger.stamps where step = $step', Stamp, { step })
  return rows[0]?.stamp ?? null
}

export async function setStamp(db: DuckDBConnection, step: Stamped, stamp: string): Promise<void> {
  await clearStamps(db, [step])
  await execute(db, 'insert into ledger.stamps values ($step, $stamp)', { step, stamp })
}

export async function clearStamps(db: DuckDBConnection, steps: readonly Stamped[]): Promise<void> {
  for (const step of steps) await execute(db, 'delete from ledger.stamps where step = $step', { step })
}

/**
 * Returns the stamp that `normal.*` gets when it is built now. It changes when a file is loaded or staged again, when
 * loaded content is sent again with another date, and with the SQL models and the normaliser.
 */
export async function loadedStamp(db: DuckDBConnection): Promise<string> {
  const [row] = await query(
    db,
    `select string_agg(part, ',' order by part) as stamp
     from (
       select distinct sha256 || ':' || as_of_on::varchar as part
       from ledger.files where status in ('loaded', 'repeated')
       union all
       select file_id || ':' || loaded_at::varchar from ledger.files where status = 'loaded'
     ) as parts`,
    Stamp,
  )
  const loaded = createHash('sha256')
    .update(row?.stamp ?? '')
    .digest('hex')
  return [loaded, await modelsVersion(), await normaliserVersion()].join(' ')
}

/** Returns the stamp of a link run whose input has the stamp `normalized`. */
export function linkStamp(normalized: string | null): string {
  return `${normalized} ${LINKAGE_VERSION}`
}

/** Returns the stamp of `published.*` built from the last link run. A run with another model gives another stamp. */
export async function linkedTablesStamp(db: DuckDBConnection, linked: string): Promise<string> {
  const [row] = await query(db, 'select max(run_number)::varchar as stamp from link.runs', Stamp)
  return `${linked} run ${row?.stamp}`
}
