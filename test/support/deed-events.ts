import { join } from 'node:path'
import { EVENTS_FOLDER, type EventArchive, openEventArchive } from '../../src/events/archive.ts'
import { writeEvents } from '../../src/publish/write-events.ts'
import { givenPublished } from './published.ts'
import { type Cell, withWarehouse } from './warehouse.ts'

type Row = Record<string, Cell>

const COUNTIES: Record<string, [name: string, state: string]> = {
  12011: ['Broward', 'FL'],
  12086: ['Miami-Dade', 'FL'],
  36061: ['New York', 'NY'],
  48201: ['Harris', 'TX'],
  48453: ['Travis', 'TX'],
}

/** The id of the n-th invented event. */
export function eventId(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-0000-5000-8000-000000000000`
}

/** A row of `published.deed_events`; everybody in it is invented. */
export function deedEvent(n: number, row: Row = {}): Row {
  const county_fips = String(row['county_fips'] ?? '12011')
  const [county_name, state] = COUNTIES[county_fips] ?? ['', '']
  return {
    event_id: eventId(n),
    event_type: 'deed.transfer',
    county_fips,
    county_name,
    state,
    apn: `0000-${n}`,
    document_id: String(n),
    document_text: 'Deed',
    recorded_date: '2026-01-05',
    consideration: 250_000,
    parcel_count: 1,
    transaction_reason: 'sale',
    transaction_reason_text: 'a price of 250,000 dollars',
    is_void: false,
    told_by: 'recorder',
    parties:
      "[{'role': grantor, 'name': 'Palmetto Holdings LLC', 'type': llc, 'person_id': NULL, 'full_address': NULL}]",
    ...row,
  }
}

/** Runs `body` on the events of `rows`, published into `snapshot`. */
export async function withEvents<T>(
  snapshot: string,
  rows: Row[],
  body: (archive: EventArchive) => Promise<T>,
): Promise<T> {
  await withWarehouse(async (db) => {
    await givenPublished(db, { deed_events: rows })
    await writeEvents(db, join(snapshot, EVENTS_FOLDER), new AbortController().signal)
  })
  const archive = openEventArchive(snapshot, SEARCHING)
  try {
    return await body(archive)
  } finally {
    archive.close()
  }
}

export const SEARCHING = { timeoutMs: 60_000, concurrency: 2, memoryLimit: '256MB' }

// A cross join of more rows than any machine goes through in the life of a test.
export const ENDLESS = `(
  select 'TX' as scope, date '2026-01-05' as recorded_on, uuid() as event_id, (a + b)::integer as event_no,
    'TX' as state, '48453' as county_fips
  from range(100_000_000) as left_rows(a), range(100_000_000) as right_rows(b)
  where hash(a, b) % 2 = 0
)`
