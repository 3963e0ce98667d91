import type { Database, Value } from './database.ts'
import { Purpose } from './purposes.ts'

/** One request made with a valid key. `route` is the path template, without values. */
export interface AccessEvent {
  /** Time of arrival, milliseconds since 1970. */
  readonly event_ts: number
  readonly trace_id: string
  readonly api_key_id: string
  readonly http_method: string
  readonly route: string
  readonly status_code: number
  readonly duration_ms: number
  readonly billable: boolean
  /** Number of requests that a billable event adds to the usage. An enrichment adds its matched rows. The default is 1. */
  readonly billed?: number
}

/** Returns how many requests an event adds to the billed usage. */
export function billedOf({ billable, billed = 1 }: AccessEvent): number {
  return billable ? billed : 0
}

/** An access event as read from the state file. */
export interface WrittenEvent extends Omit<AccessEvent, 'event_ts' | 'billed'> {
  readonly id: number
  /** ISO 8601, UTC. */
  readonly event_ts: string
  /** The recorded purpose of the key; absent when there is none. */
  readonly purpose?: Purpose
}

/** Position of the last event of a page: its time (milliseconds since 1970) and its id. */
export interface EventPosition {
  readonly event_ts: number
  readonly id: number
}

export interface EventRange {
  /** Milliseconds since 1970. The range includes `start` and excludes `end`. */
  readonly start: number
  readonly end: number
  readonly api_key_id?: string | undefined
  readonly after?: EventPosition | undefined
}

export interface EventPage {
  readonly events: WrittenEvent[]
  /** Position to continue from; null on the last page of the range. */
  readonly next: EventPosition | null
}

/** Highest number of events on a page. */
const PAGE_LIMIT = 1_000

/** Reads the written access events page by page, ordered by (event_ts, id). */
export class AccessEvents {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async page({ start, end, api_key_id, after }: EventRange): Promise<EventPage> {
    const conditions = ['event_ts >= ?', 'event_ts < ?']
    const values: Value[] = [start, end]
    if (api_key_id !== undefined) {
      conditions.push('api_key_id = ?')
      values.push(api_key_id)
    }
    if (after !== undefined) {
      conditions.push('(event_ts, id) > (?, ?)')
      values.push(after.event_ts, after.id)
    }
    const rows = await this.#db.all(
      `select id, event_ts, trace_id, api_key_id, http_method, route, status_code, duration_ms, billable,
           (select purpose from keys where keys.api_key_id = access_events.api_key_id) as purpose
         from access_events where ${conditions.join(' and ')} order by event_ts, id limit ${PAGE_LIMIT + 1}`,
      ...values,
    )
    const last = rows.length > PAGE_LIMIT ? rows[PAGE_LIMIT - 1] : undefined
    return {
      events: rows.slice(0, PAGE_LIMIT).map((row) => ({
        id: Number(row['id']),
        event_ts: new Date(Number(row['event_ts'])).toISOString(),
        trace_id: String(row['trace_id']),
        api_key_id: String(row['api_key_id']),
        http_method: String(row['http_method']),
        route: String(row['route']),
        status_code: Number(row['status_code']),
        duration_ms: Number(row['duration_ms']),
        billable: row['billable'] === 1,
        ...purposeOf(row['purpose']),
      })),
      next: last === undefined ? null : { event_ts: Number(last['event_ts']), id: Number(last['id']) },
    }
  }
}

function purposeOf(stored: unknown): { purpose?: Purpose } {
  const purpose = Purpose.catch('none').parse(stored)
  return purpose === 'none' ? {} : { purpose }
}
