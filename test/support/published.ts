import type { DuckDBConnection } from '@duckdb/node-api'
import { PUBLISHED_TABLES, type PublishedName } from '../../src/publish/tables.ts'
import { quotedIdentifier } from '../../src/warehouse/query.ts'
import { inventedWorld } from './invented-world.ts'
import { type Cell, given } from './warehouse.ts'

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
