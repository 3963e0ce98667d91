import { fnvOfBytes, fnvOfText } from '../../hash.ts'

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

/** A pool whose names, the texts below `nameCount`, have no keys yet. */
export interface PlainTexts extends Pick<TextPool, 'count' | 'bytes' | 'starts' | 'hash' | 'letters'> {
  readonly nameCount: number
}

export const KNOWN_FIRST = 1
export const KNOWN_LAST = 2

/** The letters of one text of a pool. */
export function textAt(pool: Pick<TextPool, 'bytes' | 'starts'>, id: number): string {
  let text = ''
  for (let k = pool.starts[id]!; k < pool.starts[id + 1]!; k++) text += String.fromCharCode(pool.bytes[k]!)
  return text
}

/** 32-bit hash of a text, never 0 (FNV-1a with a final mix). */
export function hashText(text: string): number {
  return mixed(fnvOfText(text)) || 1
}

/** The same of letters in a buffer. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  return mixed(fnvOfBytes(bytes, from, to)) || 1
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

interface SharedKind<T> {
  new (buffer: SharedArrayBuffer): T
  readonly BYTES_PER_ELEMENT: number
}

/** An array that worker threads can read without copying. */
export function shared<T extends TypedArray>(Kind: SharedKind<T>, length: number): T {
  return new Kind(new SharedArrayBuffer(length * Kind.BYTES_PER_ELEMENT))
}

/** A copy for worker threads. */
export function sharedCopy<T extends TypedArray>(Kind: SharedKind<T>, values: ArrayLike<number>): T {
  const copy = shared(Kind, values.length)
  copy.set(values)
  return copy
}
