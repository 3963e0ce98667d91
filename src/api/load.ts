// Lookups are answered at once; what is under way waits for something else, which then has enough to do.
const MOST_IN_FLIGHT = 1_000

/**
 * When one more request only makes everyone wait longer. Node takes all requests that have arrived, one after the other,
 * in one turn of its loop: how long the turn has lasted is how long the next of them has waited. One long turn may be a
 * machine that was busy with something else; after a second one the rest of its requests is too much.
 */
export class Load {
  /** Requests under way. */
  inFlight = 0
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
    return (isLong && this.#isEarlierLong) || this.inFlight > MOST_IN_FLIGHT
  }

  readonly #endTurn = (): void => {
    this.#isEarlierLong = performance.now() - this.#turnStartedAt > this.#longestTurn / 2
    this.#turnStartedAt = 0
  }
}
