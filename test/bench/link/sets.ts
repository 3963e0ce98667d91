import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { createRecordTables } from '../../support/linkage.ts'
import { quotedLiteral } from '../../../src/warehouse/query.ts'

/** Where the public sets lie; they are not committed. */
export const SETS_FOLDER =
  process.env['LINKAGE_DATA'] ?? fileURLToPath(new URL('../../../../shared/data/linkage', import.meta.url))

/** A column of a set's file as SQL, per field of `link.records`. */
export interface SetFile {
  readonly file: string
  readonly source: string
  readonly columns: Readonly<Record<string, string>>
}

export interface LinkSet {
  readonly name: string
  readonly files: readonly SetFile[]
  /** The files hold nobody twice: figures are of links between them. */
  readonly isDuplicateFree?: true
  /** Figures to reach, and Splink's on the same set at 0.95 and at the best threshold. */
  readonly target?: number
  readonly splinkDefault?: number
  readonly splinkBest?: number
}

// What optical reading makes of digits: o for 0, l and | for 1.
const digits = (column: string): string => `translate(lower(${column}), 'oil|sbzg', '01115829')`
const text = (column: string): string => `nullif(upper(trim(${column}::varchar)), '')`
const address = (parts: Record<string, string>): string =>
  `[{address_key: null::varchar, building_key: null::varchar, ${[
    'house_number',
    'street_name',
    'unit_number',
    'city',
    'state',
    'zip',
  ]
    .map((part) => `${part}: ${parts[part] === undefined ? 'null::varchar' : text(parts[part])}`)
    .join(', ')}}]`
const datePart = (column: string, part: number): string =>
  `try_cast(regexp_extract(${digits(column)}, '(\\d+)\\D+(\\d+)\\D+(\\d+)', ${part}) as integer)`

const pseudopeople = (source: string): SetFile => ({
  file: `${source}.parquet`,
  source,
  columns: {
    record_id: 'id',
    truth: 'cluster',
    first_name: text('first_name'),
    middle_name: text('middle_initial'),
    last_name: text('last_name'),
    birth_year: datePart('date_of_birth', 3),
    birth_month: datePart('date_of_birth', 1),
    birth_day: datePart('date_of_birth', 2),
    gender: text('sex'),
    addresses: address({
      house_number: 'street_number',
      street_name: 'street_name',
      unit_number: 'unit_number',
      city: 'city',
      state: 'state',
      zip: 'zipcode',
    }),
    traits: `[ 'ethnicity:' || race_ethnicity ]`,
  },
})

export const SETS: readonly LinkSet[] = [
  {
    name: 'fake_1000',
    target: 0.93,
    splinkDefault: 0.836,
    splinkBest: 0.924,
    files: [
      {
        file: 'splink_fake_1000.csv',
        source: 'fake',
        columns: {
          record_id: 'unique_id',
          truth: 'cluster',
          first_name: text('first_name'),
          last_name: text('surname'),
          birth_year: 'year(dob::date)',
          birth_month: 'month(dob::date)',
          birth_day: 'day(dob::date)',
          addresses: address({ city: 'city' }),
          emails: `[${text('email')}]`,
        },
      },
    ],
  },
  {
    name: 'febrl3',
    target: 0.998,
    splinkDefault: 0.9938,
    splinkBest: 0.9979,
    files: [
      {
        file: 'febrl_dataset3.csv',
        source: 'febrl3',
        columns: {
          record_id: 'rec_id',
          truth: `split_part(rec_id, '-', 2)`,
          first_name: text('given_name'),
          last_name: text('surname'),
          birth_year: `try_cast(trim(date_of_birth::varchar)[1:4] as integer)`,
          birth_month: `try_cast(trim(date_of_birth::varchar)[5:6] as integer)`,
          birth_day: `try_cast(trim(date_of_birth::varchar)[7:8] as integer)`,
          addresses: address({
            house_number: 'street_number',
            street_name: 'address_1',
            unit_number: 'address_2',
            city: 'suburb',
            state: 'state',
            zip: 'postcode',
          }),
          identifiers: `[ 'social_security:' || ${text('soc_sec_id')} ]`,
        },
      },
    ],
  },
  {
    name: 'pp2020-pp2030',
    isDuplicateFree: true,
    target: 0.995,
    splinkDefault: 0.972,
    splinkBest: 0.9945,
    files: [pseudopeople('pp2020'), pseudopeople('pp2030')],
  },
]

/** Loads a set into `link.records` and `truth(record_id, cluster)`; false when its files are not there. */
export async function loadSet(db: DuckDBConnection, set: LinkSet, folder = SETS_FOLDER): Promise<boolean> {
  const pathOf = (file: string): string => (isAbsolute(file) ? file : join(folder, file))
  if (!set.files.every(({ file }) => existsSync(pathOf(file)))) return false
  await createRecordTables(db)
  await db.run('create or replace table truth (record_id varchar, cluster varchar)')
  for (const { file, source, columns } of set.files) {
    const path = quotedLiteral(pathOf(file))
    const reader = /\.csv(\.gz)?$/.test(file) ? `read_csv(${path}, all_varchar = true, header = true)` : path
    const fields = Object.entries({ ...columns, source_id: `'${source}'` }).filter(
      ([field]) => field !== 'truth',
    )
    await db.run(
      `insert into link.records by name select ${fields.map(([field, sql]) => `${sql} as ${field}`).join(', ')} from ${reader}`,
    )
    await db.run(`insert into truth select ${columns['record_id']}, ${columns['truth']} from ${reader}`)
    if (set.isDuplicateFree === true) {
      await db.run(`insert into link.source_traits values ('${source}', true, false)`)
    }
  }
  return true
}
