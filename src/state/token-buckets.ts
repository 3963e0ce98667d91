import { TokenBucket } from './token-bucket.ts'

const MOST_BUCKETS = 10_000

/**
 * Equal token buckets by name, 10,000 at most. One name more empties the map, so every name starts with a full bucket again. A
 * limit per name does not stop an attacker with that many names anyway.
 */
export class TokenBuckets {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Takes a token of `name` at `at` (milliseconds). Returns 0 when there was one, else the seconds to wait. */
  take(name: string, at: number): number {
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) {
      if (this.#buckets.size >= MOST_BUCKETS) this.#buckets.clear()
      bucket = new TokenBucket(this.#perSecond, this.#burst, at)
      this.#buckets.set(name, bucket)
    }
    return bucket.take(at)
  }

  /** Puts a token of `name` back. */
  giveBack(name: string): void {
    this.#buckets.get(name)?.give()
  }
}
