import { nameFrequency } from '../normalize/name-frequencies.ts'
import { nicknameClass, nicknamesOf } from '../normalize/nicknames.ts'
import { phoneticKey } from '../normalize/phonetic.ts'

/**
 * Every distinct text of a run as one small integer (0 is "none"), its letters in one buffer that threads share.
 * Equality is equality of integers; similarity is computed from the letters, once per distinct pair.
 */
export interface TextPool {
  readonly count: number
  readonly bytes: Uint8Array
  /** `starts[id]` to `starts[id + 1]` are the letters of `id`. */
  readonly starts: Int32Array
  /** A hash of the letters: the same in every run and for every order of arrival. */
  readonly hash: Int32Array
  /** Hash of the phonetic key of the last word; 0 where the text was never asked for as a name. */
  readonly sound: Int32Array
  /** The same of the first word: of GARCIA LOPEZ, what GARCIA sounds like. */
  readonly startSound: Int32Array
  /** Hash of the nickname class of the first word; 0 likewise. */
  readonly nickname: Int32Array
  /** Hashes of the other names that bearers of `id` go by, ascending: `others[otherStarts[id]]` on; first words that are names only. */
  readonly otherStarts: Int32Array
  readonly others: Int32Array
  /** Bit 1: a first name that people bear, bit 2: a last name. Two such names are not each other's slip of the pen. */
  readonly known: Uint8Array
  /** Which letters occur, a bit each: a cheap bound on similarity. */
  readonly letters: Int32Array
}

/** Gathers texts into a pool. */
export class TextPoolBuilder {
  readonly #ids = new Map<string, number>()
  readonly #texts: string[] = ['']

  /** The integer of `text`; 0 for an empty one. Letters outside ASCII must be folded before. */
  add(text: string): number {
    if (text === '') return 0
    let id = this.#ids.get(text)
    if (id === undefined) {
      id = this.#texts.length
      this.#ids.set(text, id)
      this.#texts.push(text)
    }
    return id
  }

  textOf(id: number): string {
    return this.#texts[id] ?? ''
  }

  #otherNames(isName: Uint8Array): { otherStarts: Int32Array; others: Int32Array } {
    const otherStarts = shared(Int32Array, this.#texts.length + 1)
    const found: number[] = []
    this.#texts.forEach((text, id) => {
      otherStarts[id] = found.length
      if (isName[id] !== 1) return
      const hashes = nicknamesOf(text.split(' ')[0]!).map(hashText)
      found.push(...hashes.sort((a, b) => a - b))
    })
    otherStarts[this.#texts.length] = found.length
    const others = shared(Int32Array, found.length)
    others.set(found)
    return { otherStarts, others }
  }

  /** `isName[id]` says which texts need phonetic and nickname keys. */
  build(isName: Uint8Array): TextPool {
    const count = this.#texts.length
    const starts = shared(Int32Array, count + 1)
    let length = 0
    for (let id = 0; id < count; id++) {
      starts[id] = length
      length += this.#texts[id]!.length
    }
    starts[count] = length
    const bytes = shared(Uint8Array, length)
    const hash = shared(Int32Array, count)
    const sound = shared(Int32Array, count)
    const startSound = shared(Int32Array, count)
    const nickname = shared(Int32Array, count)
    const letters = shared(Int32Array, count)
    const known = shared(Uint8Array, count)
    const wordKeys = new Map<string, { sound: number; nickname: number }>()
    const keysOf = (word: string): { sound: number; nickname: number } => {
      let keys = wordKeys.get(word)
      if (keys === undefined) {
        keys = { sound: hashText(phoneticKey(word) || word), nickname: hashText(nicknameClass(word)) }
        wordKeys.set(word, keys)
      }
      return keys
    }
    for (let id = 1; id < count; id++) {
      const text = this.#texts[id]!
      const start = starts[id]!
      let mask = 0
      for (let k = 0; k < text.length; k++) {
        const code = text.charCodeAt(k)
        bytes[start + k] = code
        mask |= 1 << (code & 31)
      }
      letters[id] = mask
      hash[id] = hashText(text)
      if (isName[id] !== 1) continue
      known[id] = knownAs(text)
      const words = text.split(' ')
      sound[id] = keysOf(words.at(-1)!).sound
      startSound[id] = keysOf(words[0]!).sound
      nickname[id] = keysOf(words[0]!).nickname
    }
    const { otherStarts, others } = this.#otherNames(isName)
    return { count, bytes, starts, hash, sound, startSound, nickname, otherStarts, others, known, letters }
  }
}

export const KNOWN_FIRST = 1
export const KNOWN_LAST = 2

// Of a hundred thousand, as many must bear it: the Census lists misspellings too.
const KNOWN_PEOPLE = 2

function knownAs(text: string): number {
  const found = nameFrequency(text)
  if (found === undefined) return 0
  return (
    (found.female + found.male >= KNOWN_PEOPLE ? KNOWN_FIRST : 0) |
    (found.surname >= KNOWN_PEOPLE ? KNOWN_LAST : 0)
  )
}

/** The letters of one text of a pool. */
export function textAt(pool: TextPool, id: number): string {
  let text = ''
  for (let k = pool.starts[id]!; k < pool.starts[id + 1]!; k++) text += String.fromCharCode(pool.bytes[k]!)
  return text
}

/** 32-bit hash of a text, never 0 (FNV-1a with a final mix). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193)
  return mixed(hash) || 1
}

/** Folds `value` into a running hash. */
export function mixInto(hash: number, value: number): number {
  return mixed(Math.imul(hash ^ value, 0x9e3779b1) + 0x7f4a7c15)
}

function mixed(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

type TypedArray = Int32Array | Uint8Array | Float32Array | Float64Array

/** An array that worker threads can read without copying. */
export function shared<T extends TypedArray>(
  Kind: { new (buffer: SharedArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
  length: number,
): T {
  return new Kind(new SharedArrayBuffer(Math.max(1, length) * Kind.BYTES_PER_ELEMENT))
}
