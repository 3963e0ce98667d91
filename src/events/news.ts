import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'
import { type EventLedger, type Origin, originKey } from './ledger.ts'

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
  where recorded_date >= $since::date
  order by recorded_date, event_id`

/**
 * What is new in a snapshot: events recorded on `since` (`YYYY-MM-DD`) or later that the ledger doesn't know. What was
 * recorded earlier is history by its date, and so is everything that an origin tells in its first night.
 */
export async function newEvents(snapshotFolder: string, ledger: EventLedger, since: string): Promise<News> {
  const tables = join(snapshotFolder, 'tables').replaceAll("'", "''")
  const known = ledger.origins()
  const events: NewsEvent[] = []
  const history: NewsEvent[] = []
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB', threads: '1' })
  const db = await instance.connect()
  try {
    const origins = (await db.runAndReadAll(ORIGINS(tables))).getRowObjectsJson()
    const recent = await db.stream(RECENT(tables), { since })
    for await (const rows of recent.yieldRowObjectJson()) {
      const batch = rows.map((row) => Row.parse(row))
      const told = ledger.known(batch.map(({ event_id }) => event_id))
      for (const { told_by, ...event } of batch) {
        if (told.has(event.event_id)) continue
        const isNews = known.has(originKey({ county_fips: event.county_fips, told_by }))
        ;(isNews ? events : history).push(event)
      }
    }
    return { events, history, origins: origins.map((row) => OriginRow.parse(row)) }
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}
