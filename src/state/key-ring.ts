import { AllowedAddresses } from './allowed-addresses.ts'
import type { Key, KeyStore } from './keys.ts'
import { TokenBucket } from './token-bucket.ts'

/** The holder of a valid key, as the server knows the holder between two reads of the state file. */
export interface Caller {
  /** With the account that the key belongs to (`account_id`) and its terms. */
  readonly key: Key
  /** Null: requests may come from everywhere. */
  readonly allowed: AllowedAddresses | null
  readonly bucket: TokenBucket
}

export interface Entry extends Caller {
  readonly secret: string
  readonly checkAfter: number
}

/** Requests per api_key_id. */
export type Takings = Readonly<Record<string, number>>

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

// A revoked key is refused, and a changed one has its new limits, within this time.
const TRUSTED_FOR_MS = 2_000
const MOST_ENTRIES = 10_000

/** Keys in use, remembered for two seconds each, so that a request seldom costs a query. */
export class KeyRing {
  readonly #keys: KeyStore
  readonly #limit: RateLimit
  readonly #entries = new Map<string, Entry>()

  /** `limit` holds for keys that have no limit of their own. */
  constructor(keys: KeyStore, limit: RateLimit) {
    this.#keys = keys
    this.#limit = limit
  }

  /** Requests per key since the last call, for the other processes that serve the same callers. */
  takings(): Takings {
    const takings: Record<string, number> = {}
    for (const { key, bucket } of this.#entries.values()) {
      const count = bucket.takenCount()
      if (count > 0) takings[key.api_key_id] = count
    }
    return takings
  }

  /** What another process has answered counts against the same limits. */
  owe(takings: Takings): void {
    for (const { key, bucket } of this.#entries.values()) {
      const count = takings[key.api_key_id]
      if (count !== undefined) bucket.owe(count)
    }
  }

  /** Whom `secret` belonged to when it was last looked at; null when it has not been, or was not good then. */
  known(secret: string): Entry | null {
    return this.#entries.get(secret) ?? null
  }

  /** The caller that `secret` belongs to at `at` (milliseconds since 1970); null for unknown, expired and revoked keys. */
  find(secret: string, at: number): Caller | null {
    const known = this.known(secret)
    return known === null ? this.#look(secret, at, null) : this.renewed(known, at)
  }

  /** As `find`, for an entry that `known` gave: the state file is read again when the entry is no longer fresh. */
  renewed(known: Entry, at: number): Caller | null {
    const isFresh = at < known.checkAfter && at >= known.checkAfter - TRUSTED_FOR_MS
    return isFresh ? known : this.#look(known.secret, at, known.bucket)
  }

  // `before` is the token bucket of the key until now: kept unless its limits changed, so that reading again refills nothing.
  #look(secret: string, at: number, before: TokenBucket | null): Caller | null {
    // Deleting first moves a key in use to the end: the oldest entry is the one least recently looked at.
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
    // A key expires at its moment, not up to two seconds later.
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
