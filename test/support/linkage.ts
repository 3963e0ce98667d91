import type { DuckDBConnection } from '@duckdb/node-api'
import { RECORD_COLUMNS } from '../../src/linkage/records.ts'

/** Makes what the linker reads, empty: `link.records` and `link.source_traits`. */
export async function createRecordTables(db: DuckDBConnection): Promise<void> {
  const columns = Object.entries(RECORD_COLUMNS).map(([name, type]) => `${name} ${type}`)
  await db.run(`create or replace table link.records (${columns.join(', ')})`)
  await db.run(
    'create or replace table link.source_traits (source_id varchar, is_duplicate_free boolean, is_household_like boolean)',
  )
}
