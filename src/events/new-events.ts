import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'
import { dayOf } from '../clock.ts'
import { type EventLedger, firstReleasedDate, Origin, originKey } from './ledger.ts'

/** A new event, with the fields that subscriptions match. */
export interface NewEvent {
  readonly event_id: string
  readonly event_type: string
  /** State code in upper case, such as TX. */
  readonly state: string
  readonly county_fips: string
  readonly property_id: string | null
  /** `YYYY-MM-DD`. */
  readonly recorded_date: string
}

export interface NewEvents {
  /** Events to release, that is, to notify subscribers of, oldest first. */
  readonly events: readonly NewEvent[]
  /** Events that the ledger records without releasing them, such as the first events of a new origin. */
  readonly history: readonly NewEvent[]
  /** All origins in this snapshot, including counties with parcels but without events yet. */
  readonly origins: readonly Origin[]
}

const Row = z.object({
  event_id: z.string(),
  event_type: z.string(),
  state: z.string(),
  county_fips: z.string(),
  property_id: z.string().nullable(),
  recorded_date: z.string(),
  told_by: z.string(),
})
const NewestRow = z.object({ newest: z.string().nullable() })

// A county with parcels is already an origin of the kind `roll`, although events need a second roll to compare with. So the
// events found by its second roll are released.
const ORIGINS = (tables: string): string => `
  select distinct county_fips, told_by from read_parquet('${tables}/deed_events.parquet')
  union
  select distinct county_fips, 'roll' from read_parquet('${tables}/properties.parquet')
  order by county_fips, told_by`

const RECENT = (tables: string): string => `
  select event_id, event_type, state, county_fips, property_id, recorded_date::varchar as recorded_date, told_by
  from read_parquet('${tables}/deed_events.parquet')
  where recorded_date between $from::date and $until::date
  order by recorded_date, event_id`

const NEWEST = (tables: string): string => `
  select max(recorded_date)::varchar as newest from read_parquet('${tables}/deed_events.parquet')
  where recorded_date <= $today::date`

/** Recorders date some documents a few days ahead. A later date is a typo. */
const DAYS_AHEAD = 7

/**
 * Compares a snapshot with the ledger. Returns in `events` the events to release, of which subscribers are notified: those not in
 * the ledger, recorded at most `newsDays` ago. Returns in `history` the events to record without a notification: all events of a new
 * origin, or all events when the ledger was emptied. Subscribers may know them already.
 */
export async function newEvents(
  snapshotFolder: string,
  ledger: EventLedger,
  { now, newsDays }: { readonly now: Date; readonly newsDays: number },
): Promise<NewEvents> {
  const tables = join(snapshotFolder, 'tables').replaceAll("'", "''")
  const known = await ledger.origins()
  const isEmptied = await ledger.isEmptied()
  const since = [firstReleasedDate(now, newsDays), await ledger.forgottenBefore()].sort().at(-1) ?? ''
  const until = dayOf(new Date(now.getTime() + DAYS_AHEAD * 86_400_000))
  const events: NewEvent[] = []
  const history: NewEvent[] = []
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB', threads: '1' })
  const db = await instance.connect()
  try {
    const origins = (await db.runAndReadAll(ORIGINS(tables))).getRowObjectsJson()
    // Also read events that are recent by the newest date of the snapshot itself. Otherwise a fast clock would skip the events of
    // a first snapshot, and they would be released as new once the clock is right.
    const newest = NewestRow.parse(
      (await db.runAndReadAll(NEWEST(tables), { today: dayOf(now) })).getRowObjectsJson()[0],
    ).newest
    const from =
      newest === null ? since : ([since, firstReleasedDate(new Date(newest), newsDays)].sort()[0] ?? since)
    const recent = await db.stream(RECENT(tables), { from, until })
    for await (const rows of recent.yieldRowObjectJson()) {
      const batch = rows.map((row) => Row.parse(row))
      const recorded = await ledger.known(batch.map(({ event_id }) => event_id))
      for (const { told_by, ...event } of batch) {
        if (recorded.has(event.event_id)) continue
        const isKnown = known.has(originKey({ county_fips: event.county_fips, told_by }))
        if (!isKnown || isEmptied) history.push(event)
        else if (event.recorded_date >= since) events.push(event)
      }
    }
    return { events, history, origins: origins.map((row) => Origin.parse(row)) }
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}
