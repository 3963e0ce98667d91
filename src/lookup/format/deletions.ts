import { FNV_START, fnvWith } from '../../fnv.ts'
import { NOBODY, numbersOf, type Store } from './store.ts'

/** Words up to this long are found within one edit, longer ones within two. */
const SHORT_WORD = 5

export function editLimit(word: string): 1 | 2 {
  return word.length <= SHORT_WORD ? 1 : 2
}

/** No name; the deletions of what is longer would be thousands. */
const LONGEST_WORD = 30

/**
 * Hashes of a word and of all it becomes when letters are left out, one for short words and up to two for longer ones.
 * Two words within the edit limit of each other share at least one (symmetric deletion; whoever finds it so compares the words).
 */
export function deletionHashes(word: string): Set<number> {
  const hashes = new Set<number>()
  forDeletionHashes(word, editLimit(word), (hash) => hashes.add(hash))
  return hashes
}

/** Calls `add` with each of them; with some more than once, where a word has a letter twice. */
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

// Of the word without its letters at `first` and `second`.
function hashWithout(word: string, first: number, second: number): number {
  let hash = FNV_START
  for (let i = 0; i < word.length; i++)
    if (i !== first && i !== second) hash = fnvWith(hash, word.charCodeAt(i))
  return hash >>> 0
}

const BUCKETS = 65_536
/** 32 MiB: the deletions of a million people's names are 21. */
const MOST_HELD = 2 ** 23

/**
 * Words of the snapshot by the hashes of what they become when letters are left out. A mistyped word asks for thirty
 * hashes, so what the store gave once is held.
 */
export class Deletions {
  readonly #store: Store
  /** Where each bucket stands in `#held`, its length first; 0 when it was not read yet. */
  readonly #starts = new Uint32Array(BUCKETS)
  #held = new Uint32Array(0)
  #end = 1
  readonly #most: number

  /** `most`: how many numbers are held; what there is no room for is read every time. */
  constructor(store: Store, most = MOST_HELD) {
    this.#store = store
    this.#most = most
  }

  /** Calls `add` with the number of each word that has the hash. `add` must not read the store. */
  forWords(hash: number, add: (word: number) => void): void {
    const bucket = hash >>> 16
    const start = this.#starts[bucket]!
    if (start > 0) return forEntries(this.#held, start + 1, start + 1 + this.#held[start]!, hash, add)
    const bytes = this.#store.deletions.getBinaryFast(bucket)
    const entries = bytes === undefined ? NOBODY : numbersOf(bytes)
    this.#hold(bucket, entries)
    forEntries(entries, 0, entries.length, hash, add)
  }

  /** Keeps a bucket, where there is room for it. */
  #hold(bucket: number, entries: Uint32Array): void {
    const start = this.#end
    const end = start + 1 + entries.length
    if (end > this.#most) return
    if (end > this.#held.length) {
      const larger = new Uint32Array(Math.min(this.#most, Math.max(end, 2 * this.#held.length)))
      larger.set(this.#held.subarray(0, start))
      this.#held = larger
    }
    this.#held[start] = entries.length
    this.#held.set(entries, start + 1)
    this.#starts[bucket] = start
    this.#end = end
  }
}

/**
 * Of a bucket's (word, hash) pairs, which are ordered by hash, from `low` up to `high`, those with the hash. Hashes are even: looking
 * where it should be, and from there on, reads fewer places than halving.
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
