import { randomUUID } from 'node:crypto'
import type { Database } from './database.ts'
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

/** The tables of claims and leases. Losing them is harmless: a claim counts again from the usage in the state. */
export const LEASES_SCHEMA = `
drop table if exists claims;
drop table if exists leases;
create table if not exists account_claims (
    account_id text not null, month text not null, claimed integer not null,
    primary key (account_id, month)
) strict, without rowid;
create table if not exists account_leases (
    holder text not null, account_id text not null, month text not null, "left" integer not null, renewed_at integer not null,
    primary key (holder, account_id, month)
) strict, without rowid`

/**
 * Divides the remaining requests of monthly caps among all processes on one state file. A process claims a part of the
 * remaining requests as a lease, and answers that many requests without reading the file. It gives unused leases back within
 * about a second. Processes therefore never exceed a cap together. After a kill, a cap may be exceeded by one lease, at most
 * 1/256 of the cap. While the disk is full, each process counts in memory and answers at most an equal share.
 */
export class Allowances {
  readonly #openLeases: () => Promise<Database>
  readonly #usage: MonthlyUsage
  readonly #processCount: number
  readonly #holder = randomUUID()
  readonly #leases = new Map<string, Lease>()
  readonly #unfiled = new Map<string, Unfiled>()
  /** Claims in progress by account. Requests of an account wait for one claim instead of making several. */
  readonly #claiming = new Map<string, Promise<boolean>>()
  /** Writes for which no request waits. */
  readonly #writing = new Set<Promise<void>>()
  #month = { starts: 0, ends: 0, text: '' }
  #opened: Promise<Leases | null> | null = null
  #sweep: NodeJS.Timeout | null = null

  /** `openLeases` opens the database of claims and leases; `close` closes it. `processCount`: processes of the service. */
  constructor(openLeases: () => Promise<Database>, usage: MonthlyUsage, processCount = 1) {
    this.#processCount = processCount
    this.#openLeases = openLeases
    this.#usage = usage
  }

  /**
   * Counts one billable request. Returns false when the cap is used up. Returns a promise only when it must claim requests, so
   * that most requests need not wait. `at`: milliseconds since 1970.
   */
  take(key: Capped, at: number): boolean | Promise<boolean> {
    const month = this.#monthOf(at)
    return this.#takeLeased(key.account_id, month) || this.#claimAndTake(key, month)
  }

  /**
   * Gives back requests that this or an earlier process took at `at` and that were not billable after all. Resolves when other
   * processes can take them; `close` waits for that.
   */
  giveBack(account_id: string, at: number, count = 1): Promise<void> {
    const month = this.#monthOf(at)
    const lease = this.#leases.get(account_id)
    // An enrichment may give back more requests than one lease holds, so they go back to the database for all processes.
    if (count === 1 && lease?.month === month) lease.left += 1
    else if (!this.#putBackUnfiled(account_id, month, count))
      return this.#write((leases) => leases.putBack(account_id, month, count))
    return DONE
  }

  /** Gives the unused part of every lease back and closes the database of leases. */
  async close(): Promise<void> {
    if (this.#sweep !== null) clearInterval(this.#sweep)
    await Promise.all(this.#claiming.values())
    await Promise.all(Array.from(this.#leases.values(), (lease) => this.#return(lease)))
    await Promise.all(this.#writing)
    const opened = await this.#opened
    this.#opened = null
    await opened?.close()
  }

  #takeLeased(account_id: string, month: string): boolean {
    const lease = this.#leases.get(account_id)
    if (lease === undefined || lease.month !== month || lease.left <= 0) return false
    lease.left -= 1
    return true
  }

  async #claimAndTake(key: Capped, month: string): Promise<boolean> {
    for (;;) {
      const claiming = this.#claiming.get(key.account_id)
      const claimed = await (claiming ?? this.#startClaim(key, month))
      if (this.#takeLeased(key.account_id, month)) return true
      // A claim of another request may be for the month before, or for the cap before a change.
      if (claiming === undefined && !claimed) return false
    }
  }

  #startClaim(key: Capped, month: string): Promise<boolean> {
    const claim = this.#claim(key, month).finally(() => this.#claiming.delete(key.account_id))
    this.#claiming.set(key.account_id, claim)
    return claim
  }

  // Returns whether it claimed requests.
  async #claim({ account_id, monthly_cap }: Capped, month: string): Promise<boolean> {
    const leases = await this.#open()
    const written = await this.#usage.written(account_id, month)
    // Lease renewal uses real time, even when a test gives requests another time.
    const now = Date.now()
    const left = await this.#partOf(leases, { account_id, monthly_cap, month, written, now })
    if (left === 0) return false
    this.#leases.set(account_id, { account_id, month, left, leftAtSweep: -1, renewedAt: now })
    this.#sweep ??= setInterval(() => this.#sweepLeases(Date.now()), SWEEP_EVERY_MS).unref()
    return true
  }

  // Returns the number of claimed requests, or 0. When the leases cannot be written, counts one request in memory, so that
  // requests are still answered and still counted.
  async #partOf(leases: Leases | null, claim: Omit<Claim, 'unfiled'>): Promise<number> {
    const before = this.#unfiled.get(claim.account_id)
    const unfiled = before?.month === claim.month ? before.taken : 0
    try {
      if (leases !== null) {
        const part = await leases.claim({ ...claim, unfiled })
        this.#unfiled.delete(claim.account_id)
        return part
      }
    } catch {
      // Count in memory, as without a file.
    }
    const counted = await this.#unfiledOf(claim.account_id, claim.month)
    const share = Math.floor((claim.monthly_cap - counted.base) / this.#processCount)
    if (counted.taken >= share || claim.written >= claim.monthly_cap) return 0
    counted.taken += 1
    return 1
  }

  async #unfiledOf(account_id: string, month: string): Promise<Unfiled> {
    const known = this.#unfiled.get(account_id)
    if (known?.month === month) return known
    const written = await this.#usage.written(account_id, month)
    const unfiled = { month, base: Math.max(written, await this.#claimedBefore(account_id, month)), taken: 0 }
    this.#unfiled.set(account_id, unfiled)
    return unfiled
  }

  // A full disk can still be read, so the file may still report what was claimed.
  async #claimedBefore(account_id: string, month: string): Promise<number> {
    try {
      return (await (await this.#open())?.claimed(account_id, month)) ?? 0
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

  // Returns null while the database cannot be opened, for example on a full disk. The next call tries again.
  async #open(): Promise<Leases | null> {
    this.#opened ??= this.#openLeases().then(
      (db) => new Leases(db, this.#holder),
      () => null,
    )
    const opened = await this.#opened
    if (opened === null) this.#opened = null
    return opened
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
        void this.#return(lease)
        continue
      }
      lease.leftAtSweep = lease.left
      if (now - lease.renewedAt < RENEW_AFTER_MS) continue
      lease.renewedAt = now
      void this.#write((leases) => leases.renew(lease))
    }
  }

  #return(lease: Lease): Promise<void> {
    this.#leases.delete(lease.account_id)
    if (this.#putBackUnfiled(lease.account_id, lease.month, lease.left)) return DONE
    return this.#write((leases) => leases.end(lease))
  }

  // Ignores failures: other processes take over what could not be given back, like the lease of a killed process.
  #write(act: (leases: Leases) => Promise<void>): Promise<void> {
    const writing = this.#open()
      .then((leases) => (leases === null ? undefined : act(leases)))
      .catch(() => undefined)
      .finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
    return writing
  }
}

const DONE = Promise.resolve()

interface Claim extends Capped {
  readonly month: string
  /** Billable requests of the month in the state file. */
  readonly written: number
  /** Requests that this process answered while it could not write the lease file. */
  readonly unfiled: number
  readonly now: number
}

/** The tables of claims and leases. */
class Leases {
  readonly #db: Database
  readonly #holder: string

  constructor(db: Database, holder: string) {
    this.#db = db
    this.#holder = holder
  }

  /** Claims a part of the remaining requests and returns its size: at least 1, or 0 when none remain. */
  claim({ account_id, monthly_cap, month, written, unfiled, now }: Claim): Promise<number> {
    return this.#db.transaction(
      async () => {
        const known = await this.#locked(account_id, month)
        let claimed = Math.max(known + unfiled, written)
        if (claimed >= monthly_cap) {
          const stale = [account_id, month, now - STALE_AFTER_MS] as const
          const lost = await this.#db.all(
            'delete from account_leases where account_id = ? and month = ? and renewed_at < ? returning "left"',
            ...stale,
          )
          claimed = Math.max(claimed - lost.reduce((sum, row) => sum + Number(row['left']), 0), written)
        }
        const remaining = Math.max(0, monthly_cap - claimed)
        const part = Math.min(remaining, MOST_AT_ONCE, Math.max(1, Math.floor(remaining / PART)))
        await this.#db.run(
          'update account_claims set claimed = ? where account_id = ? and month = ?',
          claimed + part,
          account_id,
          month,
        )
        if (part > 0) await this.#put(account_id, month, part, now)
        return part
      },
      { isolation: 'read committed' },
    )
  }

  /** Returns the requests of a month that are used or leased. */
  async claimed(account_id: string, month: string): Promise<number> {
    const sql = 'select claimed from account_claims where account_id = ? and month = ?'
    return Number((await this.#db.get(sql, account_id, month))?.['claimed'] ?? 0)
  }

  renew({ account_id, month, left, renewedAt }: Lease): Promise<void> {
    return this.#put(account_id, month, left, renewedAt)
  }

  async putBack(account_id: string, month: string, count: number): Promise<void> {
    await this.#db.run(
      'update account_claims set claimed = claimed - ? where account_id = ? and month = ?',
      count,
      account_id,
      month,
    )
  }

  /** Gives the unused part of a lease back and removes the lease. */
  async end({ account_id, month, left }: Lease): Promise<void> {
    await this.#db.transaction(
      async () => {
        await this.putBack(account_id, month, left)
        await this.#db.run(
          'delete from account_leases where holder = ? and account_id = ? and month = ?',
          this.#holder,
          account_id,
          month,
        )
      },
      { isolation: 'read committed' },
    )
  }

  close(): Promise<void> {
    return this.#db.close()
  }

  // Returns the claimed requests. The update locks the row in PostgreSQL, so that one process claims at a time.
  async #locked(account_id: string, month: string): Promise<number> {
    await this.#db.run(
      'insert into account_claims (account_id, month, claimed) values (?, ?, 0) on conflict do nothing',
      account_id,
      month,
    )
    const row = await this.#db.get(
      'update account_claims set claimed = claimed where account_id = ? and month = ? returning claimed',
      account_id,
      month,
    )
    return Number(row?.['claimed'])
  }

  async #put(account_id: string, month: string, left: number, at: number): Promise<void> {
    await this.#db.run(
      `insert into account_leases (holder, account_id, month, "left", renewed_at) values (?, ?, ?, ?, ?)
       on conflict (holder, account_id, month) do update set "left" = excluded."left", renewed_at = excluded.renewed_at`,
      this.#holder,
      account_id,
      month,
      left,
      at,
    )
  }
}
