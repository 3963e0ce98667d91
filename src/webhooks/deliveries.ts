import type { Database } from '../state/database.ts'
import { z } from 'zod'
import { readRows } from '../state/rows.ts'
import { delayAfter, GIVEN_UP_AFTER_MS, isDelivered, pauseAfter } from './retries.ts'
import type { EndpointResponse } from './sender.ts'
import { RECEIVES_NOTIFICATIONS } from './subscriptions.ts'

const Due = z.object({ subscription_id: z.string(), url: z.string(), updated_at: z.string() })
/** A subscription with due deliveries. */
export type DueSubscription = Readonly<z.output<typeof Due>>

const Claim = z.object({
  delivery_id: z.number(),
  subscription_id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  attempt_count: z.number(),
  lease: z.string(),
  /** The end of the lease. */
  due_at: z.number(),
})
/** A delivery that this process has leased: no other process tries it until the lease ends. */
export type Claim = Readonly<z.output<typeof Claim>>

/** A finished attempt. */
export interface Attempt {
  readonly claim: Claim
  readonly attempted_at: number
  readonly response: EndpointResponse
  /** A random number from 0 to 1, which moves the next attempt within its range. */
  readonly random: number
}

export type Outcome = 'delivered' | 'retried' | 'failed'

const Entry = z.object({
  subscription_id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempt_count: z.number(),
  due_at: z.number(),
  created_at: z.number(),
  finished_at: z.number().nullable(),
  attempted_at: z.number().nullable(),
  status_code: z.number().nullable(),
  duration_ms: z.number().nullable(),
  failure: z.string().nullable(),
  body: z.string().nullable(),
})
/** A delivery with its last attempt. Times are milliseconds since 1970. */
export type DeliveryEntry = Readonly<z.output<typeof Entry>>

/** The deliveries in the state file. Call methods that write inside a transaction. */
export class Deliveries {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns active subscriptions with due deliveries whose endpoint has no pause. */
  async due(at: number): Promise<DueSubscription[]> {
    return (await this.#db.all(SQL.due, { at })).map((row) => Due.parse(row))
  }

  /** Returns the time of the next due delivery, possibly in the past; null when none is waiting. */
  async nextDueAt(at: number): Promise<number | null> {
    const dueAt = (await this.#db.get(SQL.nextDueAt, { at }))?.['due_at']
    return typeof dueAt === 'number' ? dueAt : null
  }

  /**
   * Leases up to `most` due deliveries of a subscription, those due longest first. Takes none when the subscription has changed
   * since `due` returned it (`updated_at` differs).
   */
  async claim(
    { subscription_id, updated_at }: Pick<DueSubscription, 'subscription_id' | 'updated_at'>,
    at: number,
    lease: string,
    leaseMs: number,
    most: number,
  ): Promise<Claim[]> {
    return (
      await this.#db.all(SQL.claim(this.#db.skipLocked), {
        subscription_id,
        updated_at,
        at,
        lease,
        until: at + leaseMs,
        most,
      })
    ).map((row) => Claim.parse(row))
  }

  /** Ends the lease of a delivery that was not tried. It is due at once. */
  async handBack({ delivery_id, lease }: Claim, at: number): Promise<void> {
    await this.#db.run(SQL.handBack, at, delivery_id, lease)
  }

  /** Writes an attempt to the log and updates its delivery and its subscription. */
  async settle(attempt: Attempt): Promise<Outcome> {
    const { claim, response, attempted_at } = attempt
    await this.log(claim.subscription_id, claim.event_id, attempted_at, response)
    const count = claim.attempt_count + 1
    const endedAt = attempted_at + response.duration_ms
    if (isDelivered(response)) {
      await this.#db.run(SQL.deliver, count, endedAt, claim.delivery_id)
      await this.#db.run(SQL.working, claim.subscription_id)
      return 'delivered'
    }
    await this.noteFailure(claim.subscription_id, endedAt, response)
    const delay = delayAfter(count, response, attempt.random)
    if (delay === null) await this.#db.run(SQL.fail, count, endedAt, claim.delivery_id, claim.lease)
    else await this.#db.run(SQL.retry, count, endedAt + delay, claim.delivery_id, claim.lease)
    return delay === null ? 'failed' : 'retried'
  }

  /** Adds an attempt to the delivery log. Does nothing when the subscription was deleted in the meantime. */
  async log(
    subscription_id: string,
    event_id: string,
    attempted_at: number,
    response: EndpointResponse,
  ): Promise<void> {
    const { status_code, duration_ms, failure, body } = response
    await this.#db.run(
      SQL.log,
      event_id,
      attempted_at,
      status_code,
      duration_ms,
      failure,
      body,
      subscription_id,
    )
  }

  /** Updates a subscription after a failure: a 410, or five days of failures, deactivates it; a 429, 502 or 504 pauses it. */
  async noteFailure(subscription_id: string, at: number, response: EndpointResponse): Promise<void> {
    await this.#db.run(SQL.failing, { subscription_id, at, pause_until: at + pauseAfter(response) })
    const reason = response.status_code === 410 ? 'gone' : 'failing'
    const since = response.status_code === 410 ? at : at - GIVEN_UP_AFTER_MS
    await this.#db.run(SQL.giveUp, { subscription_id, reason, since, now: new Date(at).toISOString() })
  }

  /** Returns deliveries with their last attempts, newest first. */
  async list(filter: {
    subscription_id?: string | null
    status?: string | null
    since?: number
    limit?: number
  }): Promise<DeliveryEntry[]> {
    const { subscription_id = null, status = null, since = 0, limit = 100 } = filter
    return readRows(
      this.#db,
      Entry,
      `select ${Object.keys(Entry.shape).join(', ').replace('subscription_id, event_id', 'deliveries.subscription_id, deliveries.event_id')}
         from deliveries left join delivery_attempts as attempts on attempts.attempt_id = (
           select max(attempt_id) from delivery_attempts
           where subscription_id = deliveries.subscription_id and event_id = deliveries.event_id
         )
         where created_at >= $since
           and (cast($subscription_id as text) is null or deliveries.subscription_id = $subscription_id)
           and (cast($status as text) is null or status = $status)
         order by created_at desc, delivery_id desc limit $limit`,
      { since, subscription_id, status, limit },
    )
  }

  /** Deletes deliveries (also unfinished ones), attempts, released events and test events from before `before`. Returns the number of rows. */
  async prune(before: number): Promise<number> {
    let removed = 0
    for (const sql of SQL.prune) removed += (await this.#db.run(sql, before)).changes
    return removed
  }
}

const SQL = {
  due: `
      select subscription_id, url, updated_at from subscriptions
      where ${RECEIVES_NOTIFICATIONS} and quiet_until <= $at and exists (
        select 1 from deliveries
        where deliveries.subscription_id = subscriptions.subscription_id and deliveries.status = 'pending' and due_at <= $at
      )`,
  nextDueAt: `
      select min(case when waits_until > quiet_until then waits_until else quiet_until end) as due_at from (
        select quiet_until, (
          select min(due_at) from deliveries
          where deliveries.subscription_id = subscriptions.subscription_id and deliveries.status = 'pending'
        ) as waits_until
        from subscriptions where ${RECEIVES_NOTIFICATIONS}
      ) as waiting where waits_until is not null`,
  claim: (skipLocked: string) => `
      update deliveries set lease = $lease, due_at = $until where delivery_id in (
        select delivery_id from deliveries
        where subscription_id = $subscription_id and status = 'pending' and due_at <= $at and exists (
          select 1 from subscriptions
          where subscription_id = $subscription_id and status = 'active' and updated_at = $updated_at
        )
        order by due_at limit $most ${skipLocked}
      ) returning ${Claim.keyof().options.join(', ')}`,
  handBack: 'update deliveries set due_at = ?, lease = null where delivery_id = ? and lease = ?',
  // A successful attempt counts even when its lease has ended. A failed attempt counts only for the holder of the lease.
  deliver: `
      update deliveries set status = 'delivered', attempt_count = ?, finished_at = ?, lease = null
      where delivery_id = ? and status = 'pending'`,
  fail: `
      update deliveries set status = 'failed', attempt_count = ?, finished_at = ?, lease = null
      where delivery_id = ? and lease = ?`,
  retry: `
      update deliveries set attempt_count = ?, due_at = ?, lease = null
      where delivery_id = ? and lease = ?`,
  working: `
      update subscriptions set failing_since = null where subscription_id = ? and failing_since is not null`,
  failing: `
      update subscriptions set failing_since = coalesce(failing_since, cast($at as bigint)), quiet_until = case when quiet_until > $pause_until then quiet_until else $pause_until end
      where subscription_id = $subscription_id`,
  giveUp: `
      update subscriptions set status = 'inactive', inactive_reason = $reason, updated_at = $now
      where subscription_id = $subscription_id and status = 'active' and failing_since <= $since`,
  log: `
      insert into delivery_attempts (subscription_id, event_id, attempted_at, status_code, duration_ms, failure, body)
      select subscription_id, ?, ?, ?, ?, ?, ? from subscriptions where subscription_id = ?`,
  prune: [
    'delete from delivery_attempts where attempted_at < ?',
    'delete from deliveries where created_at < ?',
    'delete from released_events where released_at < ?',
    'delete from test_events where created_at < ?',
  ],
}
