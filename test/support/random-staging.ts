import {
  CANONICAL_TABLES,
  type CanonicalName,
  type ColumnType,
  keepsPast,
} from '../../src/ingest/canonical.ts'
import { Random, stream } from '../../src/generate/random.ts'
import type { Cell } from './warehouse.ts'

type Row = Record<string, Cell>

const SOURCES = ['us/fl/statewide.voters', 'us/lists.contacts', 'us/fl/broward.clerk', 'us/tx/travis.roll']
const NAMES = ['SMITH JOHN', 'SMITH, JOHN A & MARY', 'JANE Q ABERNATHY', 'ABERNATHY JANE', 'PAUL TOM SNYDER', 'SNYDER PAUL', 'ACME HOLDINGS', 'ACME HOLDINGS LLC', 'GRACE CHURCH', 'ESTATE OF JOHN SMITH', 'JANE', 'CITY OF AUSTIN', '???'] // prettier-ignore

/** The values of columns by name: few, so that rows meet. Columns that are not listed take values by type. */
const VALUES: Readonly<Record<string, readonly Cell[]>> = {
  source_id: SOURCES,
  county_fips: ['12011', '12011', '36061', '48453', null],
  parcel_number: ['0000000001', '0000000002', '0000007501', 'a3', 'A3', null],
  document_id: ['us/fl/broward.clerk|1', 'us/fl/broward.clerk|2', 'us/fl/broward.clerk|3', 'us/lists.contacts|1', null],
  instrument_number: ['1', '2', '7', null],
  full_name: [...NAMES, null],
  business_name: NAMES,
  name_order: ['surname_first', 'given_first', null],
  last_name: ['SMITH', 'ABERNATHY', 'JOHN', null],
  first_name: ['JOHN', 'JANE', 'SMITH', 'J', null],
  middle_name: ['A', 'MARY', null, null],
  name_suffix: ['JR', null, null, null],
  other_last_name: ['SNYDER', null, null],
  other_first_name: [null, null, 'MARY'],
  birth_date: ['1961-02-03', '1975-00-00', '1900-01-01', null],
  line_1: ['12 PALM WAY', '12 PLAM WAY', '12 PALM WAY APT 4', '12 N PALM WAY', '14 ELM ST', '14 ELMS ST', 'PO BOX 9', 'GARBLED', null],
  line_2: [null, null, null, 'UNIT 5'],
  mail_line_1: ['C/O JOHN SMITH', '12 PALM WAY', '14 ELM ST', null],
  mail_line_2: ['14 ELM ST', null, null],
  mail_line_3: [null],
  city: ['FORT LAUDERDALE', 'AUSTIN', null],
  mail_city: ['FORT LAUDERDALE', 'AUSTIN', null],
  state: ['FL', 'TX', 'NY', null],
  mail_state: ['FL', 'TX', null],
  zip: ['33301', '33302', '78701', null],
  mail_zip: ['33301', '78701', null],
  phone: ['9545550142', '5125550143', '8005550144', null],
  phone_extension: [null, null, '7'],
  email: ['jane@example.com', 'john@example.com', null],
  employer: ['Acme', null],
  identifier: ['fl_voter:1', 'fl_voter:2', null, null, null],
  traits: ['birthplace:ohio', null, null],
  mention_kind: ['voter', 'provider', 'contact', 'donor'],
  role: ['grantor', 'grantee', 'other', null],
  gender: ['F', 'M', null],
  event_type: ['deed.transfer', 'deed.quitclaim', 'deed.foreclosure', null],
  property_purpose: ['single_family', 'vacant_land', null],
  fixture: ['bedrooms', 'full_baths', 'pool'],
  qualification_code: ['01', '11', null],
  deed_number: ['1', '9', null],
  area_code: ['954', '512'],
  exchange: ['555'],
  thousands_digit: ['0', null],
  operating_company_number: ['0001', '0002'],
  line_type: ['mobile', 'landline', null],
} // prettier-ignore

const DATES = ['2024-03-04', '2025-06-07', '2025-10-01', null]
const NUMBERS = [0, 1, 2, 1850, 250_000, null]

/** Rows for every table of `staging`, the same for the same seed. Each table has 1 to `most` rows. All people are invented. */
export function randomStaging(seed: number, most: number): Record<string, Row[]> {
  const tables: Record<string, Row[]> = {}
  for (const table of Object.keys(CANONICAL_TABLES) as CanonicalName[]) {
    const random = new Random(seed).at(stream(table), 0)
    const now = Array.from({ length: random.between(1, most) }, (_, n) => randomRow(random, table, n))
    tables[`staging.${table}`] = now
    if (!keepsPast(table)) continue
    const before = Array.from({ length: random.between(1, most) }, () => ({
      ...randomRow(random, table, random.int(most)),
      as_of_on: pick(random, DATES.slice(0, 2)),
      superseded_on: '2025-11-01',
    }))
    tables[`staging.past_${table}`] = before
  }
  return tables
}

function randomRow(random: Random, table: CanonicalName, n: number): Row {
  const row: Row = {
    record_key: `${SOURCES[n % SOURCES.length]}/${table}/${n}`,
    source_id: SOURCES[n % SOURCES.length]!,
    file_id: random.int(3),
    line_number: n,
    as_of_on: pick(random, DATES),
  }
  for (const [column, type] of Object.entries(CANONICAL_TABLES[table].columns)) {
    row[column] = pick(random, VALUES[column] ?? BY_TYPE[type])
  }
  return row
}

const BY_TYPE: Readonly<Record<ColumnType, readonly Cell[]>> = {
  varchar: ['A', 'B', null],
  date: DATES,
  double: NUMBERS,
  integer: [1, 2, null],
  boolean: [true, false, null],
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.int(values.length)]!
}
