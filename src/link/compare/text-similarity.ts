import { populationCount } from '../../population-count.ts'
import { fewEdits, jaroWinklerOf } from '../../normalize/similarity.ts'
import type { TextPool } from '../records/texts.ts'

/** Kinds of similarity of two different texts. */
export const SIMILARITY = {
  none: 0,
  similar: 1,
  sound: 2,
  near: 3,
  part: 4,
  nickname: 5,
  initial: 6,
} as const
export type Similarity = (typeof SIMILARITY)[keyof typeof SIMILARITY]

const CACHE_BITS = 19
const SIMILAR = 0.86
// Lower bound of m / |a| + m / |b|, with m matching letters, for a Jaro-Winkler similarity of SIMILAR. Equal first letters raise the Jaro
// similarity, four of them most: to SIMILAR from (SIMILAR - 0.4) / 0.6. Jaro is the mean of three terms. The third term is at most 1.
const LEAST_MATCHED = (3 * (SIMILAR - 0.4)) / 0.6 - 1 - 0.001
/** Only the first letters of longer texts are compared. */
const MOST_LETTERS = 512

/**
 * Computes the similarity of two texts of one pool, and caches it per pair. Symmetric: (a, b) and (b, a) give the same. `near` means one edit
 * or swap of neighbouring letters in a text of at least four letters, or a Jaro-Winkler similarity of 0.93. `similar` means 0.86.
 */
export class TextSimilarity {
  readonly #pool: TextPool
  /**
   * Two integers per cached pair: the first text with the kind of comparison in its last bit, and the second text with the similarity in its
   * last three bits. `fill(0)` writes every memory page once, because a page that is read before it is written costs two page faults.
   */
  readonly #cache = new Int32Array(2 << CACHE_BITS).fill(0)

  constructor(pool: TextPool) {
    this.#pool = pool
  }

  /** Returns the similarity of two names, which may also be `nickname`, `initial`, `part` or `sound`. */
  names(a: number, b: number): Similarity {
    if (this.#cannotBeAlike(a, b)) return SIMILARITY.none
    return this.#cached(a, b, 0)
  }

  /** Returns the similarity of two texts that are not names: `near`, `similar` or `none`. */
  texts(a: number, b: number): Similarity {
    if (this.#lettersDiffer(a, b) !== 'no') return SIMILARITY.none
    return this.#cached(a, b, 1)
  }

  // Returns true for most pairs of names that are not similar. It reads only a few bits of each name and not the cache.
  #cannotBeAlike(a: number, b: number): boolean {
    const { nickname, otherStarts, starts, sound, letters } = this.#pool
    const differ = this.#lettersDiffer(a, b)
    if (differ === 'no' || nickname[a] === nickname[b]) return false
    if (otherStarts[a] !== otherStarts[a + 1] && otherStarts[b] !== otherStarts[b + 1]) return false
    if (starts[a + 1]! - starts[a]! < 2 || starts[b + 1]! - starts[b]! < 2) return false
    if (differ === 'much') return true
    const left = letters[a]!
    const right = letters[b]!
    const isPart = (left & ~right) === 0 || (right & ~left) === 0 || ((left | right) & 1) !== 0
    return !isPart && sound[a] !== sound[b]
  }

  /**
   * Compares only the sets of letters of two texts. Returns 'much' when less than half of the letters of each text are in the other text.
   * Returns 'enough' when the sets rule out `near` and `similar`: the texts are more than one edit apart, and Jaro-Winkler is below 0.86.
   * Returns 'no' otherwise.
   */
  #lettersDiffer(a: number, b: number): 'much' | 'enough' | 'no' {
    const { letters, starts } = this.#pool
    const left = letters[a]!
    const right = letters[b]!
    const common = populationCount(left & right)
    const onlyA = populationCount(left) - common
    const onlyB = populationCount(right) - common
    if (common < onlyA && common < onlyB) return 'much'
    if (onlyA < 2 && onlyB < 2) return 'no'
    const lengthA = starts[a + 1]! - starts[a]!
    const lengthB = starts[b + 1]! - starts[b]!
    if (lengthA > MOST_LETTERS || lengthB > MOST_LETTERS) return 'no'
    // Upper bound of the number of matching letters.
    const matched = lengthA - onlyA < lengthB - onlyB ? lengthA - onlyA : lengthB - onlyB
    return matched * (lengthA + lengthB) < LEAST_MATCHED * lengthA * lengthB ? 'enough' : 'no'
  }

  // The cache is direct-mapped: a new pair replaces the pair in its slot, which is computed again when it is needed.
  #cached(one: number, other: number, kind: 0 | 1): Similarity {
    const a = one < other ? one : other
    const b = one < other ? other : one
    const left = a * 2 + kind
    const slot = ((Math.imul(left, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> (32 - CACHE_BITS)) * 2
    const right = this.#cache[slot + 1]!
    if (this.#cache[slot] === left && right >> 3 === b) return (right & 7) as Similarity
    const value = kind === 0 ? this.#compareNames(a, b) : this.#compareTexts(a, b)
    this.#cache[slot] = left
    this.#cache[slot + 1] = (b << 3) | value
    return value
  }

  #compareNames(a: number, b: number): Similarity {
    const { starts, bytes, nickname, sound, letters } = this.#pool
    const lengthA = starts[a + 1]! - starts[a]!
    const lengthB = starts[b + 1]! - starts[b]!
    if (lengthA === 1 || lengthB === 1) {
      return lengthA !== lengthB && bytes[starts[a]!] === bytes[starts[b]!]
        ? SIMILARITY.initial
        : SIMILARITY.none
    }
    if (nickname[a] === nickname[b] && nickname[a] !== 0) return SIMILARITY.nickname
    if (((letters[a]! | letters[b]!) & 1) !== 0 && this.#sharesWord(a, b)) return SIMILARITY.part
    const like = this.#compareTexts(a, b)
    if (like === SIMILARITY.near) return like
    if (this.#goesBy(a, b) || this.#goesBy(b, a)) return SIMILARITY.nickname
    if (sound[a] === sound[b] && sound[a] !== 0 && lengthA > 2 && lengthB > 2) return SIMILARITY.sound
    if (like === SIMILARITY.none && lengthA >= 4 && lengthB >= 4 && this.#startsWith(a, b))
      return SIMILARITY.part
    return like
  }

  #compareTexts(a: number, b: number): Similarity {
    const { starts } = this.#pool
    const lengthA = starts[a + 1]! - starts[a]!
    const lengthB = starts[b + 1]! - starts[b]!
    const shorter = lengthA < lengthB ? lengthA : lengthB
    const longer = lengthA + lengthB - shorter
    if (shorter === 0) return SIMILARITY.none
    if (this.#lettersDiffer(a, b) !== 'no') return SIMILARITY.none
    if (longer >= 4 && longer - shorter <= 1 && this.isOneEdit(a, b)) return SIMILARITY.near
    if (longer === 3 && shorter === 3 && this.isOneEdit(a, b)) return SIMILARITY.similar
    const found = this.#jaroWinkler(a, b)
    if (found >= 0.93 && shorter >= 4) return SIMILARITY.near
    return found >= SIMILAR ? SIMILARITY.similar : SIMILARITY.none
  }

  #jaroWinkler(a: number, b: number): number {
    const { starts, bytes } = this.#pool
    const lengthA = Math.min(MOST_LETTERS, starts[a + 1]! - starts[a]!)
    const lengthB = Math.min(MOST_LETTERS, starts[b + 1]! - starts[b]!)
    return jaroWinklerOf(bytes, starts[a]!, lengthA, bytes, starts[b]!, lengthB)
  }

  /** Returns whether two texts are equal or one edit apart. */
  isOneEdit(a: number, b: number): boolean {
    const { starts, bytes } = this.#pool
    return fewEdits(bytes, starts[a]!, starts[a + 1]!, bytes, starts[b]!, starts[b + 1]!) < 2
  }

  // Returns whether people named `a` also use the name `b`. A nickname of several formal names (AL, SUSIE) has only one class in `nickname`, so
  // this list is needed too.
  #goesBy(a: number, b: number): boolean {
    const { otherStarts, others, hash } = this.#pool
    const wanted = hash[b]!
    for (let k = otherStarts[a]!; k < otherStarts[a + 1]!; k++) if (others[k] === wanted) return true
    return false
  }

  // Returns whether both names have a common word of at least three letters: MARY ANN and MARY, SMITH JONES and JONES.
  #sharesWord(a: number, b: number): boolean {
    const { starts, bytes } = this.#pool
    const endA = starts[a + 1]!
    const endB = starts[b + 1]!
    for (let i = starts[a]!; i < endA;) {
      let stopA = i
      while (stopA < endA && bytes[stopA] !== SPACE) stopA++
      for (let j = starts[b]!; j < endB;) {
        let stopB = j
        while (stopB < endB && bytes[stopB] !== SPACE) stopB++
        if (stopA - i >= 3 && stopA - i === stopB - j && sameBytes(bytes, i, j, stopA - i)) return true
        j = stopB + 1
      }
      i = stopA + 1
    }
    return false
  }

  #startsWith(a: number, b: number): boolean {
    const { starts, bytes } = this.#pool
    const length = Math.min(starts[a + 1]! - starts[a]!, starts[b + 1]! - starts[b]!)
    return sameBytes(bytes, starts[a]!, starts[b]!, length)
  }
}

const SPACE = 32

function sameBytes(bytes: Uint8Array, i: number, j: number, length: number): boolean {
  for (let k = 0; k < length; k++) if (bytes[i + k] !== bytes[j + k]) return false
  return true
}
