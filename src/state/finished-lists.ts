import type { DatabaseSync } from 'node:sqlite'

/** Event type of the notification that an enrichment has ended. */
export const LIST_FINISHED = 'enrichment.finished'

/**
 * Queues the notification that an enrichment has ended, if its request named a webhook (`notify`) that the account still has.
 * Call it in the transaction that ends the enrichment, so that both happen or neither.
 */
export function queueFinishedList(db: DatabaseSync, enrichment_id: string, at: number): void {
  db.prepare(
    `insert into deliveries (subscription_id, event_id, event_type, status, due_at, created_at)
     select subscription_id, enrichment_id, ?, 'pending', ?, ?
     from enrichments join subscriptions using (account_id)
     where enrichment_id = ? and subscription_id = request ->> '$.notify'
     on conflict do nothing`,
  ).run(LIST_FINISHED, at, at, enrichment_id)
}
