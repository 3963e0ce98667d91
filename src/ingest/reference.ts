import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, inTransaction, insertRows, query, quotedLiteral } from '../warehouse/query.ts'
import type { SourceDefinition } from './definition.ts'
import { ensureTables } from './ledger.ts'

const COUNTIES = fileURLToPath(new URL('../../data/reference/counties.csv', import.meta.url))
const SALE_REASONS = fileURLToPath(new URL('../../data/reference/sale-reasons.csv', import.meta.url))

const SOURCE_COLUMNS = {
  source_id: 'varchar',
  weight: 'double',
  title: 'varchar',
  publisher: 'varchar',
  url: 'varchar',
  states: 'varchar[]',
  counties: 'varchar[]',
  every_days: 'integer',
  is_duplicate_free: 'boolean',
  is_household_like: 'boolean',
}

const ZIP_COLUMNS = {
  zip: 'varchar',
  city: 'varchar',
  state: 'varchar',
  latitude: 'double',
  longitude: 'double',
}

interface Zip {
  readonly zip: string
  readonly city: string
  readonly state: string
  readonly latitude: number
  readonly longitude: number
  readonly country: string
}

/** Fills the tables of `reference` but `zips` from the definitions and `data/reference/`. */
export async function fillReference(
  db: DuckDBConnection,
  sources: readonly SourceDefinition[],
): Promise<void> {
  await inTransaction(db, async () => {
    await ensureTables(db, { 'reference.sources': SOURCE_COLUMNS })
    await execute(
      db,
      `create or replace table reference.counties as
       select fips as county_fips, name as county_name, state,
         trim(regexp_replace(lower(strip_accents(name)), '[^a-z0-9]+', '_', 'g'), '_') as slug
       from read_csv(${quotedLiteral(COUNTIES)}, header = true, all_varchar = true, delim = ',')`,
    )
    await createSaleReasons(db)
    await fillSources(db, sources)
  })
}

/**
 * Creates `reference.sale_reasons`: the event type and reason for each state's sale qualification codes
 * (data/reference/README.md).
 */
export async function createSaleReasons(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create or replace table reference.sale_reasons as
     select state, qualification_code, event_type, transaction_reason
     from read_csv(${quotedLiteral(SALE_REASONS)}, header = true, all_varchar = true, delim = ',')`,
  )
}

async function fillSources(db: DuckDBConnection, sources: readonly SourceDefinition[]): Promise<void> {
  // A source whose definition is missing or faulty keeps its row, because the linker still reads its records.
  const ids = ['', ...sources.map(({ id }) => id)].map(quotedLiteral).join(', ')
  await execute(db, `delete from reference.sources where source_id in (${ids})`)
  const rows = sources.map((source) => ({
    source_id: source.id,
    weight: source.weight,
    title: source.title,
    publisher: source.publisher,
    url: source.url ?? null,
    states: source.states,
    counties: source.counties,
    every_days: source.everyDays,
    is_duplicate_free: source.isDuplicateFree,
    is_household_like: source.isHouseholdLike,
  }))
  await insertRows(db, 'reference.sources', SOURCE_COLUMNS, rows)
}

/**
 * Fills `reference.zips` with US ZIP codes and their centres, unless it has those of this version. Only the models of
 * `published` read the table, so a run that only loads files does without it.
 */
export async function fillZips(db: DuckDBConnection): Promise<void> {
  const load = createRequire(import.meta.url)
  const { version } = load('zipcodes/package.json') as { version: string }
  const stamp = `zipcodes ${version}`
  const [table] = await query(
    db,
    `select comment from duckdb_tables() where schema_name = 'reference' and table_name = 'zips'`,
    z.object({ comment: z.string().nullable() }),
  )
  if (table?.comment === stamp) return
  // The package is CommonJS without types. `codes` has US ZIP codes and Canadian postal codes.
  const { codes } = load('zipcodes') as { codes: Record<string, Zip> }
  const zips = Object.values(codes).filter((code) => code.country === 'US')
  await inTransaction(db, async () => {
    await ensureTables(db, { 'reference.zips': ZIP_COLUMNS })
    await execute(db, 'delete from reference.zips')
    await insertRows(db, 'reference.zips', ZIP_COLUMNS, zips)
    await execute(db, `comment on table reference.zips is ${quotedLiteral(stamp)}`)
  })
}
