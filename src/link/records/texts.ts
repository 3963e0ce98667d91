import { fnvOfBytes, fnvOfText } from '../../hash.ts'

/**
 * All distinct texts of a run. Each text has an integer id; id 0 means "none". Two names, or two other texts, are equal when their ids are
 * equal. The bytes of all texts lie in one buffer that the worker threads share.
 */
export interface TextPool {
  readonly count: number
  readonly bytes: Uint8Array
  /** Text `id` is `bytes` from `starts[id]` to `starts[id + 1]`. */
  readonly starts: Int32Array
  /** Hash of the bytes of each text. Unlike the id, it is the same in every run. */
  readonly hash: Int32Array
  /** Hash of the phonetic key of the last word; 0 for a text that is not a name. */
  readonly sound: Int32Array
  /** Hash of the phonetic key of the first word: for GARCIA LOPEZ, the key of GARCIA. */
  readonly startSound: Int32Array
  /** Hash of the nickname class of the first word; 0 for a text that is not a name. */
  readonly nickname: Int32Array
  /**
   * Hashes of the nicknames and formal names that people with first name `id` also use, ascending: `others[otherStarts[id]]` to
   * `others[otherStarts[id + 1]]`.
   */
  readonly otherStarts: Int32Array
  readonly others: Int32Array
  /**
   * Flags KNOWN_FIRST and KNOWN_LAST: the Census knows the text as a first or last name. Two known names that differ by one letter are two
   * names, not one name with a typo.
   */
  readonly known: Uint8Array
  /** Bit mask of the letters of each text (letter A is bit 1; a space is bit 0). It gives an upper bound of the similarity of two texts. */
  readonly letters: Int32Array
}

/** A pool without the keys of its names. Texts with an id below `nameCount` are names. */
export interface PlainTexts extends Pick<TextPool, 'count' | 'bytes' | 'starts' | 'hash' | 'letters'> {
  readonly nameCount: number
}

export const KNOWN_FIRST = 1
export const KNOWN_LAST = 2

/** Returns one text of a pool. */
export function textAt(pool: Pick<TextPool, 'bytes' | 'starts'>, id: number): string {
  let text = ''
  for (let k = pool.starts[id]!; k < pool.starts[id + 1]!; k++) text += String.fromCharCode(pool.bytes[k]!)
  return text
}

/** Returns a 32-bit hash of a text, never 0 (FNV-1a with a final mix). */
export function hashText(text: string): number {
  return mixed(fnvOfText(text)) || 1
}

/** Returns what `hashText` returns for the text in `bytes` from `from` to `to`. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  return mixed(fnvOfBytes(bytes, from, to)) || 1
}

/** Returns a hash of `hash` and `value` together. The order of the two matters. */
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

interface SharedKind<T> {
  new (buffer: SharedArrayBuffer): T
  readonly BYTES_PER_ELEMENT: number
}

/** Returns an array of zeros that worker threads can read without a copy. */
export function shared<T extends TypedArray>(Kind: SharedKind<T>, length: number): T {
  return new Kind(new SharedArrayBuffer(length * Kind.BYTES_PER_ELEMENT))
}

/** Returns a copy of `values` that worker threads can read without a copy of their own. */
export function sharedCopy<T extends TypedArray>(Kind: SharedKind<T>, values: ArrayLike<number>): T {
  const copy = shared(Kind, values.length)
  copy.set(values)
  return copy
}
