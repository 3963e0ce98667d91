import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../../warehouse/query.ts'
import { readIntegers } from '../../warehouse/column-vectors.ts'

/**
 * Compares `link.records` with the records that the last run linked (`link.coded_records`). Returns the numbers of added and removed records;
 * a changed record counts as both. Writes the differences to `temp.differences`, which `listChanges` reads and `dropChanges` drops.
 */
export async function findChanges(db: DuckDBConnection): Promise<{ added: number; removed: number }> {
  // `content` is a hash of all columns, the record id included, so records with an equal `content` are the same.
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
    'select count(row_number)::integer as added, count(record_number)::integer as removed from temp.differences',
    z.object({ added: z.int(), removed: z.int() }),
  )
  return counts[0]!
}

/**
 * Copies the added records to `temp.added`, and deletes the removed records from `link.coded_records`. Returns the numbers of the removed
 * records, ascending. Call it after `findChanges`.
 */
export async function listChanges(db: DuckDBConnection): Promise<Int32Array> {
  await execute(
    db,
    `create or replace temp table added as
    select r.* from link.records as r semi join temp.differences as d on d.row_number = r.rowid`,
  )
  const removed: number[] = []
  await readIntegers(
    db,
    'select record_number from temp.differences where record_number is not null order by 1',
    ([numbers], rows) => {
      for (let k = 0; k < rows; k++) removed.push(numbers![k]!)
    },
  )
  await execute(
    db,
    'delete from link.coded_records where record_number in (select record_number from temp.differences)',
  )
  return Int32Array.from(removed)
}

/** Drops the temporary tables that `findChanges` and `listChanges` make. */
export async function dropChanges(db: DuckDBConnection): Promise<void> {
  for (const table of ['differences', 'added']) await execute(db, `drop table if exists temp.${table}`)
}
