import type { DatabaseSync } from 'node:sqlite'

/** The type of the notification that a list has ended. */
export const LIST_FINISHED = 'enrichment.finished'

/**
 * Queues the notification that a list has ended, where its sender named a webhook (`notify` of the request) that the account still has. To be called in
 * the transaction that ends the list, so that neither happens without the other.
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
