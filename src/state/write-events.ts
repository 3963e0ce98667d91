import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

/** Access events as columns, which `postMessage` copies to the writing thread faster than rows. */
export interface EventBatch {
  /** Time of arrival, milliseconds since 1970. */
  readonly event_ts: number[]
  readonly trace_id: string[]
  readonly api_key_id: string[]
  readonly http_method: string[]
  readonly route: string[]
  readonly status_code: number[]
  readonly duration_ms: number[]
  readonly billable: boolean[]
  /** Number of billable requests of the event: 0, 1, or the matched rows of a list. */
  readonly billed: number[]
}

export function emptyBatch(): EventBatch {
  return {
    event_ts: [],
    trace_id: [],
    api_key_id: [],
    http_method: [],
    route: [],
    status_code: [],
    duration_ms: [],
    billable: [],
    billed: [],
  }
}

/** Writes the events and adds them to the daily usage in one transaction. Rolls back and throws when a statement fails. */
export function writeEvents(db: DatabaseSync, batch: EventBatch): void {
  db.exec('begin immediate')
  try {
    insertEvents(db, batch)
    addUsage(db, batch)
    db.exec('commit')
  } catch (cause) {
    if (db.isTransaction) db.exec('rollback')
    throw cause
  }
}

// One insert statement writes sixteen rows, which is faster than one row per statement.
const ROWS = 16

function insertEvents(db: DatabaseSync, batch: EventBatch): void {
  const count = batch.event_ts.length
  const whole = count - (count % ROWS)
  const insertMany = whole === 0 ? null : db.prepare(insertOf(ROWS))
  for (let from = 0; from < whole; from += ROWS) insertMany?.run(...valuesOf(batch, from, from + ROWS))
  if (whole < count) db.prepare(insertOf(count - whole)).run(...valuesOf(batch, whole, count))
}

function insertOf(rows: number): string {
  return `insert into access_events (event_ts, trace_id, api_key_id, http_method, route, status_code, duration_ms, billable)
    values ${Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`
}

function valuesOf(batch: EventBatch, from: number, to: number): SQLInputValue[] {
  const values: SQLInputValue[] = []
  for (let index = from; index < to; index++) {
    values.push(
      batch.event_ts[index]!,
      batch.trace_id[index]!,
      batch.api_key_id[index]!,
      batch.http_method[index]!,
      batch.route[index]!,
      batch.status_code[index]!,
      batch.duration_ms[index]!,
      batch.billable[index] === true ? 1 : 0,
    )
  }
  return values
}

interface DayCount {
  readonly api_key_id: string
  readonly dayNumber: number
  requests: number
  billable: number
}

const DAY_MS = 86_400_000

function countDays(batch: EventBatch): DayCount[] {
  const counts = new Map<string, DayCount>()
  let count: DayCount | undefined
  for (const [index, event_ts] of batch.event_ts.entries()) {
    const api_key_id = batch.api_key_id[index] ?? ''
    const dayNumber = Math.floor(event_ts / DAY_MS)
    // Consecutive events mostly have the same key and day, so reuse the last counter before looking it up in the map.
    if (count === undefined || count.api_key_id !== api_key_id || count.dayNumber !== dayNumber) {
      const key = `${dayNumber} ${api_key_id}`
      count = counts.get(key) ?? { api_key_id, dayNumber, requests: 0, billable: 0 }
      counts.set(key, count)
    }
    count.requests += 1
    count.billable += batch.billed[index] ?? 0
  }
  return [...counts.values()]
}

function addUsage(db: DatabaseSync, batch: EventBatch): void {
  const add = db.prepare(
    `insert into usage_days (api_key_id, day, request_count, billable_count) values (?, ?, ?, ?)
     on conflict (api_key_id, day) do update set
       request_count = request_count + excluded.request_count,
       billable_count = billable_count + excluded.billable_count`,
  )
  for (const { api_key_id, dayNumber, requests, billable } of countDays(batch)) {
    add.run(api_key_id, new Date(dayNumber * DAY_MS).toISOString().slice(0, 10), requests, billable)
  }
}
