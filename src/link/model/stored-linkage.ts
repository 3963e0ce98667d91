import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../../warehouse/query.ts'
import { type LinkModel, parseModel } from './model.ts'

/**
 * Version of the linkage rules and of the tables that store a linkage. Raise it when the same records and model would
 * give another linkage, or when these tables change. The next run then links all records again.
 */
export const LINKAGE_VERSION = 5

// The first version of the table had no column `version`.
const Stored = z.object({ model: z.string(), traits: z.string(), version: z.int().optional() })

/**
 * The facts of the linkage in the warehouse: model, source traits and linkage version. If the version differs from
 * `LINKAGE_VERSION`, the tables of `link` may have another shape.
 */
export interface StoredLinkage {
  readonly model: LinkModel
  readonly traits: string
  readonly version?: number | undefined
}

/**
 * Returns the facts of the stored linkage; undefined before the first run.
 * @throws `bad_config` when the stored model does not have the shape that this version expects.
 */
export async function storedLinkage(db: DuckDBConnection): Promise<StoredLinkage | undefined> {
  const columns = await query(
    db,
    `select count(*)::integer as n from duckdb_columns()
    where schema_name = 'link' and table_name = 'linkage_state' and column_name = 'traits'`,
    z.object({ n: z.int() }),
  )
  if (columns[0]!.n === 0) return undefined
  const [stored] = await query(db, 'select * from link.linkage_state', Stored)
  return stored === undefined ? undefined : { ...stored, model: parseModel(stored.model) }
}

/** Stores the facts of a linkage with the current `LINKAGE_VERSION`. `traits` is a text that names the traits of all sources. */
export async function storeLinkageFacts(
  db: DuckDBConnection,
  model: LinkModel,
  traits: string,
): Promise<void> {
  await execute(
    db,
    'create or replace table link.linkage_state as select $model::varchar as model, $traits::varchar as traits, $version::integer as version',
    { model: JSON.stringify(model), traits, version: LINKAGE_VERSION },
  )
}
