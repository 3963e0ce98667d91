import { expect, test } from 'vitest'
import { delayAfter, DELAYS_MS, isDelivered, pauseAfter } from '../../src/webhooks/retries.ts'
import type { EndpointResponse } from '../../src/webhooks/sender.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function came(status_code: number, retry_after_ms: number | null = null): EndpointResponse {
  return { status_code, duration_ms: 5, failure: null, retry_after_ms, body: '' }
}
const nothingCame: EndpointResponse = { ...came(0), failure: 'timeout' }

test('the schedule: at once, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h after the attempt before', () => {
  const waits = [
    5_000,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ]
  expect(DELAYS_MS).toEqual([0, ...waits])
  for (const [index, wait] of waits.entries()) expect(delayAfter(index + 1, came(500), 0.5)).toBe(wait)
  expect(delayAfter(10, came(500), 0.5)).toBeNull()
})

test('every wait is moved by up to a fifth either way', () => {
  expect(delayAfter(1, nothingCame, 0)).toBe(4_000)
  expect(delayAfter(1, nothingCame, 1)).toBe(6_000)
  expect(delayAfter(9, came(404), 0)).toBe((24 * HOUR * 8) / 10)
  expect(delayAfter(9, came(404), 1)).toBe((24 * HOUR * 12) / 10)
})

test('only a 2xx that came whole and in time has delivered', () => {
  for (const status of [200, 201, 204, 299]) expect(isDelivered(came(status))).toBe(true)
  for (const status of [0, 199, 300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503]) {
    expect(isDelivered(came(status))).toBe(false)
  }
  expect(isDelivered({ ...came(200), failure: 'timeout' })).toBe(false)
})

test.each([429, 502, 504])(
  'after a %i an endpoint is left alone for a minute, or for as long as it asks',
  (status) => {
    expect(delayAfter(1, came(status), 0)).toBe(MINUTE)
    expect(delayAfter(1, came(status, 5_000), 0)).toBe(MINUTE)
    expect(delayAfter(1, came(status, 2 * HOUR), 0)).toBe(2 * HOUR)
    // The wait of the schedule, when it is longer.
    expect(delayAfter(4, came(status, 5_000), 0.5)).toBe(2 * HOUR)
    expect(pauseAfter(came(status))).toBe(MINUTE)
    expect(pauseAfter(came(status, 2 * HOUR))).toBe(2 * HOUR)
  },
)

test('another failure gives no pause, but its Retry-After is honoured for the delivery', () => {
  expect(pauseAfter(came(503, HOUR))).toBe(0)
  expect(delayAfter(1, came(503, HOUR), 0.5)).toBe(HOUR)
})
