import type { DatabaseSync } from 'node:sqlite'
import { dayOf } from '../clock.ts'
import { isFull } from './sqlite-faults.ts'
import { inTransaction } from './transaction.ts'

export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string
  readonly request_count: number
}

const REFRESH_AFTER_MS = 30 * 60_000

/** Requests of an account per day, over all its keys, from a copy of `usage_days` that is updated every half hour. */
export class UsageReport {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /**
   * Returns the requests per day from the first day with requests until `end` or the day of `at`, whichever is earlier. Days
   * without requests in between count 0. `start` and `end` are days (inclusive); `at` is the present, milliseconds since 1970.
   */
  days(account_id: string, start: string, end: string, at: number): UsageDay[] {
    this.#refreshIfPossible(at)
    const rows = this.#db
      .prepare(
        `select day, sum(request_count) as request_count from usage_reports
         where api_key_id in (select api_key_id from keys where account_id = ?) and day between ? and ?
         group by day order by day`,
      )
      .all(account_id, start, end)
    const counts = new Map(rows.map((row) => [String(row['day']), Number(row['request_count'])]))
    const [first] = counts.keys()
    if (first === undefined) return []
    const today = dayOf(new Date(at))
    const last = end < today ? end : today
    const days: UsageDay[] = []
    for (let date = first; date <= last; date = dayAfter(date)) {
      days.push({ date, request_count: counts.get(date) ?? 0 })
    }
    return days
  }

  // On a full disk the report shows the old copy: reading needs no space.
  #refreshIfPossible(at: number): void {
    try {
      this.refresh(at)
    } catch (cause) {
      if (!isFull(cause)) throw cause
    }
  }

  /** Updates the copy when it is half an hour old. Every report calls it, so no scheduled job is needed. */
  refresh(at: number): void {
    const refreshedAt = this.#refreshedAt()
    if (refreshedAt !== null && at >= refreshedAt && at - refreshedAt < REFRESH_AFTER_MS) return
    inTransaction(this.#db, () => {
      // Another process may have updated the copy while this one waited for the lock.
      if (this.#refreshedAt() !== refreshedAt) return
      // Access events are written within minutes of their time, so copying the last two days is enough.
      const from = refreshedAt === null ? '' : dayOf(new Date(Math.min(refreshedAt, at) - 2 * DAY_MS))
      this.#db
        .prepare(
          `insert into usage_reports (api_key_id, day, request_count)
           select api_key_id, day, request_count from usage_days where day >= ?
           on conflict (api_key_id, day) do update set request_count = excluded.request_count`,
        )
        .run(from)
      this.#db
        .prepare('insert or replace into usage_report_refreshes (id, refreshed_at) values (1, ?)')
        .run(at)
    })
  }

  #refreshedAt(): number | null {
    const row = this.#db.prepare('select refreshed_at from usage_report_refreshes').get()
    return row === undefined ? null : Number(row['refreshed_at'])
  }
}

const DAY_MS = 86_400_000

function dayAfter(date: string): string {
  return dayOf(new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS))
}
