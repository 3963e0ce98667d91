import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'

/**
 * Records that came or changed, and numbers of those that left or changed: `temp.come`, numbered from 0 as `mention`, and
 * `temp.gone`, both to be dropped (`dropChanges`). Returns how many.
 */
export async function findChanges(db: DuckDBConnection): Promise<{ come: number; gone: number }> {
  // Of contents the records' ids are a part: where one is the same, so is the record.
  await execute(
    db,
    `create or replace temp table differences as
    select row_number, record_number
    from (select rowid as row_number, content from link.records)
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
    // Who is compared with whom lies close together, as where all records are numbered.
    `create or replace temp table come as
    select
      (row_number() over (order by r.last_name, r.first_name, r.content) - 1)::integer as mention, r.*
    from link.records as r join temp.differences as d on d.row_number = r.rowid`,
  )
  await execute(db, 'drop table temp.differences')
  const counts = await query(
    db,
    `select (select count(*) from temp.come)::integer as come, (select count(*) from temp.gone)::integer as gone`,
    z.object({ come: z.int(), gone: z.int() }),
  )
  return counts[0]!
}

/** Drops what `findChanges` made. */
export async function dropChanges(db: DuckDBConnection): Promise<void> {
  for (const table of ['come', 'gone']) await execute(db, `drop table temp.${table}`)
}
