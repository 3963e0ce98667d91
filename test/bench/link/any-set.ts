import { basename } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quotedIdentifier, quotedLiteral, query } from '../../../src/warehouse/query.ts'
import { z } from 'zod'
import type { LinkSet, SetFile } from './sets.ts'

/** What people call the columns of such files; the first that a file has is taken. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  record_id: ['record_id', 'unique_id', 'rec_id', 'id', 'rowid'],
  truth: ['truth', 'cluster', 'cluster_id', 'entity_id', 'person_id', 'simulant_id', 'ent_id'],
  first_name: ['first_name', 'given_name', 'firstname', 'forename', 'fname_c1', 'fname'],
  middle_name: ['middle_name', 'middle_initial', 'middlename', 'fname_c2'],
  last_name: ['last_name', 'surname', 'lastname', 'family_name', 'lname_c1', 'lname'],
  name_suffix: ['suffix', 'name_suffix'],
  birth_year: ['birth_year', 'by', 'year_of_birth'],
  birth_month: ['birth_month', 'bm', 'month_of_birth'],
  birth_day: ['birth_day', 'bd', 'day_of_birth'],
  birth_date: ['dob', 'date_of_birth', 'birth_date', 'birthdate'],
  gender: ['sex', 'gender'],
  house_number: ['street_number', 'house_number'],
  street_name: ['street_name', 'address_1', 'street', 'address'],
  unit_number: ['unit_number', 'address_2', 'unit'],
  city: ['city', 'suburb', 'town'],
  state: ['state'],
  zip: ['zip', 'zipcode', 'zip_code', 'postcode', 'postcode_fake'],
  phone: ['phone', 'phone_number', 'telephone'],
  email: ['email'],
  employer: ['employer', 'company'],
  identifier: ['soc_sec_id', 'ssn', 'social_security_number'],
}
const TRAITS = ['birth_place', 'birthplace', 'occupation', 'race_ethnicity', 'ethnicity']
const ADDRESS = ['house_number', 'street_name', 'unit_number', 'city', 'state', 'zip']

/** A set that nobody has described: its columns are taken by their usual names. */
export async function anySet(
  db: DuckDBConnection,
  files: readonly string[],
  isDuplicateFree: boolean,
): Promise<LinkSet> {
  const described: SetFile[] = []
  for (const file of files) described.push(await describe(db, file))
  const name = described.map(({ source }) => source).join('-')
  return { name, files: described, ...(isDuplicateFree ? { isDuplicateFree: true } : {}) }
}

async function describe(db: DuckDBConnection, file: string): Promise<SetFile> {
  const reader = /\.csv(\.gz)?$/.test(file)
    ? `read_csv(${quotedLiteral(file)}, all_varchar = true, header = true)`
    : quotedLiteral(file)
  const described = await query(db, `describe select * from ${reader}`, z.object({ column_name: z.string() }))
  const there = new Map(described.map(({ column_name }) => [column_name.trim().toLowerCase(), column_name]))
  const column = (field: string): string | undefined => {
    const found = NAMES[field]?.find((name) => there.has(name))
    return found === undefined ? undefined : quotedIdentifier(there.get(found)!)
  }
  const columns: Record<string, string> = {}
  for (const field of ['first_name', 'middle_name', 'last_name', 'name_suffix', 'gender', 'employer']) {
    if (column(field) !== undefined) columns[field] = text(column(field))
  }
  const source = basename(file).replace(/\..*$/, '')
  const id = column('record_id')
  columns['record_id'] = id === undefined ? `'${source}-' || row_number() over ()` : `${id}::varchar`
  const truth = column('truth')
  if (truth !== undefined) columns['truth'] = `${truth}::varchar`
  // FEBRL keeps the truth in its record ids: rec-17-org and rec-17-dup-0 are one.
  else if (there.has('rec_id')) columns['truth'] = `split_part(${id}, '-', 2)`
  for (const part of ['birth_year', 'birth_month', 'birth_day']) {
    if (column(part) !== undefined) columns[part] = `try_cast(${column(part)} as integer)`
  }
  const date = column('birth_date')
  if (date !== undefined) Object.assign(columns, dateParts(date))
  if (ADDRESS.some((part) => column(part) !== undefined)) {
    columns['addresses'] =
      `[{address_key: null::varchar, building_key: null::varchar, ${ADDRESS.map((part) => `${part}: ${text(column(part))}`).join(', ')}}]`
  }
  if (column('phone') !== undefined) columns['phones'] = `[${text(column('phone'))}]`
  if (column('email') !== undefined) columns['emails'] = `[${text(column('email'))}]`
  if (column('identifier') !== undefined)
    columns['identifiers'] = `['number:' || ${text(column('identifier'))}]`
  const traits = TRAITS.filter((trait) => there.has(trait))
  if (traits.length > 0) {
    columns['traits'] =
      `[${traits.map((trait) => `'${trait}:' || ${text(quotedIdentifier(there.get(trait)!))}`).join(', ')}]`
  }
  return { file, source, columns }
}

// 1971-06-24, 19710624 or 06/24/1971, with what optical reading makes of digits.
function dateParts(column: string): Record<string, string> {
  const digits = `translate(lower(trim(${column}::varchar)), 'oil|sbzg', '01115829')`
  const parts = (year: number, month: number, day: number, pattern: string): string[] =>
    [year, month, day].map((part) => `nullif(regexp_extract(${digits}, '${pattern}', ${part}), '')`)
  const written = parts(1, 2, 3, '^(\\d{4})-(\\d{1,2})-(\\d{1,2})')
  const packed = parts(1, 2, 3, '^(\\d{4})(\\d{2})(\\d{2})$')
  const american = parts(3, 1, 2, '^(\\d{1,2})/(\\d{1,2})/(\\d{4})$')
  const part = (at: number): string =>
    `try_cast(coalesce(${written[at]}, ${packed[at]}, ${american[at]}) as integer)`
  return { birth_year: part(0), birth_month: part(1), birth_day: part(2) }
}

function text(name: string | undefined): string {
  return name === undefined ? 'null::varchar' : `nullif(upper(trim(${name}::varchar)), '')`
}
