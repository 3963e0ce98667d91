import { TokenBucket } from '../state/token-bucket.ts'

// Each wrong key costs a look into the state file; a caller with a typo in a script must still get 403, not silence.
const PER_SECOND = 5
const BURST = 50
const MOST_ADDRESSES = 10_000

/** How many keys that nobody has an address may try. */
export class WrongKeys {
  readonly #buckets = new Map<string, TokenBucket>()

  /** Counts a try; 0 when it may be made, else the seconds until one may be. */
  try(address: string, at: number): number {
    return this.#bucketOf(address, at).take(at)
  }

  /** The key was a good one: its try doesn't count. */
  forgive(address: string): void {
    this.#buckets.get(address)?.give()
  }

  #bucketOf(address: string, at: number): TokenBucket {
    const known = this.#buckets.get(address)
    if (known !== undefined) return known
    // What is dropped starts afresh: an attacker with that many addresses isn't held up by any of them.
    if (this.#buckets.size >= MOST_ADDRESSES) this.#buckets.clear()
    const bucket = new TokenBucket(PER_SECOND, BURST, at)
    this.#buckets.set(address, bucket)
    return bucket
  }
}
