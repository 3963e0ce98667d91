import type { AccessEvent } from '../../src/state/access-events.ts'

/** Returns the access event of a billed lookup of a person, with the given changes. */
export function accessEvent(changes: Partial<AccessEvent> = {}): AccessEvent {
  return {
    event_ts: Date.parse('2026-08-14T12:00:00Z'),
    trace_id: 'a'.repeat(32),
    api_key_id: 'key_a',
    http_method: 'GET',
    route: '/v2/person/{id}',
    status_code: 200,
    duration_ms: 3,
    billable: true,
    ...changes,
  }
}
