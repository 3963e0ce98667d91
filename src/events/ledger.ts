import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../state/transaction.ts'

/** Who tells of a county's deeds. */
export interface Origin {
  readonly county_fips: string
  /** recorder, assessor or roll. */
  readonly told_by: string
}

/** What of the events has had its release. In the state file, because it can't be built again. */
export class EventLedger {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  isReleased(snapshot_version: string): boolean {
    const row = this.#db
      .prepare('select 1 from event_releases where snapshot_version = ?')
      .get(snapshot_version)
    return row !== undefined
  }

  /** Origins whose first events have been taken in, as `originKey` writes them. */
  origins(): ReadonlySet<string> {
    const rows = this.#db.prepare('select county_fips, told_by from event_origins').all()
    return new Set(
      rows.map((row) =>
        originKey({ county_fips: String(row['county_fips']), told_by: String(row['told_by']) }),
      ),
    )
  }

  /** Of these ids, the ones that are known already. */
  known(event_ids: readonly string[]): ReadonlySet<string> {
    const find = this.#db.prepare('select 1 from known_events where event_id = ?')
    return new Set(event_ids.filter((id) => find.get(idBytes(id)) !== undefined))
  }

  /** Takes note of a release; in the caller's transaction when there is one. */
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

  /** Forgets events that their date alone makes history. */
  prune(recordedBefore: string): number {
    const { changes } = this.#db.prepare('delete from known_events where recorded_on < ?').run(recordedBefore)
    return Number(changes)
  }
}

export function originKey({ county_fips, told_by }: Origin): string {
  return `${county_fips} ${told_by}`
}

function idBytes(event_id: string): Uint8Array {
  return Buffer.from(event_id.replaceAll('-', ''), 'hex')
}
