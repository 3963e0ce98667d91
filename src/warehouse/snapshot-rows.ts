import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from './query.ts'

/** Rows of every table of every snapshot that went out: the check `tables_fallen_by_half` compares with the last. */
export async function createSnapshotRows(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create table if not exists ledger.snapshot_rows
       (version varchar, table_name varchar, row_count bigint, published_at timestamp)`,
  )
}

/** To be called when a snapshot has become current. */
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

/** For a publication that may be less than half of the last one (`--full`). */
export async function forgetSnapshotRows(db: DuckDBConnection): Promise<void> {
  await createSnapshotRows(db)
  await execute(db, 'delete from ledger.snapshot_rows')
}
