import { FNV_START, fnvWith } from '../../hash.ts'
import { NOBODY, numbersOf, type Store } from './store.ts'
import { grown } from '../../arrays.ts'

/** Searches accept one edit for words up to this length and two edits for longer words. */
const SHORT_WORD = 5

/** Returns how many edits a search accepts between the word and a similar one. */
export function editLimit(word: string): 1 | 2 {
  return word.length <= SHORT_WORD ? 1 : 2
}

/** Longer words are no names. No letters are deleted from them, because they have thousands of deletions. */
const LONGEST_WORD = 30

/**
 * Returns the hashes of a word and of the words that remain when letters are deleted. One letter of a short
 * word is deleted, up to two of a longer one. Two words within the edit limit of each other share at least
 * one hash (symmetric deletion). The reverse is not true, so the caller compares the words.
 */
export function deletionHashes(word: string): Set<number> {
  const hashes = new Set<number>()
  forDeletionHashes(word, editLimit(word), (hash) => hashes.add(hash))
  return hashes
}

/** Calls `add` with each hash of `deletionHashes`. Words with repeated letters give some hashes twice. */
export function forDeletionHashes(word: string, limit: 1 | 2, add: (hash: number) => void): void {
  const { length } = word
  add(hashWithout(word, length, length))
  if (length > LONGEST_WORD || length < 2) return
  for (let first = 0; first < length; first++) {
    add(hashWithout(word, first, length))
    if (limit === 1 || length < 3) continue
    for (let second = first + 1; second < length; second++) add(hashWithout(word, first, second))
  }
}

// Hashes the word without its letters at `first` and `second`.
function hashWithout(word: string, first: number, second: number): number {
  let hash = FNV_START
  for (let i = 0; i < word.length; i++)
    if (i !== first && i !== second) hash = fnvWith(hash, word.charCodeAt(i))
  return hash >>> 0
}

const BUCKETS = 65_536
/** 32 MiB of numbers. The deletions of a million people's names need 21 MiB. */
const MAX_CACHED = 2 ** 23

/**
 * Finds the words of a snapshot by the hashes of their deletions. One mistyped word needs about thirty
 * hashes, so buckets that were read from the store are cached.
 */
export class Deletions {
  readonly #store: Store
  /** The position of each bucket in `#cached`; 0 when it is not cached. The first number there is its length. */
  readonly #starts = new Uint32Array(BUCKETS)
  #cached = new Uint32Array(0)
  #end = 1
  readonly #capacity: number

  /**
   * `capacity` is how many numbers the cache can hold. A bucket that does not fit is read from the store each
   * time.
   */
  constructor(store: Store, capacity = MAX_CACHED) {
    this.#store = store
    this.#capacity = capacity
  }

  /**
   * Calls `add` with the number of each word that has the hash. `add` must not read the store: the next read
   * overwrites the bucket.
   */
  forWords(hash: number, add: (word: number) => void): void {
    const bucket = hash >>> 16
    const start = this.#starts[bucket]!
    if (start > 0) return forEntries(this.#cached, start + 1, start + 1 + this.#cached[start]!, hash, add)
    const bytes = this.#store.deletions.getBinaryFast(bucket)
    const entries = bytes === undefined ? NOBODY : numbersOf(bytes)
    this.#cache(bucket, entries)
    forEntries(entries, 0, entries.length, hash, add)
  }

  /** Caches a bucket if it fits. */
  #cache(bucket: number, entries: Uint32Array): void {
    const start = this.#end
    const end = start + 1 + entries.length
    if (end > this.#capacity) return
    if (end > this.#cached.length)
      this.#cached = grown(this.#cached, Math.min(this.#capacity, Math.max(end, 2 * this.#cached.length)))
    this.#cached[start] = entries.length
    this.#cached.set(entries, start + 1)
    this.#starts[bucket] = start
    this.#end = end
  }
}

/**
 * Calls `add` for the pairs (word, hash) with the given hash, between `low` and `high` of a bucket that is
 * sorted by hash. Hashes are evenly distributed, so the search starts at the expected position; that reads
 * fewer entries than a binary search.
 */
function forEntries(
  pairs: Uint32Array,
  low: number,
  high: number,
  hash: number,
  add: (word: number) => void,
): void {
  const count = (high - low) >>> 1
  let at = low + 2 * Math.floor((count * (hash & 0xffff)) / 0x1_0000)
  while (at > low && pairs[at - 1]! >= hash) at -= 2
  while (at < high && pairs[at + 1]! < hash) at += 2
  for (; at < high && pairs[at + 1] === hash; at += 2) add(pairs[at]!)
}
