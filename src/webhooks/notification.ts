import { LIST_FINISHED } from '../state/finished-lists.ts'

/** The body of a notification. The link leads to the event or to the finished enrichment. */
export interface Notification {
  readonly event_id: string
  readonly event_type: string
  readonly links: readonly { readonly version: string; readonly url: string }[]
}

/** Returns the body of a notification. `baseUrl`: the public URL of the service. */
export function notificationOf(
  { event_id, event_type }: { readonly event_id: string; readonly event_type: string },
  baseUrl: string,
): Notification {
  const base = baseUrl.replace(/\/+$/, '')
  const kind = event_type === LIST_FINISHED ? 'enrichments' : 'events'
  return { event_id, event_type, links: [{ version: '1', url: `${base}/v1/${kind}/${event_id}` }] }
}
