import type { DuckDBConnection } from '@duckdb/node-api'
import { silentLog } from '../../src/log.ts'
import { type Suppression, suppressedIn } from '../../src/lookup/index.ts'
import { publish, type Published, type SuppressionOptions } from '../../src/publish/publish.ts'
import { PUBLISHED_TABLES, type PublishedName } from '../../src/publish/tables.ts'
import { quotedIdentifier } from '../../src/warehouse/query.ts'
import { inventedWorld } from './invented-world.ts'
import { type Cell, given, withWarehouse } from './warehouse.ts'

export { INVENTED, PUBLISHED_ON } from './invented-world.ts'

export type PublishedRows = Partial<Record<PublishedName, Record<string, Cell>[]>>

/** Every table of `published`, empty, with exactly the columns of the contract. */
export async function emptyPublished(db: DuckDBConnection): Promise<void> {
  for (const [name, table] of Object.entries(PUBLISHED_TABLES)) {
    const columns = Object.entries(table.columns).map(
      ([column, type]) => `${quotedIdentifier(column)} ${type}`,
    )
    await db.run(`create table published.${quotedIdentifier(name)} (${columns.join(', ')})`)
  }
}

/** The tables of `published`, filled with `rows`: by default the invented world that lookups and the API are tested on. */
export async function givenPublished(
  db: DuckDBConnection,
  rows: PublishedRows = inventedWorld(),
): Promise<void> {
  await emptyPublished(db)
  for (const [name, values] of Object.entries(rows)) {
    if (values.length > 0) await given(db, `published.${name}`, values)
  }
}

/** The option by which a publication or a purge leaves out the people of a list. */
export function leavingOut(
  suppressions: readonly Suppression[],
  names: SuppressionOptions['names'] = 'withheld',
): SuppressionOptions {
  return { find: (folder) => suppressedIn(folder, suppressions), names }
}

/** Publishes a small world into the folder of snapshots as a night would, without checks; `current` points at it. */
export async function publishedSnapshot(
  snapshots: string,
  rows: PublishedRows = inventedWorld(),
  now: Date = new Date('2026-06-01T04:30:00Z'),
  shards = 1,
): Promise<Published> {
  return withWarehouse(async (db) => {
    await givenPublished(db, rows)
    const { signal } = new AbortController()
    return publish({
      db,
      snapshots,
      now: () => now,
      log: silentLog,
      signal,
      keep: 3,
      shards,
      checks: null,
      sources: [],
    })
  })
}
