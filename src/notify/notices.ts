import type { DatabaseSync } from 'node:sqlite'
import { hostname } from 'node:os'
import { z } from 'zod'
import { inTransaction } from '../state/transaction.ts'
import { type Condition, type Message, textOf } from './condition.ts'

/** A check that finds problems: the one of the sources (late, held, failed) or the one of the service. */
export type Observer = 'sources' | 'service'

const Claim = z.object({
  notice_id: z.int(),
  channel: z.string(),
  attempt_count: z.int(),
})
/** A message that this process has leased: no other process sends it until the lease ends. */
export type ClaimedNotice = Readonly<z.output<typeof Claim>> & { readonly message: Message }

const Failure = z.object({ channel: z.string(), waiting: z.int(), attempts: z.int(), failure: z.string() })
/** A channel with messages that could not be sent. */
export type ChannelFailure = Readonly<z.output<typeof Failure>>

const LEASE_MS = 60_000
const FIRST_RETRY_MS = 5_000
const LONGEST_RETRY_MS = 600_000
const GIVEN_UP_AFTER_MS = 24 * 3_600_000

/** The problems (conditions) that exist now, and the messages about them that wait to be sent to the operator. */
export class Notices {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Returns whether the last check of an observer found the condition. */
  isKnown(key: string): boolean {
    return this.#db.prepare('select 1 from conditions where condition_key = ?').get(key) !== undefined
  }

  /**
   * Replaces the conditions of an observer. Adds a message for each channel about conditions that began or ended since
   * the last observation. Conditions that continue are not reported again.
   */
  observe(observer: Observer, observed: readonly Condition[], channels: readonly string[], at: Date): void {
    inTransaction(this.#db, () => {
      const known = new Map(
        this.#db
          .prepare('select condition_key, summary from conditions where observer = ?')
          .all(observer)
          .map((row) => [String(row['condition_key']), String(row['summary'])]),
      )
      const unique = [...new Map(observed.map((condition) => [condition.key, condition])).values()]
      const began = unique.filter(({ key }) => !known.has(key))
      const current = new Set(unique.map(({ key }) => key))
      const resolved = [...known]
        .filter(([key]) => !current.has(key))
        .map(([key, summary]) => ({ key, summary }))
      if (began.length + resolved.length === 0) return
      const insert = this.#db.prepare(
        'insert or replace into conditions (condition_key, observer, summary, began_at) values (?, ?, ?, ?)',
      )
      for (const { key, summary } of began) insert.run(key, observer, summary, at.toISOString())
      const remove = this.#db.prepare('delete from conditions where condition_key = ?')
      for (const { key } of resolved) remove.run(key)
      const host = hostname()
      const text = textOf(host, began, resolved)
      this.#add({ text, kind: 'conditions', host, at: at.toISOString(), began, resolved }, channels, at)
    })
  }

  /** Adds a message for the dead-man URL: the run was successful. */
  noteGoodRun(channels: readonly string[], at: Date): void {
    const host = hostname()
    const text = `Platbook on ${host}: the nightly run was successful`
    inTransaction(this.#db, () =>
      this.#add(
        { text, kind: 'good_run', host, at: at.toISOString(), began: [], resolved: [] },
        channels,
        at,
      ),
    )
  }

  /** Leases and returns the messages that are due on these channels. */
  claim(channels: readonly string[], at: Date): ClaimedNotice[] {
    const now = at.getTime()
    // Also take messages with a due time far in the future, which a fast clock wrote.
    const rows = this.#db
      .prepare(
        `update notice_sends set due_at = $until
         where status = 'pending' and (due_at <= $now or due_at > $latest)
           and channel in (select value from json_each($channels))
         returning ${Claim.keyof().options.join(', ')}`,
      )
      .all({
        now,
        until: now + LEASE_MS,
        latest: now + LONGEST_RETRY_MS + LEASE_MS,
        channels: JSON.stringify(channels),
      })
    const find = this.#db.prepare('select message from notices where notice_id = ?')
    return rows
      .map((row) => Claim.parse(row))
      .sort((a, b) => a.notice_id - b.notice_id)
      .map((claim) => ({
        ...claim,
        message: JSON.parse(String(find.get(claim.notice_id)?.['message'])) as Message,
      }))
  }

  /** Records the result of an attempt. `failure` is null when the message was sent. */
  settle(
    { notice_id, channel, attempt_count, message }: ClaimedNotice,
    failure: string | null,
    at: Date,
  ): void {
    const now = at.getTime()
    const isOld = now - Date.parse(message.at) > GIVEN_UP_AFTER_MS
    const status = failure === null ? 'sent' : isOld ? 'given_up' : 'pending'
    const delay = Math.min(FIRST_RETRY_MS * 2 ** attempt_count, LONGEST_RETRY_MS)
    // The first retry is due at once, so the next tick of the schedule sends it (after five seconds).
    const due_at = attempt_count === 0 ? now : now + delay
    this.#db
      .prepare(
        `update notice_sends set status = ?, attempt_count = attempt_count + 1, due_at = ?, failure = ?
         where notice_id = ? and channel = ?`,
      )
      .run(status, due_at, failure, notice_id, channel)
  }

  /** Returns the channels with messages that could not be sent. */
  failures(): ChannelFailure[] {
    return this.#db
      .prepare(
        `select channel, count(*) as waiting, max(attempt_count) as attempts, max(failure) as failure
         from notice_sends where status <> 'sent' and failure is not null group by channel order by channel`,
      )
      .all()
      .map((row) => Failure.parse(row))
  }

  /** Deletes messages created before `before`, including unsent ones. Returns their number. */
  prune(before: Date): number {
    const { changes } = this.#db.prepare('delete from notices where created_at < ?').run(before.getTime())
    return Number(changes)
  }

  #add(message: Message, channels: readonly string[], at: Date): void {
    const now = at.getTime()
    const { lastInsertRowid } = this.#db
      .prepare('insert into notices (message, created_at) values (?, ?)')
      .run(JSON.stringify(message), now)
    const insert = this.#db.prepare(
      `insert into notice_sends (notice_id, channel, status, due_at) values (?, ?, 'pending', ?)`,
    )
    for (const channel of channels) insert.run(lastInsertRowid, channel, now)
  }
}
