import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../../warehouse/query.ts'
import { readIntegers } from '../records/columns.ts'

/** How many records came or changed, and how many left or changed; which, is left in `temp.differences` (`dropChanges`). */
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
  const counts = await query(
    db,
    'select count(row_number)::integer as come, count(record_number)::integer as gone from temp.differences',
    z.object({ come: z.int(), gone: z.int() }),
  )
  return counts[0]!
}

/** Leaves the records that came in `temp.come`, numbered from 0 as `mention`; gives the numbers of those that left, in order. */
export async function listChanges(db: DuckDBConnection): Promise<Int32Array> {
  await execute(
    db,
    // Who is compared with whom lies close together, as where all records are numbered.
    `create or replace temp table come as
    select
      (row_number() over (order by r.last_name, r.first_name, r.content) - 1)::integer as mention, r.*
    from link.records as r join temp.differences as d on d.row_number = r.rowid`,
  )
  const gone: number[] = []
  await readIntegers(
    db,
    'select record_number from temp.differences where record_number is not null order by 1',
    ([numbers], rows) => {
      for (let k = 0; k < rows; k++) gone.push(numbers![k]!)
    },
  )
  return Int32Array.from(gone)
}

/** Gives what came the numbers from `first` on, and forgets those of what left. */
export async function numberChanges(db: DuckDBConnection, first: number): Promise<void> {
  // At once: whoever waits for it is busy with something else.
  await execute(
    db,
    `delete from link.coded_records where record_number in (select record_number from temp.differences);
    insert into link.coded_records select ${first} + mention, record_id, hash(record_id), content from temp.come`,
  )
}

/** Drops what was found. */
export async function dropChanges(db: DuckDBConnection): Promise<void> {
  for (const table of ['differences', 'come']) await execute(db, `drop table if exists temp.${table}`)
}
