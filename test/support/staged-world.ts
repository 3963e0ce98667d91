import type { DuckDBConnection } from '@duckdb/node-api'
import { link, type LinkOptions, type LinkReport } from '../../src/link/link.ts'
import { normalize } from '../../src/normalize/run/normalize.ts'
import { silentLog } from '../../src/log.ts'
import { buildModels, loadModels } from '../../src/warehouse/models.ts'
import { createModelInputs } from './staging.ts'
import { type Cell, given, withWarehouse } from './warehouse.ts'

type Row = Record<string, Cell>

let line = 0

/** A staging row with its lineage; `record_key` is `<source_id>/<kind>/<identity>`. All people are invented. */
export function staged(source: string, kind: string, identity: string, row: Row): Row {
  line += 1
  return {
    record_key: `${source}/${kind}/${identity}`,
    source_id: source,
    file_id: 1,
    line_number: line,
    as_of_on: '2025-11-01',
    ...row,
  }
}

export function voter(id: string, row: Row): Row {
  return staged('us/fl/statewide.voters', 'voters', id, {
    mention_kind: 'voter',
    county_fips: '12011',
    identifier: `fl_voter:${id}`,
    city: 'Fort Lauderdale',
    state: 'FL',
    zip: '33301',
    ...row,
  })
}

export function contact(id: string, row: Row): Row {
  return staged('us/lists.contacts', 'contacts', id, { mention_kind: 'contact', ...row })
}

export function owner(number: string, name: string, row: Row = {}): Row {
  return staged('us/fl/statewide.nal', 'nal', `16|${number}`, {
    county_fips: '12011',
    parcel_number: number,
    roll_year: 2025,
    owner_sequence: 1,
    full_name: name,
    name_order: 'surname_first',
    ...row,
  })
}

export function parcel(number: string, line_1: string, row: Row = {}): Row {
  return staged('us/fl/statewide.nal', 'nal', `16|${number}`, {
    county_fips: '12011',
    parcel_number: number,
    roll_year: 2025,
    line_1,
    city: 'Fort Lauderdale',
    state: 'FL',
    zip: '33301',
    property_purpose: 'single_family',
    ...row,
  })
}

export const COUNTIES: Row[] = [
  { county_fips: '12011', county_name: 'Broward', state: 'FL', slug: 'broward' },
  { county_fips: '36061', county_name: 'New York', state: 'NY', slug: 'new_york' },
  { county_fips: '48453', county_name: 'Travis', state: 'TX', slug: 'travis' },
]

/** Normalises and links what staging holds. */
export async function linkStaged(
  db: DuckDBConnection,
  day = '2025-11-02',
  changes: Partial<LinkOptions> = {},
): Promise<LinkReport> {
  const options = {
    db,
    now: () => new Date(`${day}T04:00:00Z`),
    log: silentLog,
    signal: new AbortController().signal,
    ...changes,
  }
  await normalize(options)
  return link(options)
}

/** Builds `published.*` of what is linked. */
export async function publishStaged(db: DuckDBConnection): Promise<void> {
  await buildModels(db, await loadModels(), {
    layers: ['published'],
    log: silentLog,
    signal: new AbortController().signal,
  })
}

/** Empties `table` and puts `rows` there: tonight's content of a staging table. */
export async function restage(db: DuckDBConnection, table: string, rows: Row[]): Promise<void> {
  await db.run(`delete from ${table}`)
  if (rows.length > 0) await given(db, table, rows)
}

/** Stages, links and publishes. */
export async function withPublished<T>(
  tables: Record<string, Row[]>,
  body: (db: DuckDBConnection) => Promise<T>,
): Promise<T> {
  return withWarehouse(async (db) => {
    await createModelInputs(db)
    await given(db, 'reference.counties', COUNTIES)
    await given(db, 'reference.sources', [
      { source_id: 'us/fl/statewide.voters', weight: 0.9 },
      { source_id: 'us/lists.contacts', weight: 0.4 },
    ])
    for (const [table, rows] of Object.entries(tables)) await given(db, table, rows)
    await linkStaged(db)
    await publishStaged(db)
    return body(db)
  })
}
