/** A bucket of `burst` tokens that fills with `perSecond` tokens a second; each request takes one. */
export class TokenBucket {
  readonly perSecond: number
  readonly burst: number
  #tokens: number
  #filledAt: number

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
      return 0
    }
    return (1 - this.#tokens) / this.perSecond
  }
}
