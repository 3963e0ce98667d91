/** A token bucket of size `burst` that gains `perSecond` tokens a second. Each request takes one token. */
export class TokenBucket {
  #perSecond: number
  #burst: number
  #tokens: number
  #filledAt: number
  #takenCount = 0

  /** The bucket starts full at `at` (milliseconds). */
  constructor(perSecond: number, burst: number, at: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#tokens = burst
    this.#filledAt = at
  }

  get perSecond(): number {
    return this.#perSecond
  }

  get burst(): number {
    return this.#burst
  }

  /** Changes the rate and the size. The bucket stays as full as it was, in proportion. */
  resize(perSecond: number, burst: number): void {
    this.#tokens *= burst / this.#burst
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Takes a token and returns 0, or returns the seconds until the next token. A clock that steps back adds no tokens. */
  take(at: number): number {
    const elapsed = Math.max(0, at - this.#filledAt)
    this.#tokens = Math.min(this.burst, this.#tokens + (elapsed * this.perSecond) / 1000)
    this.#filledAt = at
    if (this.#tokens >= 1) {
      this.#tokens -= 1
      this.#takenCount += 1
      return 0
    }
    return (1 - this.#tokens) / this.perSecond
  }

  /** Returns one token to the bucket. */
  give(): void {
    this.#tokens = Math.min(this.burst, this.#tokens + 1)
  }

  /** Returns the number of tokens taken since the last call. */
  takenCount(): number {
    const count = this.#takenCount
    this.#takenCount = 0
    return count
  }

  /** Removes tokens that other processes took. The bucket may go below zero, by the tokens of one second at most. */
  subtract(count: number): void {
    this.#tokens = Math.max(-this.perSecond, this.#tokens - count)
  }
}
