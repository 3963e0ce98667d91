import type { DatabaseSync } from 'node:sqlite'
import { dayOf } from '../clock.ts'
import { z } from 'zod'
import { readRows } from '../state/rows.ts'
import { inTransaction } from '../state/transaction.ts'

export const Origin = z.object({
  county_fips: z.string(),
  /** `recorder`, `assessor` or `roll`. */
  told_by: z.string(),
})
/** An origin of events: one kind of source (`told_by`) of a county. */
export type Origin = Readonly<z.output<typeof Origin>>

/**
 * The ids of all deed events found so far, and the snapshots whose new events are released: subscribers were notified of
 * them. The ledger is in the state file, because it cannot be rebuilt from sources.
 */
export class EventLedger {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Returns whether subscribers were notified of the new events of a snapshot. */
  isReleased(snapshot_version: string): boolean {
    const row = this.#db
      .prepare('select 1 from event_releases where snapshot_version = ?')
      .get(snapshot_version)
    return row !== undefined
  }

  /** Returns the origins whose first events are recorded in the ledger, as keys of `originKey`. */
  origins(): ReadonlySet<string> {
    const rows = readRows(this.#db, Origin, 'select county_fips, told_by from event_origins')
    return new Set(rows.map(originKey))
  }

  /** Returns those of the given ids that are in the ledger. */
  known(event_ids: readonly string[]): ReadonlySet<string> {
    const find = this.#db.prepare('select 1 from known_events where event_id = ?')
    return new Set(event_ids.filter((id) => find.get(idBytes(id)) !== undefined))
  }

  /** Returns the date (`YYYY-MM-DD`) before which events were pruned from the ledger; empty when nothing was pruned. */
  forgottenBefore(): string {
    return String(
      this.#db.prepare('select forgotten_before from event_ledger').get()?.['forgotten_before'] ?? '',
    )
  }

  /** Returns whether the ledger lost events other than by `prune`. Then subscribers may know an event that looks new. */
  isEmptied(): boolean {
    const row = this.#db
      .prepare(
        'select (select count(*) from known_events) < (select known_count from event_ledger) as is_emptied',
      )
      .get()
    return row?.['is_emptied'] === 1
  }

  /**
   * Records that subscribers are notified of the new events of a snapshot, and which events are known from now on. When
   * the caller has an open transaction, these writes are part of it.
   */
  add(
    release: {
      readonly snapshot_version: string
      readonly events: Iterable<{ readonly event_id: string; readonly recorded_on: string }>
      readonly origins: readonly Origin[]
      readonly event_count: number
      readonly delivery_count: number
      readonly history_count: number
    },
    at: Date,
  ): void {
    const released_at = at.toISOString()
    inTransaction(this.#db, () => {
      const insert = this.#db.prepare(
        'insert or ignore into known_events (event_id, recorded_on) values (?, ?)',
      )
      for (const { event_id, recorded_on } of release.events) insert.run(idBytes(event_id), recorded_on)
      this.#count()
      const origin = this.#db.prepare(
        'insert or ignore into event_origins (county_fips, told_by, first_released_at) values (?, ?, ?)',
      )
      for (const { county_fips, told_by } of release.origins) origin.run(county_fips, told_by, released_at)
      this.#db
        .prepare(
          `insert or ignore into event_releases (snapshot_version, released_at, event_count, delivery_count, history_count)
           values (?, ?, ?, ?, ?)`,
        )
        .run(
          release.snapshot_version,
          released_at,
          release.event_count,
          release.delivery_count,
          release.history_count,
        )
    })
  }

  /**
   * Deletes events that are too old to be sent to subscribers again. These were recorded more than `newsDays` before the newest known event, the
   * last release or `now`, whichever is earliest. Taking the earliest protects against a fast clock. Otherwise it would delete
   * recent events, and subscribers would be notified of them a second time when the clock is right again.
   */
  prune(now: Date, newsDays: number): number {
    const today = dayOf(now)
    const latest = this.#db
      .prepare(
        `select min(
           (select max(recorded_on) from known_events where recorded_on <= $today),
           (select max(substr(released_at, 1, 10)) from event_releases where released_at < $tomorrow)
         ) as day`,
      )
      .get({ today, tomorrow: `${today}T99` })?.['day']
    if (typeof latest !== 'string') return 0
    const before = firstReleasedDate(new Date(latest), newsDays)
    return inTransaction(this.#db, () => {
      const isEmptied = this.isEmptied()
      const { changes } = this.#db.prepare('delete from known_events where recorded_on < ?').run(before)
      this.#db.prepare('update event_ledger set forgotten_before = max(forgotten_before, ?)').run(before)
      if (!isEmptied) this.#count()
      return Number(changes)
    })
  }

  #count(): void {
    this.#db.exec('update event_ledger set known_count = (select count(*) from known_events)')
  }
}

const DAY_MS = 86_400_000

/** Returns the earliest recorded date (`YYYY-MM-DD`) of events that are released at `now`. */
export function firstReleasedDate(now: Date, newsDays: number): string {
  return dayOf(new Date(now.getTime() - newsDays * DAY_MS))
}

export function originKey({ county_fips, told_by }: Origin): string {
  return `${county_fips} ${told_by}`
}

function idBytes(event_id: string): Uint8Array {
  return Buffer.from(event_id.replaceAll('-', ''), 'hex')
}
