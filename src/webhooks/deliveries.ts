import type { DatabaseSync, StatementSync } from 'node:sqlite'
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
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof prepareAll>

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = prepareAll(db)
  }

  /** Returns active subscriptions with due deliveries whose endpoint has no pause. */
  due(at: number): DueSubscription[] {
    return this.#statements.due.all({ at }).map((row) => Due.parse(row))
  }

  /** Returns the time of the next due delivery, possibly in the past; null when none is waiting. */
  nextDueAt(at: number): number | null {
    const dueAt = this.#statements.nextDueAt.get({ at })?.['due_at']
    return typeof dueAt === 'number' ? dueAt : null
  }

  /**
   * Leases up to `most` due deliveries of a subscription, those due longest first. Takes none when the subscription has changed
   * since `due` returned it (`updated_at` differs).
   */
  claim(
    { subscription_id, updated_at }: Pick<DueSubscription, 'subscription_id' | 'updated_at'>,
    at: number,
    lease: string,
    leaseMs: number,
    most: number,
  ): Claim[] {
    return this.#statements.claim
      .all({ subscription_id, updated_at, at, lease, until: at + leaseMs, most })
      .map((row) => Claim.parse(row))
  }

  /** Ends the lease of a delivery that was not tried. It is due at once. */
  handBack({ delivery_id, lease }: Claim, at: number): void {
    this.#statements.handBack.run(at, delivery_id, lease)
  }

  /** Writes an attempt to the log and updates its delivery and its subscription. */
  settle(attempt: Attempt): Outcome {
    const { claim, response, attempted_at } = attempt
    this.log(claim.subscription_id, claim.event_id, attempted_at, response)
    const count = claim.attempt_count + 1
    const endedAt = attempted_at + response.duration_ms
    if (isDelivered(response)) {
      this.#statements.deliver.run(count, endedAt, claim.delivery_id)
      this.#statements.working.run(claim.subscription_id)
      return 'delivered'
    }
    this.noteFailure(claim.subscription_id, endedAt, response)
    const delay = delayAfter(count, response, attempt.random)
    if (delay === null) this.#statements.fail.run(count, endedAt, claim.delivery_id, claim.lease)
    else this.#statements.retry.run(count, endedAt + delay, claim.delivery_id, claim.lease)
    return delay === null ? 'failed' : 'retried'
  }

  /** Adds an attempt to the delivery log. Does nothing when the subscription was deleted in the meantime. */
  log(subscription_id: string, event_id: string, attempted_at: number, response: EndpointResponse): void {
    const { status_code, duration_ms, failure, body } = response
    this.#statements.log.run(event_id, attempted_at, status_code, duration_ms, failure, body, subscription_id)
  }

  /** Updates a subscription after a failure: a 410, or five days of failures, deactivates it; a 429, 502 or 504 pauses it. */
  noteFailure(subscription_id: string, at: number, response: EndpointResponse): void {
    this.#statements.failing.run({ subscription_id, at, pause_until: at + pauseAfter(response) })
    const reason = response.status_code === 410 ? 'gone' : 'failing'
    const since = response.status_code === 410 ? at : at - GIVEN_UP_AFTER_MS
    this.#statements.giveUp.run({ subscription_id, reason, since, now: new Date(at).toISOString() })
  }

  /** Returns deliveries with their last attempts, newest first. */
  list(filter: {
    subscription_id?: string | null
    status?: string | null
    since?: number
    limit?: number
  }): DeliveryEntry[] {
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
           and ($subscription_id is null or deliveries.subscription_id = $subscription_id)
           and ($status is null or status = $status)
         order by created_at desc, delivery_id desc limit $limit`,
      { since, subscription_id, status, limit },
    )
  }

  /** Deletes deliveries (also unfinished ones), attempts, released events and test events from before `before`. Returns the number of rows. */
  prune(before: number): number {
    return this.#statements.prune.reduce((sum, statement) => sum + Number(statement.run(before).changes), 0)
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    due: prepare(`
      select subscription_id, url, updated_at from subscriptions
      where ${RECEIVES_NOTIFICATIONS} and quiet_until <= $at and exists (
        select 1 from deliveries
        where deliveries.subscription_id = subscriptions.subscription_id and deliveries.status = 'pending' and due_at <= $at
      )`),
    nextDueAt: prepare(`
      select min(max(waits_until, quiet_until)) as due_at from (
        select quiet_until, (
          select min(due_at) from deliveries
          where deliveries.subscription_id = subscriptions.subscription_id and deliveries.status = 'pending'
        ) as waits_until
        from subscriptions where ${RECEIVES_NOTIFICATIONS}
      ) where waits_until is not null`),
    claim: prepare(`
      update deliveries set lease = $lease, due_at = $until where delivery_id in (
        select delivery_id from deliveries
        where subscription_id = $subscription_id and status = 'pending' and due_at <= $at and exists (
          select 1 from subscriptions
          where subscription_id = $subscription_id and status = 'active' and updated_at = $updated_at
        )
        order by due_at limit $most
      ) returning ${Claim.keyof().options.join(', ')}`),
    handBack: prepare('update deliveries set due_at = ?, lease = null where delivery_id = ? and lease = ?'),
    // A successful attempt counts even when its lease has ended. A failed attempt counts only for the holder of the lease.
    deliver: prepare(`
      update deliveries set status = 'delivered', attempt_count = ?, finished_at = ?, lease = null
      where delivery_id = ? and status = 'pending'`),
    fail: prepare(`
      update deliveries set status = 'failed', attempt_count = ?, finished_at = ?, lease = null
      where delivery_id = ? and lease = ?`),
    retry: prepare(`
      update deliveries set attempt_count = ?, due_at = ?, lease = null
      where delivery_id = ? and lease = ?`),
    working: prepare(`
      update subscriptions set failing_since = null where subscription_id = ? and failing_since is not null`),
    failing: prepare(`
      update subscriptions set failing_since = coalesce(failing_since, $at), quiet_until = max(quiet_until, $pause_until)
      where subscription_id = $subscription_id`),
    giveUp: prepare(`
      update subscriptions set status = 'inactive', inactive_reason = $reason, updated_at = $now
      where subscription_id = $subscription_id and status = 'active' and failing_since <= $since`),
    log: prepare(`
      insert into delivery_attempts (subscription_id, event_id, attempted_at, status_code, duration_ms, failure, body)
      select subscription_id, ?, ?, ?, ?, ?, ? from subscriptions where subscription_id = ?`),
    prune: [
      prepare('delete from delivery_attempts where attempted_at < ?'),
      prepare('delete from deliveries where created_at < ?'),
      prepare('delete from released_events where released_at < ?'),
      prepare('delete from test_events where created_at < ?'),
    ],
  }
}
