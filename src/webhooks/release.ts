import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../state/transaction.ts'
import { ALL_EVENT_TYPES, IS_TOLD } from './subscriptions.ts'

export interface ReleasedEvent {
  readonly event_id: string
  readonly event_type: string
  /** Two letters, upper case. */
  readonly state: string
  readonly county_fips: string
}

export interface Release {
  /** Events that had not been released before. */
  readonly event_count: number
  readonly delivery_count: number
}

/**
 * Tells subscribers of events: the event rows and a delivery for each matching active subscription, in one
 * transaction (the caller's, when it has one open, so that its own note of the release is in it too). An event that
 * was released before makes nothing, so a night that is repeated tells nobody twice. Call it when the snapshot that
 * has the events is the current one: who is told fetches them at once.
 */
export function releaseEvents(db: DatabaseSync, events: Iterable<ReleasedEvent>, at: Date): Release {
  const insertEvent = db.prepare(
    'insert or ignore into released_events (event_id, event_type, state, county_fips, released_at) values (?, ?, ?, ?, ?)',
  )
  const insertDeliveries = db.prepare(
    `insert or ignore into deliveries (subscription_id, event_id, event_type, status, due_at, created_at)
     select subscription_id, $event_id, $event_type, 'pending', $at, $at from subscriptions
     where area in ($county_fips, $state) and event_type in ($event_type, '${ALL_EVENT_TYPES}') and ${IS_TOLD}`,
  )
  return inTransaction(db, () => {
    let event_count = 0
    let delivery_count = 0
    for (const { event_id, event_type, state, county_fips } of events) {
      if (insertEvent.run(event_id, event_type, state, county_fips, at.getTime()).changes === 0) continue
      event_count += 1
      const deliveries = insertDeliveries.run({
        event_id,
        event_type,
        at: at.getTime(),
        county_fips,
        state,
      })
      delivery_count += Number(deliveries.changes)
    }
    return { event_count, delivery_count }
  })
}

/**
 * Sends again, from the first attempt on, what was released since: to one subscription or to all active ones, those
 * included that missed it because they were inactive or not there yet. A repeat has the `webhook-id` it had. Gives
 * how many deliveries are due now; one that is being tried at this moment is left alone.
 */
export function replay(
  db: DatabaseSync,
  { since, subscription_id = null, at }: { since: Date; subscription_id?: string | null; at: Date },
): number {
  const again = db.prepare(
    `insert into deliveries (subscription_id, event_id, event_type, status, due_at, created_at)
     select subscriptions.subscription_id, events.event_id, events.event_type, 'pending', $at, $at
     from released_events as events
     join subscriptions on subscriptions.area in (events.county_fips, events.state)
       and subscriptions.event_type in (events.event_type, '${ALL_EVENT_TYPES}')
     where events.released_at >= $since and ${IS_TOLD}
       and ($subscription_id is null or subscriptions.subscription_id = $subscription_id)
     on conflict (subscription_id, event_id) do update
       set status = 'pending', attempt_count = 0, due_at = $at, created_at = $at, finished_at = null, lease = null
       where status <> 'pending' or lease is null or due_at <= $at`,
  )
  const changes = inTransaction(db, () =>
    again.run({ since: since.getTime(), at: at.getTime(), subscription_id }),
  )
  return Number(changes.changes)
}
