import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isBusy } from './sqlite-faults.ts'
import { inTransaction } from './transaction.ts'
import { type MonthlyUsage, monthOf, startOfNextMonth } from './usage.ts'

/** An account with a cap. */
export interface Capped {
  readonly account_id: string
  readonly monthly_cap: number
}

interface Lease {
  readonly account_id: string
  readonly month: string
  /** Requests that this process may still answer before it must claim again. */
  left: number
  /** `left` at the last check (`SWEEP_EVERY_MS`). An unchanged `left` means that the lease is not in use and is given back. */
  leftAtSweep: number
  renewedAt: number
}

/** Requests of an account that this process answered while it could not write the lease file. */
interface Unfiled {
  readonly month: string
  /** Requests of the month that were used or leased when the first write failed. */
  readonly base: number
  /** Requests that this process has answered since then. */
  taken: number
}

/** A claim takes 1/256 of the remaining requests of the month, so processes claim the last requests one by one. */
const PART = 256
/** Largest number of requests in one claim. */
const MOST_AT_ONCE = 1_024
/** How often a process gives unused leases back and renews used ones. */
const SWEEP_EVERY_MS = 1_000
const RENEW_AFTER_MS = 3_000
// A killed process cannot give its lease back. Other processes take over leases that were not renewed for this long.
const STALE_AFTER_MS = 10_000
export const LEASES_FILE = 'leases.sqlite'
// When several processes create the lease file at once, SQLite reports "busy" to all but one, whatever their timeout.
const OPEN_ATTEMPTS = 100
const OPEN_PAUSE_MS = 5
const OPEN_PAUSE = new Int32Array(new SharedArrayBuffer(4))

// The leases have a file of their own because a commit of the state file waits for the disk, and the request would wait,
// too. Losing this file is harmless: `claim` counts again from the usage in the state file.
const SCHEMA = `
drop table if exists claims;
drop table if exists leases;
create table if not exists account_claims (
    account_id text not null, month text not null, claimed integer not null,
    primary key (account_id, month)
) strict, without rowid;
create table if not exists account_leases (
    holder text not null, account_id text not null, month text not null, left integer not null, renewed_at integer not null,
    primary key (holder, account_id, month)
) strict, without rowid`

/**
 * Divides the remaining requests of monthly caps among all processes on one state file. A process claims a part of the
 * remaining requests as a lease, and answers that many requests without reading the file. It gives unused leases back within
 * about a second. Processes therefore never exceed a cap together. After a kill, a cap may be exceeded by one lease, at most
 * 1/256 of the cap. While the disk is full, each process counts in memory and answers at most an equal share.
 */
export class Allowances {
  readonly #path: string
  readonly #usage: MonthlyUsage
  readonly #processCount: number
  readonly #holder = randomUUID()
  readonly #leases = new Map<string, Lease>()
  readonly #unfiled = new Map<string, Unfiled>()
  #month = { starts: 0, ends: 0, text: '' }
  #file: LeaseFile | null = null
  #sweep: NodeJS.Timeout | null = null

  /** `statePath`: path of the state file; the lease file is in the same folder. `processCount`: processes of the service. */
  constructor(statePath: string, usage: MonthlyUsage, processCount = 1) {
    this.#processCount = processCount
    this.#path = join(dirname(statePath), LEASES_FILE)
    this.#usage = usage
  }

  /** Counts one billable request. Returns false when the cap is used up. `at`: milliseconds since 1970. */
  take(key: Capped, at: number): boolean {
    const month = this.#monthOf(at)
    const known = this.#leases.get(key.account_id)
    const isGood = known !== undefined && known.month === month && known.left > 0
    const lease = isGood ? known : this.#claim(key, month)
    if (lease === null) return false
    lease.left -= 1
    return true
  }

  /** Gives back requests that this or an earlier process took at `at` and that were not billable after all. */
  giveBack(account_id: string, at: number, count = 1): void {
    const month = this.#monthOf(at)
    const lease = this.#leases.get(account_id)
    // An enrichment may give back more requests than one lease holds, so they go back to the file for all processes.
    if (count === 1 && lease?.month === month) lease.left += 1
    else if (!this.#putBackUnfiled(account_id, month, count))
      this.#whileDiskAllows((file) => file.putBack(account_id, month, count))
  }

  /** Gives the unused part of every lease back and closes the lease file. */
  close(): void {
    if (this.#sweep !== null) clearInterval(this.#sweep)
    for (const lease of this.#leases.values()) this.#return(lease)
    this.#file?.close()
    this.#file = null
  }

  #claim({ account_id, monthly_cap }: Capped, month: string): Lease | null {
    const file = this.#open()
    const written = this.#usage.written(account_id, month)
    // Lease renewal uses real time, even when a test gives requests another time.
    const now = Date.now()
    const left = this.#partOf(file, { account_id, monthly_cap, month, written, now })
    if (left === 0) return null
    const lease = { account_id, month, left, leftAtSweep: -1, renewedAt: now }
    this.#leases.set(account_id, lease)
    this.#sweep ??= setInterval(() => this.#sweepLeases(Date.now()), SWEEP_EVERY_MS).unref()
    return lease
  }

  // Returns the number of claimed requests, or 0. When the lease file cannot be written, counts one request in memory, so that
  // requests are still answered and still counted.
  #partOf(file: LeaseFile | null, claim: Omit<Claim, 'unfiled'>): number {
    const before = this.#unfiled.get(claim.account_id)
    const unfiled = before?.month === claim.month ? before.taken : 0
    try {
      if (file !== null) {
        const part = file.claim({ ...claim, unfiled })
        this.#unfiled.delete(claim.account_id)
        return part
      }
    } catch {
      // Count in memory, as without a file.
    }
    const counted = this.#unfiledOf(claim.account_id, claim.month)
    const share = Math.floor((claim.monthly_cap - counted.base) / this.#processCount)
    if (counted.taken >= share || claim.written >= claim.monthly_cap) return 0
    counted.taken += 1
    return 1
  }

  #unfiledOf(account_id: string, month: string): Unfiled {
    const known = this.#unfiled.get(account_id)
    if (known?.month === month) return known
    const base = Math.max(this.#usage.written(account_id, month), this.#claimedBefore(account_id, month))
    const unfiled = { month, base, taken: 0 }
    this.#unfiled.set(account_id, unfiled)
    return unfiled
  }

  // A full disk can still be read, so the file may still report what was claimed.
  #claimedBefore(account_id: string, month: string): number {
    try {
      return this.#open()?.claimed(account_id, month) ?? 0
    } catch {
      return 0
    }
  }

  #putBackUnfiled(account_id: string, month: string, count: number): boolean {
    const unfiled = this.#unfiled.get(account_id)
    if (unfiled?.month !== month || unfiled.taken < count) return false
    unfiled.taken -= count
    return true
  }

  // Returns null while the file cannot be opened, for example on a full disk.
  #open(): LeaseFile | null {
    for (let attempt = 0; this.#file === null && attempt < OPEN_ATTEMPTS; attempt += 1) {
      try {
        this.#file = new LeaseFile(this.#path, this.#holder)
      } catch (cause) {
        if (!isBusy(cause)) return null
        Atomics.wait(OPEN_PAUSE, 0, 0, OPEN_PAUSE_MS)
      }
    }
    return this.#file
  }

  // Caches the text of the current month: formatting a date for each request is slow.
  #monthOf(at: number): string {
    if (at < this.#month.starts || at >= this.#month.ends) {
      const text = monthOf(at)
      this.#month = { starts: Date.parse(`${text}-01T00:00:00Z`), ends: startOfNextMonth(at), text }
    }
    return this.#month.text
  }

  #sweepLeases(now: number): void {
    for (const lease of this.#leases.values()) {
      if (lease.left === lease.leftAtSweep) {
        this.#return(lease)
        continue
      }
      lease.leftAtSweep = lease.left
      if (now - lease.renewedAt < RENEW_AFTER_MS) continue
      if (this.#renew(lease)) lease.renewedAt = now
    }
  }

  #renew(lease: Lease): boolean {
    try {
      this.#file?.renew(lease)
      return true
    } catch {
      // The next sweep tries again.
      return false
    }
  }

  #return(lease: Lease): void {
    this.#leases.delete(lease.account_id)
    if (!this.#putBackUnfiled(lease.account_id, lease.month, lease.left))
      this.#whileDiskAllows((file) => file.end(lease))
  }

  // Ignores failures: other processes take over what could not be given back, like the lease of a killed process.
  #whileDiskAllows(act: (file: LeaseFile) => void): void {
    try {
      const file = this.#open()
      if (file !== null) act(file)
    } catch {
      return
    }
  }
}

interface Claim extends Capped {
  readonly month: string
  /** Billable requests of the month in the state file. */
  readonly written: number
  /** Requests that this process answered while it could not write the lease file. */
  readonly unfiled: number
  readonly now: number
}

/** The SQLite file of claims and leases. */
class LeaseFile {
  readonly #db: DatabaseSync
  readonly #holder: string
  readonly #claimed: StatementSync
  readonly #setClaimed: StatementSync
  readonly #lease: StatementSync
  readonly #stale: StatementSync
  readonly #dropStale: StatementSync
  readonly #reduce: StatementSync
  readonly #end: StatementSync

  constructor(path: string, holder: string) {
    const db = new DatabaseSync(path, { timeout: 5_000 })
    db.exec(`pragma journal_mode = wal; pragma synchronous = off; ${SCHEMA}`)
    this.#db = db
    this.#holder = holder
    this.#claimed = db.prepare('select claimed from account_claims where account_id = ? and month = ?')
    this.#setClaimed = db.prepare(
      'insert into account_claims (account_id, month, claimed) values (?, ?, ?) on conflict do update set claimed = excluded.claimed',
    )
    this.#lease = db.prepare(
      `insert into account_leases (holder, account_id, month, left, renewed_at) values (?, ?, ?, ?, ?)
       on conflict do update set left = excluded.left, renewed_at = excluded.renewed_at`,
    )
    this.#stale = db.prepare(
      'select coalesce(sum(left), 0) as lost from account_leases where account_id = ? and month = ? and renewed_at < ?',
    )
    this.#dropStale = db.prepare(
      'delete from account_leases where account_id = ? and month = ? and renewed_at < ?',
    )
    this.#reduce = db.prepare(
      'update account_claims set claimed = claimed - ? where account_id = ? and month = ?',
    )
    this.#end = db.prepare('delete from account_leases where holder = ? and account_id = ? and month = ?')
  }

  /** Claims a part of the remaining requests and returns its size: at least 1, or 0 when none remain. */
  claim({ account_id, monthly_cap, month, written, unfiled, now }: Claim): number {
    return inTransaction(this.#db, () => {
      let claimed = Math.max(this.claimed(account_id, month) + unfiled, written)
      if (claimed >= monthly_cap) {
        const lost = Number(this.#stale.get(account_id, month, now - STALE_AFTER_MS)?.['lost'])
        this.#dropStale.run(account_id, month, now - STALE_AFTER_MS)
        claimed = Math.max(claimed - lost, written)
      }
      const remaining = Math.max(0, monthly_cap - claimed)
      const part = Math.min(remaining, MOST_AT_ONCE, Math.max(1, Math.floor(remaining / PART)))
      this.#setClaimed.run(account_id, month, claimed + part)
      if (part > 0) this.#lease.run(this.#holder, account_id, month, part, now)
      return part
    })
  }

  /** Returns the requests of a month that are used or leased according to this file. */
  claimed(account_id: string, month: string): number {
    return Number(this.#claimed.get(account_id, month)?.['claimed'] ?? 0)
  }

  renew({ account_id, month, left, renewedAt }: Lease): void {
    this.#lease.run(this.#holder, account_id, month, left, renewedAt)
  }

  putBack(account_id: string, month: string, count: number): void {
    this.#reduce.run(count, account_id, month)
  }

  /** Gives the unused part of a lease back and removes the lease. */
  end({ account_id, month, left }: Lease): void {
    inTransaction(this.#db, () => {
      this.putBack(account_id, month, left)
      this.#end.run(this.#holder, account_id, month)
    })
  }

  close(): void {
    this.#db.close()
  }
}
