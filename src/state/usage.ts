import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Counts billable requests per account and month from the written access events. */
export class MonthlyUsage {
  readonly #sum: StatementSync

  constructor(db: DatabaseSync) {
    this.#sum = db.prepare(
      `select coalesce(sum(billable_count), 0) as total from usage_days
       where api_key_id in (select api_key_id from keys where account_id = ?) and day between ? and ?`,
    )
  }

  /** Returns the billable requests of all keys of an account in a month (`YYYY-MM`, UTC). */
  written(account_id: string, month: string): number {
    return Number(this.#sum.get(account_id, `${month}-01`, `${month}-31`)?.['total'])
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
