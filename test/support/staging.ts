import type { DuckDBConnection } from '@duckdb/node-api'
import { CANONICAL_TABLES, LINEAGE_COLUMNS } from '../../src/ingest/canonical.ts'
import { createSaleReasons } from '../../src/ingest/reference.ts'
import { createEdgesView, createLinkTables } from '../../src/link/ids/tables.ts'
import { createMacros } from '../../src/warehouse/models.ts'
import { createSnapshotRows } from '../../src/warehouse/snapshot-rows.ts'

/** Empty staging and reference tables, link's own tables the ledger of files and the macros: what models and checks need to be bound or built. */
export async function createModelInputs(db: DuckDBConnection): Promise<void> {
  for (const [name, table] of Object.entries(CANONICAL_TABLES)) {
    const columns = Object.entries({ ...LINEAGE_COLUMNS, ...table.columns }).map(
      ([column, type]) => `${column} ${type}`,
    )
    await db.run(`create table staging.${name} (${columns.join(', ')})`)
    if ('keepsPast' in table) {
      await db.run(`create table staging.past_${name} (${columns.join(', ')}, superseded_on date)`)
    }
  }
  await db.run(
    'create table reference.counties (county_fips varchar, county_name varchar, state varchar, slug varchar)',
  )
  await db.run(
    'create table reference.zips (zip varchar, city varchar, state varchar, latitude double, longitude double)',
  )
  await db.run(
    `create table reference.sources (source_id varchar, weight double, title varchar, is_duplicate_free boolean,
       is_household_like boolean)`,
  )
  await db.run(
    `create table ledger.files (file_id integer, source_id varchar, kind varchar, file_name varchar, status varchar,
       physical_rows bigint, loaded_rows bigint, refused_rows bigint)`,
  )
  await createSaleReasons(db)
  await createSnapshotRows(db)
  await createMacros(db)
  await createLinkTables(db)
  await db.run('create table link.coded_records (record_number integer, record_id varchar)')
  await db.run('create table link.pair_edges (left_number integer, right_number integer, bits double)')
  await db.run('create table link.groups (record_number integer, component integer, cluster integer)')
  await createEdgesView(db)
}
