import { expect } from 'vitest'

export const TRACE = /^[0-9a-f]{32}$/

/** Returns the body of most errors. */
export function envelopeOf(status: number, message: string, long_message: unknown, meta: unknown = null) {
  return {
    error: { code: status, message, long_message, meta },
    wp_trace_id: expect.stringMatching(TRACE) as string,
  }
}
