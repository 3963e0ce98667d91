import type { Database } from './database.ts'

/** Counts billable requests per account and month from the written access events. */
export class MonthlyUsage {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the billable requests of all keys of an account in a month (`YYYY-MM`, UTC). */
  async written(account_id: string, month: string): Promise<number> {
    const row = await this.#db.get(
      `select coalesce(sum(billable_count), 0) as total from usage_days
       where api_key_id in (select api_key_id from keys where account_id = ?) and day between ? and ?`,
      account_id,
      `${month}-01`,
      `${month}-31`,
    )
    return Number(row?.['total'])
  }
}

/** Returns the UTC month of a time in milliseconds since 1970, as `YYYY-MM`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** Returns the start of the next UTC month after `at`. Both are milliseconds since 1970. */
export function startOfNextMonth(at: number): number {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}
