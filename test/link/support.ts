import type { DuckDBConnection } from '@duckdb/node-api'
import { createModelInputs } from '../support/staging.ts'
import { COUNTIES } from '../support/staged-world.ts'
import { type Cell, given, rowsOf, withWarehouse } from '../support/warehouse.ts'

export const JANE = {
  last_name: 'Abernathy',
  first_name: 'Jane',
  middle_name: 'Q',
  birth_date: '1980-03-04',
  line_1: '12 Elm St',
}

/** A warehouse in which `tables` are staged and nothing is linked yet. */
export async function withStaging(
  tables: Record<string, Record<string, Cell>[]>,
  body: (db: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    await given(db, 'reference.counties', COUNTIES)
    for (const [table, rows] of Object.entries(tables)) await given(db, table, rows)
    await body(db)
  })
}

/** The person of a mention whose key ends so. */
export async function personOf(db: DuckDBConnection, mention: string): Promise<unknown> {
  const [row] = await rowsOf(
    db,
    `select person_id from link.person_mentions where mention_key like '%${mention}'`,
  )
  return row?.['person_id']
}
