import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'
import { dayOf } from '../clock.ts'
import { type EventLedger, newsSince, type Origin, originKey } from './ledger.ts'

/** An event that nobody has been told of yet: what a subscription's region and event type match on. */
export interface NewsEvent {
  readonly event_id: string
  readonly event_type: string
  /** Two letters, upper case. */
  readonly state: string
  readonly county_fips: string
  readonly property_id: string | null
  /** `YYYY-MM-DD`. */
  readonly recorded_date: string
}

export interface News {
  /** Oldest first. */
  readonly events: readonly NewsEvent[]
  /** Events that the ledger doesn't know and that are no news: all that a new origin brings. */
  readonly history: readonly NewsEvent[]
  /** Everybody who tells of events in this snapshot, or might tomorrow. */
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
const OriginRow = z.object({ county_fips: z.string(), told_by: z.string() })

// What two rolls of a county tell apart is news from the second roll on, so a county with parcels counts as having told.
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

/** Recorders date some documents a few days ahead; a later date is a typo. */
const DAYS_AHEAD = 7

/**
 * Returns the news of a snapshot: events that the ledger doesn't know, recorded at most `newsDays` ago and not in the
 * future. What was recorded earlier is history by its date. So is everything that an origin has in its first snapshot,
 * and everything while the ledger is emptied: it may have been told before.
 */
export async function newEvents(
  snapshotFolder: string,
  ledger: EventLedger,
  { now, newsDays }: { readonly now: Date; readonly newsDays: number },
): Promise<News> {
  const tables = join(snapshotFolder, 'tables').replaceAll("'", "''")
  const known = ledger.origins()
  const isEmptied = ledger.isEmptied()
  const since = [newsSince(now, newsDays), ledger.forgottenBefore()].sort().at(-1) ?? ''
  const until = dayOf(new Date(now.getTime() + DAYS_AHEAD * 86_400_000))
  const events: NewsEvent[] = []
  const history: NewsEvent[] = []
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB', threads: '1' })
  const db = await instance.connect()
  try {
    const origins = (await db.runAndReadAll(ORIGINS(tables))).getRowObjectsJson()
    // A first snapshot is taken in by its own dates: were the clock ahead, its events would be news once the clock is right.
    const newest = NewestRow.parse(
      (await db.runAndReadAll(NEWEST(tables), { today: dayOf(now) })).getRowObjectsJson()[0],
    ).newest
    const from = newest === null ? since : ([since, newsSince(new Date(newest), newsDays)].sort()[0] ?? since)
    const recent = await db.stream(RECENT(tables), { from, until })
    for await (const rows of recent.yieldRowObjectJson()) {
      const batch = rows.map((row) => Row.parse(row))
      const told = ledger.known(batch.map(({ event_id }) => event_id))
      for (const { told_by, ...event } of batch) {
        if (told.has(event.event_id)) continue
        const isKnown = known.has(originKey({ county_fips: event.county_fips, told_by }))
        if (!isKnown || isEmptied) history.push(event)
        else if (event.recorded_date >= since) events.push(event)
      }
    }
    return { events, history, origins: origins.map((row) => OriginRow.parse(row)) }
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}
