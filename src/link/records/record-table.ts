import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'

/**
 * Columns of `link.records`, the input of the linker. It has one row per record, for all sources. Unknown values are null or empty lists.
 * Texts are in upper case, as `src/normalize` writes them. The linker itself recognises blanks and placeholders.
 *
 * - `addresses`: the keys are null for addresses that the normaliser could not parse. The linker then compares the parts.
 * - `identifiers`: `kind:value`, numbers that only one person has (`fl_voter:…`, `npi:…`).
 * - `traits`: `kind:value`, properties that many people share (`birthplace:…`, `occupation:…`). Gender and employer have columns of their own.
 * - `content`: a hash of all other columns. An incremental run compares this hash to find changed records.
 *
 * A second input is `link.source_traits (source_id, is_duplicate_free, is_household_like)`. A source without a row has neither trait. Two
 * records of a duplicate-free source are never one person. An equal address in a household-like source counts only as the same ZIP code or city.
 */
export const RECORD_COLUMNS = {
  record_id: 'varchar',
  source_id: 'varchar',
  first_name: 'varchar',
  middle_name: 'varchar',
  last_name: 'varchar',
  name_suffix: 'varchar',
  other_last_names: 'varchar[]',
  birth_year: 'integer',
  birth_month: 'integer',
  birth_day: 'integer',
  gender: 'varchar',
  addresses:
    'struct(address_key varchar, building_key varchar, house_number varchar, street_name varchar, unit_number varchar, city varchar, state varchar, zip varchar)[]',
  phones: 'varchar[]',
  emails: 'varchar[]',
  employer: 'varchar',
  identifiers: 'varchar[]',
  traits: 'varchar[]',
  content: 'ubigint',
} as const

const { content: _, ...GIVEN } = RECORD_COLUMNS

/** Creates empty tables `link.records` and `link.source_traits`. DuckDB computes `content` from the other columns. */
export async function createRecordTables(db: DuckDBConnection): Promise<void> {
  const columns = Object.entries(GIVEN).map(([name, type]) => `${name} ${type}`)
  columns.push(`content ubigint generated always as (hash(${Object.keys(GIVEN).join(', ')})) virtual`)
  await execute(db, `create or replace table link.records (${columns.join(', ')})`)
  await execute(
    db,
    'create or replace table link.source_traits (source_id varchar, is_duplicate_free boolean, is_household_like boolean)',
  )
}
