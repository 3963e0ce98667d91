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

export interface Entry extends Caller {
  readonly secret: string
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

  /** Returns the cached entry of `secret`; null when there is none. The entry may be out of date. */
  known(secret: string): Entry | null {
    return this.#entries.get(secret) ?? null
  }

  /** Returns the caller with the key `secret` at `at` (milliseconds since 1970); null for unknown, expired and revoked keys. */
  find(secret: string, at: number): Caller | null {
    const known = this.known(secret)
    return known === null ? this.#look(secret, at, null) : this.renewed(known, at)
  }

  /** Like `find`, for an entry from `known`: reads the state file only when the entry is out of date. */
  renewed(known: Entry, at: number): Caller | null {
    const isFresh = at < known.checkAfter && at >= known.checkAfter - TRUSTED_FOR_MS
    return isFresh ? known : this.#look(known.secret, at, known.bucket)
  }

  // `before` is the present token bucket of the key. It is kept unless the limits changed, so that a read does not refill it.
  #look(secret: string, at: number, before: TokenBucket | null): Caller | null {
    // Deleting first moves the entry to the end of the map, so the first entry is the least recently read one.
    this.#entries.delete(secret)
    const key = this.#keys.find(secret)
    if (key === null) return null
    const perSecond = key.rate_per_second ?? this.#limit.perSecond
    const burst = key.burst ?? Math.max(this.#limit.burst, perSecond)
    const bucket =
      before !== null && before.perSecond === perSecond && before.burst === burst
        ? before
        : new TokenBucket(perSecond, burst, at)
    const allowed = key.allowed_addresses === null ? null : new AllowedAddresses(key.allowed_addresses)
    // The entry ends with the key, so an expired key is refused at once and not up to two seconds later.
    const expiresAt = key.expires_at === null ? Infinity : Date.parse(key.expires_at)
    const checkAfter = Math.min(at + TRUSTED_FOR_MS, expiresAt)
    const entry = { secret, key, allowed, bucket, checkAfter }
    this.#entries.set(secret, entry)
    if (this.#entries.size > MOST_ENTRIES) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest)
        break
      }
    }
    return entry
  }
}
