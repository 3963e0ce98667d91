import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'

/**
 * What the linker reads: `link.records`, one row per person record, whatever the source. Absent fields are null or
 * empty lists. Texts are upper case as `src/normalize` leaves them; blanks and placeholders are recognised here.
 *
 * - `addresses`: keys where the normaliser made them; without keys the parts are compared.
 * - `identifiers`: `kind:value`, numbers that only one person has (`fl_voter:…`, `npi:…`).
 * - `traits`: `kind:value`, what many people share (`birthplace:…`, `occupation:…`). Gender and employer are columns.
 *
 * `content` stands for all the others as one number: a record whose number is the same is unchanged. Made where the record is made, so that a
 * night compares numbers.
 *
 * Beside it `link.source_traits (source_id, is_duplicate_free, is_household_like)`, one row per source; a source without a row has
 * neither trait. Duplicate-free: two of its records are never one person. Household-like: the same address means little.
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

/** Makes what the linker reads, empty: `link.records`, in which `content` follows from the others, and `link.source_traits`. */
export async function createRecordTables(db: DuckDBConnection): Promise<void> {
  const columns = Object.entries(GIVEN).map(([name, type]) => `${name} ${type}`)
  columns.push(`content ubigint generated always as (hash(${Object.keys(GIVEN).join(', ')})) virtual`)
  await execute(db, `create or replace table link.records (${columns.join(', ')})`)
  await execute(
    db,
    'create or replace table link.source_traits (source_id varchar, is_duplicate_free boolean, is_household_like boolean)',
  )
}
