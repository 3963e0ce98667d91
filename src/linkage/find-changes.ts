import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'
import { CONTENT } from './coding.ts'

/** Records that came or changed, and numbers of those that left or changed: `temp.come` and `temp.gone`. Returns how many. */
export async function findChanges(db: DuckDBConnection): Promise<{ come: number; gone: number }> {
  // The content holds the record's id: where it is the same, so is the record.
  await execute(
    db,
    `create or replace temp table differences as
    select row_number, record_number
    from (select r.rowid as row_number, ${CONTENT} as content from link.records as r)
    full outer join link.coded_records using (content)
    where row_number is null or record_number is null`,
  )
  await execute(
    db,
    `create or replace temp table gone as
    select record_number from temp.differences where record_number is not null`,
  )
  await execute(
    db,
    `create or replace temp table come as
    select * from link.records where rowid in (select row_number from temp.differences where row_number is not null)`,
  )
  await execute(db, 'drop table temp.differences')
  const counts = await query(
    db,
    `select (select count(*) from temp.come)::integer as come, (select count(*) from temp.gone)::integer as gone`,
    z.object({ come: z.int(), gone: z.int() }),
  )
  return counts[0]!
}
