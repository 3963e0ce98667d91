import { populationCount } from '../../population-count.ts'
import { fewEdits, jaroWinklerOf } from '../../normalize/similarity.ts'
import type { TextPool } from '../records/texts.ts'

/** How alike two different texts are, from alike to not at all. */
export const LIKENESS = { none: 0, similar: 1, sound: 2, near: 3, part: 4, nickname: 5, initial: 6 } as const
export type Likeness = (typeof LIKENESS)[keyof typeof LIKENESS]

const CACHE_BITS = 19
const SIMILAR = 0.86
// Of a Jaro-Winkler of 0.86 with four equal letters at the start, Jaro is (0.86 - 0.4) / 0.6, a third of which is for order.
const LEAST_MATCHED = (3 * (SIMILAR - 0.4)) / 0.6 - 1 - 0.001
/** Of longer texts the rest is not looked at. */
const MOST_LETTERS = 512

/**
 * Likeness of texts of one pool, remembered per distinct pair. Not symmetric in nothing: (a, b) gives what (b, a) gives.
 * `near` is one edit (or swap of neighbours) in four letters or more, or Jaro-Winkler of 0.93; `similar` is 0.86.
 */
export class TextLikeness {
  readonly #pool: TextPool
  /**
   * Two numbers a pair: one text, and the other with the likeness in its last three bits. Filled, for of a page that is read before it is
   * written the system makes two, and tells every other processor.
   */
  readonly #cache = new Int32Array(2 << CACHE_BITS).fill(0)

  constructor(pool: TextPool) {
    this.#pool = pool
  }

  /** Of two names: also nickname, initial, hyphen part and sound. */
  names(a: number, b: number): Likeness {
    if (this.#cannotBeAlike(a, b)) return LIKENESS.none
    return this.#remembered(a, b, 0)
  }

  /** Of two texts that are no names: near or similar or none. */
  texts(a: number, b: number): Likeness {
    if (this.#lettersDiffer(a, b) !== 'no') return LIKENESS.none
    return this.#remembered(a, b, 1)
  }

  // Most pairs of names have nothing in common: settled from a few bits, without a look into the memory of pairs.
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
   * What letters alone tell of two texts. 'much': fewer than half of them in common. 'enough': so many that the other has not that it takes
   * more than one edit from one to the other, and the rest cannot reach the least similarity even where the first four are the same.
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
    // At most so many letters match.
    const matched = lengthA - onlyA < lengthB - onlyB ? lengthA - onlyA : lengthB - onlyB
    return matched * (lengthA + lengthB) < LEAST_MATCHED * lengthA * lengthB ? 'enough' : 'no'
  }

  // Direct-mapped: a pair that falls out is computed again, with the same result.
  #remembered(one: number, other: number, kind: 0 | 1): Likeness {
    const a = one < other ? one : other
    const b = one < other ? other : one
    const left = a * 2 + kind
    const slot = ((Math.imul(left, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> (32 - CACHE_BITS)) * 2
    const right = this.#cache[slot + 1]!
    if (this.#cache[slot] === left && right >> 3 === b) return (right & 7) as Likeness
    const value = kind === 0 ? this.#compareNames(a, b) : this.#compareTexts(a, b)
    this.#cache[slot] = left
    this.#cache[slot + 1] = (b << 3) | value
    return value
  }

  #compareNames(a: number, b: number): Likeness {
    const { starts, bytes, nickname, sound, letters } = this.#pool
    const lengthA = starts[a + 1]! - starts[a]!
    const lengthB = starts[b + 1]! - starts[b]!
    if (lengthA === 1 || lengthB === 1) {
      return lengthA !== lengthB && bytes[starts[a]!] === bytes[starts[b]!] ? LIKENESS.initial : LIKENESS.none
    }
    if (nickname[a] === nickname[b] && nickname[a] !== 0) return LIKENESS.nickname
    if (((letters[a]! | letters[b]!) & 1) !== 0 && this.#sharesWord(a, b)) return LIKENESS.part
    const like = this.#compareTexts(a, b)
    if (like === LIKENESS.near) return like
    if (this.#goesBy(a, b) || this.#goesBy(b, a)) return LIKENESS.nickname
    if (sound[a] === sound[b] && sound[a] !== 0 && lengthA > 2 && lengthB > 2) return LIKENESS.sound
    if (like === LIKENESS.none && lengthA >= 4 && lengthB >= 4 && this.#startsWith(a, b)) return LIKENESS.part
    return like
  }

  #compareTexts(a: number, b: number): Likeness {
    const { starts } = this.#pool
    const lengthA = starts[a + 1]! - starts[a]!
    const lengthB = starts[b + 1]! - starts[b]!
    const shorter = lengthA < lengthB ? lengthA : lengthB
    const longer = lengthA + lengthB - shorter
    if (shorter === 0) return LIKENESS.none
    if (this.#lettersDiffer(a, b) !== 'no') return LIKENESS.none
    if (longer >= 4 && longer - shorter <= 1 && this.isOneEdit(a, b)) return LIKENESS.near
    if (longer === 3 && shorter === 3 && this.isOneEdit(a, b)) return LIKENESS.similar
    const likeness = this.#jaroWinkler(a, b)
    if (likeness >= 0.93 && shorter >= 4) return LIKENESS.near
    return likeness >= SIMILAR ? LIKENESS.similar : LIKENESS.none
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

  // Of names that several classes share (AL, SUSIE), the list decides.
  #goesBy(a: number, b: number): boolean {
    const { otherStarts, others, hash } = this.#pool
    const wanted = hash[b]!
    for (let k = otherStarts[a]!; k < otherStarts[a + 1]!; k++) if (others[k] === wanted) return true
    return false
  }

  // A word of three letters or more that both have: MARY ANN and MARY, SMITH JONES and JONES.
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
