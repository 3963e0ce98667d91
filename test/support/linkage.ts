import type { DuckDBConnection } from '@duckdb/node-api'
import { RECORD_COLUMNS } from '../../src/linkage/records.ts'

const { content: _, ...GIVEN } = RECORD_COLUMNS

/** Makes what the linker reads, empty: `link.records`, in which `content` follows from the others, and `link.source_traits`. */
export async function createRecordTables(db: DuckDBConnection): Promise<void> {
  const columns = Object.entries(GIVEN).map(([name, type]) => `${name} ${type}`)
  columns.push(`content ubigint generated always as (hash(${Object.keys(GIVEN).join(', ')})) virtual`)
  await db.run(`create or replace table link.records (${columns.join(', ')})`)
  await db.run(
    'create or replace table link.source_traits (source_id varchar, is_duplicate_free boolean, is_household_like boolean)',
  )
}
