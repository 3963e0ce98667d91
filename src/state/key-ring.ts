import { AllowedAddresses } from './allowed-addresses.ts'
import type { Key, KeyStore } from './keys.ts'
import { TokenBucket } from './token-bucket.ts'

/** The holder of a valid key, cached between two reads of the state file. */
export interface Caller {
  /** The key with its account (`account_id`) and the terms of the account. */
  readonly key: Key
  /** Networks that requests may come from; null when every address is allowed. */
  readonly allowed: AllowedAddresses | null
  readonly bucket: TokenBucket
}

interface Entry extends Caller {
  readonly checkAfter: number
}

/** Number of requests per `api_key_id`. */
export type RequestCounts = Readonly<Record<string, number>>

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

// A revocation or a change of limits takes effect within this time.
const TRUSTED_FOR_MS = 2_000
const MOST_ENTRIES = 10_000

/** Caches each key in use for two seconds, so that most requests need no query. */
export class KeyRing {
  readonly #keys: KeyStore
  readonly #limit: RateLimit
  readonly #entries = new Map<string, Entry>()
  #servers = 1
  readonly #reading = new Map<string, Promise<Caller | null>>()

  /** `limit`: the rate limit of keys that have no limit of their own. */
  constructor(keys: KeyStore, limit: RateLimit) {
    this.#keys = keys
    this.#limit = limit
  }

  /** Returns the requests per key since the last call. Other processes of the service subtract them (`subtract`). */
  newRequestCounts(): RequestCounts {
    const counts: Record<string, number> = {}
    for (const { key, bucket } of this.#entries.values()) {
      const count = bucket.takenCount()
      if (count > 0) counts[key.api_key_id] = count
    }
    return counts
  }

  /** Subtracts the requests that another process answered from the rate limits of this process. */
  subtract(counts: RequestCounts): void {
    for (const { key, bucket } of this.#entries.values()) {
      const count = counts[key.api_key_id]
      if (count !== undefined) bucket.subtract(count)
    }
  }

  /** Divides the rates by the number of servers that share the state. A server always answers bursts of one request. */
  share(servers: number): void {
    if (servers === this.#servers) return
    this.#servers = servers
    for (const { key, bucket } of this.#entries.values()) {
      const { perSecond, burst } = this.#limitOf(key)
      bucket.resize(perSecond, burst)
    }
  }

  #limitOf(key: Key): RateLimit {
    const perSecond = key.rate_per_second ?? this.#limit.perSecond
    const burst = key.burst ?? Math.max(this.#limit.burst, perSecond)
    return { perSecond: perSecond / this.#servers, burst: Math.max(1, burst / this.#servers) }
  }

  /** Returns whether `secret` is in the cache. Its entry may be out of date. */
  has(secret: string): boolean {
    return this.#entries.has(secret)
  }

  /**
   * Returns the caller with the key `secret` at `at` (milliseconds since 1970); null for unknown, expired and revoked keys.
   * Returns a promise only when it must read the key, so that most requests need not wait.
   */
  find(secret: string, at: number): Caller | null | Promise<Caller | null> {
    const known = this.#entries.get(secret)
    if (known !== undefined && at < known.checkAfter && at >= known.checkAfter - TRUSTED_FOR_MS) return known
    // Requests that arrive during a read wait for it, so that one key never gets two buckets.
    const reading = this.#reading.get(secret)
    if (reading !== undefined) return reading
    const read = this.#read(secret, at).finally(() => this.#reading.delete(secret))
    this.#reading.set(secret, read)
    return read
  }

  // Reads the key from the state. The new entry keeps the token bucket of the last entry unless the limits have changed; a new
  // bucket would be full.
  async #read(secret: string, at: number): Promise<Caller | null> {
    const key = await this.#keys.find(secret)
    const before = this.#entries.get(secret)?.bucket
    // Deleting first moves the entry to the end of the map, so the first entry is the least recently read one.
    this.#entries.delete(secret)
    if (key === null) return null
    const { perSecond, burst } = this.#limitOf(key)
    const bucket =
      before?.perSecond === perSecond && before.burst === burst
        ? before
        : new TokenBucket(perSecond, burst, at)
    const allowed = key.allowed_addresses === null ? null : new AllowedAddresses(key.allowed_addresses)
    // The entry ends with the key, so an expired key is refused at once and not up to two seconds later.
    const expiresAt = key.expires_at === null ? Infinity : Date.parse(key.expires_at)
    const checkAfter = Math.min(at + TRUSTED_FOR_MS, expiresAt)
    const entry = { key, allowed, bucket, checkAfter }
    this.#entries.set(secret, entry)
    const [oldest] = this.#entries.size > MOST_ENTRIES ? this.#entries.keys() : []
    if (oldest !== undefined) this.#entries.delete(oldest)
    return entry
  }
}
