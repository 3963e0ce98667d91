import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../state/transaction.ts'
import { ALL_EVENT_TYPES, RECEIVES_NOTIFICATIONS } from './subscriptions.ts'

export interface ReleasedEvent {
  readonly event_id: string
  readonly event_type: string
  /** State code in upper case, such as TX. */
  readonly state: string
  readonly county_fips: string
}

export interface Release {
  /** Number of events that were not released before. */
  readonly event_count: number
  readonly delivery_count: number
}

/**
 * Releases events, that is, has subscribers notified: writes their rows and a delivery for each matching active subscription in
 * one transaction. When the caller has an open transaction, these writes are part of it. Skips events that were released before, so a repeated run notifies
 * nobody twice. Call it when the snapshot with the events is the current one, because subscribers fetch the events at once.
 */
export function releaseEvents(db: DatabaseSync, events: Iterable<ReleasedEvent>, at: Date): Release {
  const insertEvent = db.prepare(
    'insert or ignore into released_events (event_id, event_type, state, county_fips, released_at) values (?, ?, ?, ?, ?)',
  )
  const insertDeliveries = db.prepare(
    `insert or ignore into deliveries (subscription_id, event_id, event_type, status, due_at, created_at)
     select subscription_id, $event_id, $event_type, 'pending', $at, $at from subscriptions
     where area in ($county_fips, $state) and event_type in ($event_type, '${ALL_EVENT_TYPES}') and ${RECEIVES_NOTIFICATIONS}`,
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
 * Repeats the deliveries of events released since `since`, to one or to all active subscriptions. Subscriptions that were
 * inactive or did not exist at the release get these events, too. A repeated delivery starts again with its first attempt and
 * has the same `webhook-id`. Deliveries with an attempt in progress are left unchanged. Returns the number of due deliveries.
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
     where events.released_at >= $since and ${RECEIVES_NOTIFICATIONS}
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
