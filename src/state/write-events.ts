import type { DatabaseSync } from 'node:sqlite'
import { dayOf } from '../clock.ts'
import { type AccessEvent, billedOf } from './access-events.ts'
import { inTransaction } from './transaction.ts'

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
export function writeEvents(db: DatabaseSync, events: readonly AccessEvent[]): void {
  const insert = db.prepare(
    `insert into access_events (${COLUMNS.join(', ')}, billable) values (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const add = db.prepare(
    `insert into usage_days (api_key_id, day, request_count, billable_count) values (?, ?, ?, ?)
     on conflict (api_key_id, day) do update set
       request_count = request_count + excluded.request_count,
       billable_count = billable_count + excluded.billable_count`,
  )
  inTransaction(db, () => {
    for (const event of events) insert.run(...COLUMNS.map((column) => event[column]), event.billable ? 1 : 0)
    for (const ofDay of Map.groupBy(events, keyAndDay).values()) {
      const { api_key_id, event_ts } = ofDay[0]!
      const billed = ofDay.reduce((sum, event) => sum + billedOf(event), 0)
      add.run(api_key_id, dayOf(new Date(event_ts)), ofDay.length, billed)
    }
  })
}

const DAY_MS = 86_400_000

const keyAndDay = ({ event_ts, api_key_id }: AccessEvent): string =>
  `${Math.floor(event_ts / DAY_MS)} ${api_key_id}`
