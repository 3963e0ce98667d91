import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Billable requests per account and month, as far as their events are written. */
export class MonthlyUsage {
  readonly #sum: StatementSync

  constructor(db: DatabaseSync) {
    this.#sum = db.prepare(
      `select coalesce(sum(billable_count), 0) as total from usage_days
       where api_key_id in (select api_key_id from keys where account_id = ?) and day between ? and ?`,
    )
  }

  /** Billable requests of all keys of an account in a month (`YYYY-MM`, UTC). */
  written(account_id: string, month: string): number {
    return Number(this.#sum.get(account_id, `${month}-01`, `${month}-31`)?.['total'])
  }
}

/** The UTC month of an instant in milliseconds since 1970, `YYYY-MM`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** The first instant of the UTC month after the one of `at`, milliseconds since 1970. */
export function startOfNextMonth(at: number): number {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}
