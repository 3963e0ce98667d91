import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'

/**
 * What the linker reads: `link.records`, one row per person mention, whatever the source. Absent fields are null or
 * empty lists. Texts are upper case as `src/normalize` leaves them; blanks and placeholders are recognised here.
 *
 * - `addresses`: keys where the normaliser made them; without keys the parts are compared.
 * - `identifiers`: `kind:value`, numbers that only one person has (`fl_voter:…`, `npi:…`).
 * - `traits`: `kind:value`, what many people share (`birthplace:…`, `occupation:…`). Gender and employer are columns.
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
} as const

/** What is known of a source: `link.source_traits`, one row per source; a source without a row has neither trait. */
export const SOURCE_TRAIT_COLUMNS = {
  source_id: 'varchar',
  /** Two of its records are never one person. */
  is_duplicate_free: 'boolean',
  /** The same address means little: it lists households, or buildings. */
  is_household_like: 'boolean',
} as const

/** Makes both tables, empty. */
export async function createRecordTables(db: DuckDBConnection): Promise<void> {
  await execute(db, `create or replace table link.records (${columnList(RECORD_COLUMNS)})`)
  await execute(db, `create or replace table link.source_traits (${columnList(SOURCE_TRAIT_COLUMNS)})`)
}

function columnList(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
}
