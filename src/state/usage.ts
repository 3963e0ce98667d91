import type { DatabaseSync } from 'node:sqlite'
import { billableInMonth, type MonthTotal } from './write-events.ts'

interface Count {
  month: string
  /** As the state file had it last, with what other processes wrote. */
  written: number
  /** Counted here, not yet known to be written. */
  pending: number
}

/** Billable requests of the running month per key: what the file says plus what is on its way there. */
export class MonthlyUsage {
  readonly #db: DatabaseSync
  readonly #counts = new Map<string, Count>()
  #month = ''
  #monthEnds = 0
  #monthStarts = 0

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Billable requests in the month of `at` (milliseconds since 1970), up to now. */
  used(api_key_id: string, at: number): number {
    const count = this.#countOf(api_key_id, at)
    return count.written + count.pending
  }

  add(api_key_id: string, at: number): void {
    this.#countOf(api_key_id, at).pending += 1
  }

  /** A batch has been written: its requests are no longer pending. */
  settle(totals: readonly MonthTotal[]): void {
    for (const { api_key_id, month, added, total } of totals) {
      const count = this.#counts.get(api_key_id)
      if (count === undefined || count.month !== month) continue
      count.pending = Math.max(0, count.pending - added)
      count.written = total
    }
  }

  /** Takes in what other processes wrote for a key that is quiet here. */
  refresh(api_key_id: string): void {
    const count = this.#counts.get(api_key_id)
    if (count !== undefined && count.pending === 0) {
      count.written = billableInMonth(this.#db, api_key_id, count.month)
    }
  }

  #countOf(api_key_id: string, at: number): Count {
    const month = this.#monthOf(at)
    const known = this.#counts.get(api_key_id)
    if (known !== undefined && known.month === month) return known
    const count = { month, written: billableInMonth(this.#db, api_key_id, month), pending: 0 }
    this.#counts.set(api_key_id, count)
    return count
  }

  #monthOf(at: number): string {
    if (at < this.#monthStarts || at >= this.#monthEnds) {
      const day = new Date(at)
      this.#month = day.toISOString().slice(0, 7)
      this.#monthStarts = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)
      this.#monthEnds = startOfNextMonth(at)
    }
    return this.#month
  }
}

/** The first instant of the UTC month after the one of `at`, milliseconds since 1970. */
export function startOfNextMonth(at: number): number {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}
