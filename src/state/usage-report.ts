import type { Database } from './database.ts'
import { dayOf } from '../clock.ts'
import { isFull } from './faults.ts'

export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string
  readonly request_count: number
}

const REFRESH_AFTER_MS = 30 * 60_000

/** Requests of an account per day, over all its keys, from a copy of `usage_days` that is updated every half hour. */
export class UsageReport {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Returns the requests per day from the first day with requests until `end` or the day of `at`, whichever is earlier. Days
   * without requests in between count 0. `start` and `end` are days (inclusive); `at` is the present, milliseconds since 1970.
   */
  async days(account_id: string, start: string, end: string, at: number): Promise<UsageDay[]> {
    await this.#refreshIfPossible(at)
    const rows = await this.#db.all(
      `select day, sum(request_count) as request_count from usage_reports
         where api_key_id in (select api_key_id from keys where account_id = ?) and day between ? and ?
         group by day order by day`,
      account_id,
      start,
      end,
    )
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
  async #refreshIfPossible(at: number): Promise<void> {
    try {
      await this.refresh(at)
    } catch (cause) {
      if (!isFull(cause)) throw cause
    }
  }

  /** Updates the copy when it is half an hour old. Every report calls it, so no scheduled job is needed. */
  async refresh(at: number): Promise<void> {
    const refreshedAt = await this.#refreshedAt()
    if (refreshedAt !== null && at >= refreshedAt && at - refreshedAt < REFRESH_AFTER_MS) return
    await this.#db.transaction(async () => {
      // Another process may have updated the copy while this one waited for the lock.
      if ((await this.#refreshedAt()) !== refreshedAt) return
      // Access events are written within minutes of their time, so copying the last two days is enough.
      const from = refreshedAt === null ? '' : dayOf(new Date(Math.min(refreshedAt, at) - 2 * DAY_MS))
      await this.#db.run(
        `insert into usage_reports (api_key_id, day, request_count)
           select api_key_id, day, request_count from usage_days where day >= ?
           on conflict (api_key_id, day) do update set request_count = excluded.request_count`,
        from,
      )
      await this.#db.run(
        `insert into usage_report_refreshes (id, refreshed_at) values (1, ?)
         on conflict (id) do update set refreshed_at = excluded.refreshed_at`,
        at,
      )
    })
  }

  async #refreshedAt(): Promise<number | null> {
    const row = await this.#db.get('select refreshed_at from usage_report_refreshes')
    return row === undefined ? null : Number(row['refreshed_at'])
  }
}

const DAY_MS = 86_400_000

function dayAfter(date: string): string {
  return dayOf(new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS))
}
