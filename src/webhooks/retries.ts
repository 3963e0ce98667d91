import type { EndpointResponse } from './sender.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * The wait before each attempt, counted from the attempt before: Standard Webhooks' schedule, ten attempts over 75 hours.
 * Each wait varies randomly by up to a fifth, so that deliveries that failed together are not all retried together.
 */
export const DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
const JITTER = 0.2

/** A subscription whose attempts have all failed for this long becomes inactive. */
export const GIVEN_UP_AFTER_MS = 5 * 24 * HOUR

const OVERLOADED = new Set([429, 502, 504])
const LEAST_PAUSE_MS = 60 * SECOND

/** Returns whether an attempt was successful: a complete response in time with a 2xx status. */
export function isDelivered({
  failure,
  status_code,
}: Pick<EndpointResponse, 'failure' | 'status_code'>): boolean {
  return failure === null && status_code >= 200 && status_code <= 299
}

/** Returns the milliseconds from a failed attempt to the next; null after the last. `random`: from 0 to 1. */
export function delayAfter(attempt_count: number, response: EndpointResponse, random: number): number | null {
  const delay = DELAYS_MS[attempt_count]
  if (delay === undefined) return null
  const moved = Math.round(delay * (1 - JITTER + 2 * JITTER * random))
  return Math.max(moved, pauseAfter(response), response.retry_after_ms ?? 0)
}

/** Returns the milliseconds for which the whole subscription pauses after a response; 0 when it does not pause. */
export function pauseAfter({ status_code, retry_after_ms }: EndpointResponse): number {
  return OVERLOADED.has(status_code) ? Math.max(LEAST_PAUSE_MS, retry_after_ms ?? 0) : 0
}
