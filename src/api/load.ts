// More requests in progress than this are an overload. Lookups never wait, so most of them wait for the event search.
const MOST_IN_FLIGHT = 1_000
/** `/ready` reports an overload for this long after a refusal. */
const REFUSING_MS = 2_000

/**
 * Decides when a further request would only make all requests wait longer. Node handles the requests that have arrived one after
 * the other in one turn of the event loop. So the duration of the turn is the time that the next request has waited. A single
 * long turn may have another cause; when two turns in a row are long, the remaining requests of the turn are refused.
 */
export class Load {
  /** Requests in progress. */
  inFlight = 0
  /** Those requests in progress that wait for their sender or for another server. They cause no load and have limits of their own (slots.ts). */
  waiting = 0
  #refusedAt = -Infinity
  readonly #longestTurn: number
  #turnStartedAt = 0
  #isEarlierLong = false

  /** `longestTurn`: milliseconds from which a turn of the event loop is long. */
  constructor(longestTurn: number) {
    this.#longestTurn = longestTurn
  }

  /** Returns whether to refuse the request that is handled at `now` (monotonic clock, milliseconds). */
  isTooMuch(now: number): boolean {
    if (this.#turnStartedAt === 0) {
      this.#turnStartedAt = now
      setImmediate(this.#endTurn)
    }
    const isLong = now - this.#turnStartedAt > this.#longestTurn
    const isTooMuch = (isLong && this.#isEarlierLong) || this.inFlight - this.waiting > MOST_IN_FLIGHT
    if (isTooMuch) this.#refusedAt = now
    return isTooMuch
  }

  /** Returns whether requests were refused in the last two seconds or would be refused now. */
  isRefusing(now: number): boolean {
    return now - this.#refusedAt < REFUSING_MS || this.inFlight - this.waiting > MOST_IN_FLIGHT
  }

  readonly #endTurn = (): void => {
    this.#isEarlierLong = performance.now() - this.#turnStartedAt > this.#longestTurn / 2
    this.#turnStartedAt = 0
  }
}
