import type { Database } from '../state/database.ts'
import { hostname } from 'node:os'
import { z } from 'zod'
import { insertNumbered, insertRows, places } from '../state/rows.ts'
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
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns whether the last check of an observer found the condition. */
  async isKnown(key: string): Promise<boolean> {
    return (await this.#db.get('select 1 from conditions where condition_key = ?', key)) !== undefined
  }

  /**
   * Replaces the conditions of an observer. Adds a message for each channel about conditions that began or ended since
   * the last observation. Conditions that continue are not reported again.
   */
  async observe(
    observer: Observer,
    observed: readonly Condition[],
    channels: readonly string[],
    at: Date,
  ): Promise<void> {
    await this.#db.transaction(async () => {
      const known = new Map(
        (
          await this.#db.all('select condition_key, summary from conditions where observer = ?', observer)
        ).map((row) => [String(row['condition_key']), String(row['summary'])]),
      )
      const unique = [...new Map(observed.map((condition) => [condition.key, condition])).values()]
      const began = unique.filter(({ key }) => !known.has(key))
      const current = new Set(unique.map(({ key }) => key))
      const resolved = [...known]
        .filter(([key]) => !current.has(key))
        .map(([key, summary]) => ({ key, summary }))
      if (began.length + resolved.length === 0) return
      await insertRows(
        this.#db,
        'conditions',
        ['condition_key', 'observer', 'summary', 'began_at'],
        began.map(({ key, summary }) => [key, observer, summary, at.toISOString()]),
        `on conflict (condition_key) do update
         set observer = excluded.observer, summary = excluded.summary, began_at = excluded.began_at`,
      )
      for (const { key } of resolved)
        await this.#db.run('delete from conditions where condition_key = ?', key)
      const host = hostname()
      const text = textOf(host, began, resolved)
      await this.#add({ text, kind: 'conditions', host, at: at.toISOString(), began, resolved }, channels, at)
    })
  }

  /** Adds a message for the dead-man URL: the run was successful. */
  async noteGoodRun(channels: readonly string[], at: Date): Promise<void> {
    const host = hostname()
    const text = `Platbook on ${host}: the nightly run was successful`
    await this.#db.transaction(() =>
      this.#add(
        { text, kind: 'good_run', host, at: at.toISOString(), began: [], resolved: [] },
        channels,
        at,
      ),
    )
  }

  /** Leases and returns the messages that are due on these channels. */
  async claim(channels: readonly string[], at: Date): Promise<ClaimedNotice[]> {
    const now = at.getTime()
    // Also take messages with a due time far in the future, which a fast clock wrote.
    const due = `status = 'pending' and (due_at <= ? or due_at > ?) and channel in (${places(channels.length)})`
    const rows = await this.#db.all(
      `update notice_sends set due_at = ? where ${due} returning ${Claim.keyof().options.join(', ')}`,
      now + LEASE_MS,
      now,
      now + LONGEST_RETRY_MS + LEASE_MS,
      ...channels,
    )
    const claims = rows.map((row) => Claim.parse(row)).sort((a, b) => a.notice_id - b.notice_id)
    const claimed: ClaimedNotice[] = []
    for (const claim of claims) {
      const row = await this.#db.get('select message from notices where notice_id = ?', claim.notice_id)
      claimed.push({ ...claim, message: JSON.parse(String(row?.['message'])) as Message })
    }
    return claimed
  }

  /** Records the result of an attempt. `failure` is null when the message was sent. */
  async settle(
    { notice_id, channel, attempt_count, message }: ClaimedNotice,
    failure: string | null,
    at: Date,
  ): Promise<void> {
    const now = at.getTime()
    const isOld = now - Date.parse(message.at) > GIVEN_UP_AFTER_MS
    const status = failure === null ? 'sent' : isOld ? 'given_up' : 'pending'
    const delay = Math.min(FIRST_RETRY_MS * 2 ** attempt_count, LONGEST_RETRY_MS)
    // The first retry is due at once, so the next tick of the schedule sends it (after five seconds).
    const due_at = attempt_count === 0 ? now : now + delay
    await this.#db.run(
      `update notice_sends set status = ?, attempt_count = attempt_count + 1, due_at = ?, failure = ?
         where notice_id = ? and channel = ?`,
      status,
      due_at,
      failure,
      notice_id,
      channel,
    )
  }

  /** Returns the channels with messages that could not be sent. */
  async failures(): Promise<ChannelFailure[]> {
    return (
      await this.#db
        .all(`select channel, count(*) as waiting, max(attempt_count) as attempts, max(failure) as failure
         from notice_sends where status <> 'sent' and failure is not null group by channel order by channel`)
    ).map((row) => Failure.parse(row))
  }

  /** Deletes messages created before `before`, including unsent ones. Returns their number. */
  async prune(before: Date): Promise<number> {
    const { changes } = await this.#db.run('delete from notices where created_at < ?', before.getTime())
    return changes
  }

  async #add(message: Message, channels: readonly string[], at: Date): Promise<void> {
    const now = at.getTime()
    const notice_id = await insertNumbered(this.#db, 'notices', 'notice_id', {
      message: JSON.stringify(message),
      created_at: now,
    })
    const sends = channels.map((channel) => [notice_id, channel, 'pending', now])
    await insertRows(this.#db, 'notice_sends', ['notice_id', 'channel', 'status', 'due_at'], sends)
  }
}
