/** A bucket of `burst` tokens that fills with `perSecond` tokens a second; each request takes one. */
export class TokenBucket {
  readonly perSecond: number
  readonly burst: number
  #tokens: number
  #filledAt: number
  #takenCount = 0

  /** Full at `at`, milliseconds. */
  constructor(perSecond: number, burst: number, at: number) {
    this.perSecond = perSecond
    this.burst = burst
    this.#tokens = burst
    this.#filledAt = at
  }

  /** 0 when a token was taken, else the seconds until there is one. A clock that steps back adds nothing. */
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

  /** Puts a token back. */
  give(): void {
    this.#tokens = Math.min(this.burst, this.#tokens + 1)
  }

  /** Tokens taken since the last call. */
  takenCount(): number {
    const count = this.#takenCount
    this.#takenCount = 0
    return count
  }

  /** Tokens that were taken elsewhere; what isn't there is owed, for a second at most. */
  owe(count: number): void {
    this.#tokens = Math.max(-this.perSecond, this.#tokens - count)
  }
}
