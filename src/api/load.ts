// Lookups are answered at once; what is under way waits for something else, which then has enough to do.
const MOST_IN_FLIGHT = 1_000
/** How long a refusal counts as the state of the service. */
const REFUSING_MS = 2_000

/**
 * When one more request only makes everyone wait longer. Node takes all requests that have arrived, one after the other,
 * in one turn of its loop: how long the turn has lasted is how long the next of them has waited. One long turn may be a
 * machine that was busy with something else; after a second one the rest of its requests is too much.
 */
export class Load {
  /** Requests under way. */
  inFlight = 0
  /** Those among them that wait for their sender or for another server, and cost nothing meanwhile: they have limits of their own. */
  waiting = 0
  #refusedAt = -Infinity
  readonly #longestTurn: number
  #turnStartedAt = 0
  #isEarlierLong = false

  /** `longestTurn` in milliseconds. */
  constructor(longestTurn: number) {
    this.#longestTurn = longestTurn
  }

  /** Whether the request that is taken at `now` (monotonic, milliseconds) is better refused. */
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

  /** Whether requests were refused in the last seconds, or would be now. */
  isRefusing(now: number): boolean {
    return now - this.#refusedAt < REFUSING_MS || this.inFlight - this.waiting > MOST_IN_FLIGHT
  }

  readonly #endTurn = (): void => {
    this.#isEarlierLong = performance.now() - this.#turnStartedAt > this.#longestTurn / 2
    this.#turnStartedAt = 0
  }
}
