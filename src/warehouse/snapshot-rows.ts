import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from './query.ts'

/**
 * Creates the table `ledger.snapshot_rows`: the row count of each table of each published snapshot. The check
 * `tables_fallen_by_half` compares new tables with the newest of these counts.
 */
export async function createSnapshotRows(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create table if not exists ledger.snapshot_rows
       (version varchar, table_name varchar, row_count bigint, published_at timestamp)`,
  )
}

/** Records the row counts of a snapshot. To be called after the snapshot has become the served one. */
export async function recordSnapshotRows(
  db: DuckDBConnection,
  version: string,
  rows: Readonly<Record<string, number>>,
  publishedAt: Date,
): Promise<void> {
  await createSnapshotRows(db)
  const at = publishedAt.toISOString().replace('Z', '')
  for (const [table, count] of Object.entries(rows)) {
    await execute(db, 'insert into ledger.snapshot_rows values ($version, $table, $count, $at::timestamp)', {
      version,
      table,
      count,
      at,
    })
  }
}

/** Deletes all counts, so that a publication with `--full` may have less than half of the rows of the last one. */
export async function forgetSnapshotRows(db: DuckDBConnection): Promise<void> {
  await createSnapshotRows(db)
  await execute(db, 'delete from ledger.snapshot_rows')
}
