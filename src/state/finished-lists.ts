import { z } from 'zod'
import type { Database } from './database.ts'

/** Event type of the notification that an enrichment has ended. */
export const LIST_FINISHED = 'enrichment.finished'

/**
 * Queues the notification that an enrichment has ended, if its request named a webhook (`notify`) that the account still has.
 * Call it in the transaction that ends the enrichment, so that both happen or neither.
 */
export async function queueFinishedList(db: Database, enrichment_id: string, at: number): Promise<void> {
  const row = await db.get('select request from enrichments where enrichment_id = ?', enrichment_id)
  if (row === undefined) return
  const { notify } = Request.parse(JSON.parse(String(row['request'])))
  if (notify == null) return
  await db.run(
    `insert into deliveries (subscription_id, event_id, event_type, status, due_at, created_at)
     select subscriptions.subscription_id, enrichments.enrichment_id, cast(? as text), 'pending', cast(? as bigint), cast(? as bigint)
     from enrichments join subscriptions on subscriptions.account_id = enrichments.account_id
     where enrichments.enrichment_id = ? and subscriptions.subscription_id = ?
     on conflict do nothing`,
    LIST_FINISHED,
    at,
    at,
    enrichment_id,
    notify,
  )
}

const Request = z.object({ notify: z.string().nullish() })
