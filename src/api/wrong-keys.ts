import { TokenBucket } from '../state/token-bucket.ts'

// Each unknown key costs a query of the state file, so they are limited. The limit is high enough that a caller with a typo in a
// script still gets 403 and not 429.
const PER_SECOND = 5
const BURST = 50
const MOST_ADDRESSES = 10_000

/** Limits how many unknown keys an address may try. */
export class WrongKeys {
  readonly #buckets = new Map<string, TokenBucket>()

  /** Counts a try. Returns 0 when it is allowed, else the seconds to wait. */
  try(address: string, at: number): number {
    return this.#bucketOf(address, at).take(at)
  }

  /** Takes back a try, because the key was valid. */
  takeBack(address: string): void {
    this.#buckets.get(address)?.give()
  }

  #bucketOf(address: string, at: number): TokenBucket {
    const known = this.#buckets.get(address)
    if (known !== undefined) return known
    // Drop all buckets when there are too many. An attacker with that many addresses is not stopped by a limit per address anyway.
    if (this.#buckets.size >= MOST_ADDRESSES) this.#buckets.clear()
    const bucket = new TokenBucket(PER_SECOND, BURST, at)
    this.#buckets.set(address, bucket)
    return bucket
  }
}
