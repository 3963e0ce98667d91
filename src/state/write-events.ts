import type { Database } from './database.ts'
import { dayOf } from '../clock.ts'
import { type AccessEvent, billedOf } from './access-events.ts'
import { insertRows } from './rows.ts'

const COLUMNS = [
  'event_ts',
  'trace_id',
  'api_key_id',
  'http_method',
  'route',
  'status_code',
  'duration_ms',
] as const

/** Writes the events and adds them to the daily usage in one transaction. Rolls back and throws when a statement fails. */
export async function writeEvents(db: Database, events: readonly AccessEvent[]): Promise<void> {
  const rows = events.map((event) => [...COLUMNS.map((column) => event[column]), event.billable ? 1 : 0])
  // All processes add to the days in the same order, so that none waits for a row of a process that waits for it.
  const days = [...Map.groupBy(events, keyAndDay)].sort(([left], [right]) => (left < right ? -1 : 1))
  const usage = days.map(([, ofDay]) => {
    const { api_key_id, event_ts } = ofDay[0]!
    const billed = ofDay.reduce((sum, event) => sum + billedOf(event), 0)
    return [api_key_id, dayOf(new Date(event_ts)), ofDay.length, billed]
  })
  await db.transaction(
    async () => {
      await insertRows(db, 'access_events', [...COLUMNS, 'billable'], rows)
      await insertRows(
        db,
        'usage_days',
        ['api_key_id', 'day', 'request_count', 'billable_count'],
        usage,
        `on conflict (api_key_id, day) do update set
           request_count = usage_days.request_count + excluded.request_count,
           billable_count = usage_days.billable_count + excluded.billable_count`,
      )
    },
    { isolation: 'read committed' },
  )
}

const DAY_MS = 86_400_000

const keyAndDay = ({ event_ts, api_key_id }: AccessEvent): string =>
  `${Math.floor(event_ts / DAY_MS)} ${api_key_id}`
