import type { Database } from '../state/database.ts'
import { dayOf } from '../clock.ts'
import { z } from 'zod'
import { insertRows, places, readRows } from '../state/rows.ts'

const IDS_AT_ONCE = 500

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
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns whether subscribers were notified of the new events of a snapshot. */
  async isReleased(snapshot_version: string): Promise<boolean> {
    const row = await this.#db.get(
      'select 1 from event_releases where snapshot_version = ?',
      snapshot_version,
    )
    return row !== undefined
  }

  /** Returns the origins whose first events are recorded in the ledger, as keys of `originKey`. */
  async origins(): Promise<ReadonlySet<string>> {
    const rows = await readRows(this.#db, Origin, 'select county_fips, told_by from event_origins')
    return new Set(rows.map(originKey))
  }

  /** Returns those of the given ids that are in the ledger. */
  async known(event_ids: readonly string[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>()
    for (let start = 0; start < event_ids.length; start += IDS_AT_ONCE) {
      const part = event_ids.slice(start, start + IDS_AT_ONCE)
      const rows = await this.#db.all(
        `select event_id from known_events where event_id in (${places(part.length)})`,
        ...part.map(idBytes),
      )
      const found = new Set(rows.map((row) => Buffer.from(row['event_id'] as Uint8Array).toString('hex')))
      for (const id of part) if (found.has(idHex(id))) known.add(id)
    }
    return known
  }

  /** Returns the date (`YYYY-MM-DD`) before which events were pruned from the ledger; empty when nothing was pruned. */
  async forgottenBefore(): Promise<string> {
    const row = await this.#db.get('select forgotten_before from event_ledger')
    return row === undefined ? '' : String(row['forgotten_before'])
  }

  /** Returns whether the ledger lost events other than by `prune`. Then subscribers may know an event that looks new. */
  async isEmptied(): Promise<boolean> {
    const row = await this.#db.get(
      'select (select count(*) from known_events) < (select known_count from event_ledger) as is_emptied',
    )
    return Number(row?.['is_emptied']) === 1
  }

  /**
   * Records that subscribers are notified of the new events of a snapshot, and which events are known from now on. When
   * the caller has an open transaction, these writes are part of it.
   */
  async add(
    release: {
      readonly snapshot_version: string
      readonly events: Iterable<{ readonly event_id: string; readonly recorded_on: string }>
      readonly origins: readonly Origin[]
      readonly event_count: number
      readonly delivery_count: number
      readonly history_count: number
    },
    at: Date,
  ): Promise<void> {
    const released_at = at.toISOString()
    await this.#db.transaction(async () => {
      await insertRows(
        this.#db,
        'known_events',
        ['event_id', 'recorded_on'],
        Array.from(release.events, ({ event_id, recorded_on }) => [idBytes(event_id), recorded_on]),
        'on conflict do nothing',
      )
      await this.#count()
      await insertRows(
        this.#db,
        'event_origins',
        ['county_fips', 'told_by', 'first_released_at'],
        release.origins.map(({ county_fips, told_by }) => [county_fips, told_by, released_at]),
        'on conflict do nothing',
      )
      const { snapshot_version, event_count, delivery_count, history_count } = release
      const counts = { event_count, delivery_count, history_count }
      await insertRows(
        this.#db,
        'event_releases',
        ['snapshot_version', 'released_at', ...Object.keys(counts)],
        [[snapshot_version, released_at, ...Object.values(counts)]],
        'on conflict do nothing',
      )
    })
  }

  /**
   * Deletes events that are too old to be sent to subscribers again. These were recorded more than `newsDays` before the newest known event, the
   * last release or `now`, whichever is earliest. Taking the earliest protects against a fast clock. Otherwise it would delete
   * recent events, and subscribers would be notified of them a second time when the clock is right again.
   */
  async prune(now: Date, newsDays: number): Promise<number> {
    const today = dayOf(now)
    const row = await this.#db.get(
      `select min(day) as day from (
         select max(recorded_on) as day from known_events where recorded_on <= $today
         union all
         select max(substr(released_at, 1, 10)) as day from event_releases where released_at < $tomorrow
       ) as days having count(day) = 2`,
      { today, tomorrow: `${today}T99` },
    )
    const latest = row?.['day']
    if (typeof latest !== 'string') return 0
    const before = firstReleasedDate(new Date(latest), newsDays)
    return this.#db.transaction(async () => {
      const isEmptied = await this.isEmptied()
      const { changes } = await this.#db.run('delete from known_events where recorded_on < ?', before)
      await this.#db.run(
        'update event_ledger set forgotten_before = ? where forgotten_before < ?',
        before,
        before,
      )
      if (!isEmptied) await this.#count()
      return changes
    })
  }

  async #count(): Promise<void> {
    await this.#db.exec('update event_ledger set known_count = (select count(*) from known_events)')
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

function idHex(event_id: string): string {
  return event_id.replaceAll('-', '').toLowerCase()
}

function idBytes(event_id: string): Uint8Array {
  return Buffer.from(idHex(event_id), 'hex')
}
