/** What an endpoint is sent: enough to know whether to fetch the event, and where. */
export interface Notification {
  readonly event_id: string
  readonly event_type: string
  readonly links: readonly { readonly version: string; readonly url: string }[]
}

/** `baseUrl` is the address that the service has for its callers. */
export function notificationOf(
  { event_id, event_type }: { readonly event_id: string; readonly event_type: string },
  baseUrl: string,
): Notification {
  const base = baseUrl.replace(/\/+$/, '')
  return { event_id, event_type, links: [{ version: '1', url: `${base}/v1/events/${event_id}` }] }
}
