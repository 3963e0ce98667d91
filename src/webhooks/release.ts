import type { Database } from '../state/database.ts'
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
export async function releaseEvents(
  db: Database,
  events: Iterable<ReleasedEvent>,
  at: Date,
): Promise<Release> {
  const insertEvent = `insert into released_events (event_id, event_type, state, county_fips, released_at)
     values (?, ?, ?, ?, ?) on conflict do nothing`
  const insertDeliveries = `insert into deliveries (subscription_id, event_id, event_type, status, due_at, created_at)
     select subscription_id, cast($event_id as text), cast($event_type as text), 'pending', cast($at as bigint), cast($at as bigint)
     from subscriptions
     where area in ($county_fips, $state) and event_type in ($event_type, '${ALL_EVENT_TYPES}') and ${RECEIVES_NOTIFICATIONS}
     on conflict do nothing`
  return db.transaction(async () => {
    let event_count = 0
    let delivery_count = 0
    for (const { event_id, event_type, state, county_fips } of events) {
      const released = await db.run(insertEvent, event_id, event_type, state, county_fips, at.getTime())
      if (released.changes === 0) continue
      event_count += 1
      const params = { event_id, event_type, at: at.getTime(), county_fips, state }
      delivery_count += (await db.run(insertDeliveries, params)).changes
    }
    return { event_count, delivery_count }
  })
}

/**
 * Repeats the deliveries of events released since `since`, to one or to all active subscriptions. Subscriptions that were
 * inactive or did not exist at the release get these events, too. A repeated delivery starts again with its first attempt and
 * has the same `webhook-id`. Deliveries with an attempt in progress are left unchanged. Returns the number of due deliveries.
 */
export async function replay(
  db: Database,
  { since, subscription_id = null, at }: { since: Date; subscription_id?: string | null; at: Date },
): Promise<number> {
  const again = `insert into deliveries (subscription_id, event_id, event_type, status, due_at, created_at)
     select subscriptions.subscription_id, events.event_id, events.event_type, 'pending', cast($at as bigint), cast($at as bigint)
     from released_events as events
     join subscriptions on subscriptions.area in (events.county_fips, events.state)
       and subscriptions.event_type in (events.event_type, '${ALL_EVENT_TYPES}')
     where events.released_at >= $since and ${RECEIVES_NOTIFICATIONS}
       and (cast($subscription_id as text) is null or subscriptions.subscription_id = $subscription_id)
     on conflict (subscription_id, event_id) do update
       set status = 'pending', attempt_count = 0, due_at = $at, created_at = $at, finished_at = null, lease = null
       where deliveries.status <> 'pending' or deliveries.lease is null or deliveries.due_at <= $at`
  const params = { since: since.getTime(), at: at.getTime(), subscription_id }
  return (await db.run(again, params)).changes
}
