import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { nicknameClass, nicknamesOf } from '../../normalize/nicknames.ts'
import { fold } from '../../normalize/fold.ts'
import { phoneticKey } from '../../normalize/phonetic.ts'
import { isPlaceholder, PLACEHOLDERS } from './placeholders.ts'
import { grown } from '../../arrays.ts'
import {
  hashBytes,
  hashText,
  KNOWN_FIRST,
  KNOWN_LAST,
  type PlainTexts,
  shared,
  textAt,
  type TextPool,
} from './texts.ts'

const PLACEHOLDER_HASHES = new Set([...PLACEHOLDERS].map(hashText))
const SPACE = 32

/** Collects the distinct texts of a run as bytes. Add all names first, then call `endNames`, then add all other texts. */
export class TextPoolBuilder {
  #bytes = new Uint8Array(1 << 16)
  #starts = new Int32Array(1 << 12)
  #hashes = new Int32Array(1 << 12)
  /** Hash table with open addressing: text ids, 0 for a free slot. */
  #slots = new Int32Array(1 << 13)
  #count = 1
  #nameCount = 1
  readonly #decoder = new TextDecoder()
  readonly #encoder = new TextEncoder()

  /**
   * Ends the names. A later text with the same letters as a name gets an id of its own, because only names have phonetic keys and nicknames.
   */
  endNames(): void {
    this.#nameCount = this.#count
    this.#slots.fill(0)
  }

  /** Adds a name as letters, digits and single spaces, and returns its text id; 0 for a placeholder. `bytes` are in UTF-8. */
  addName(bytes: Uint8Array, from: number, to: number): number {
    if (from === to) return 0
    const start = this.#starts[this.#count]!
    if (!this.#copyName(bytes, from, to, start)) {
      const clean = cleanName(this.#decoder.decode(bytes.subarray(from, to)))
      this.#copy(this.#encoder.encode(clean), start)
    }
    return this.#isPlaceholder(start) ? 0 : this.#found(start)
  }

  /** Adds any other text in upper case and plain ASCII, and returns its text id; 0 for an empty text. */
  addText(bytes: Uint8Array, from: number, to: number): number {
    const start = this.#starts[this.#count]!
    this.#copyText(bytes, from, to, start)
    return this.#length === 0 ? 0 : this.#found(start)
  }

  /** Does the same as `addText`, but also returns 0 for a placeholder. */
  addValue(bytes: Uint8Array, from: number, to: number): number {
    const start = this.#starts[this.#count]!
    this.#copyText(bytes, from, to, start)
    return this.#isPlaceholder(start) ? 0 : this.#found(start)
  }

  /** Adds the part before the first `@` of text `id`, and returns the id of that part; 0 when the part is missing or empty. */
  addBeforeAt(id: number): number {
    const from = this.#starts[id]!
    const to = this.#starts[id + 1]!
    let end = from
    while (end < to && this.#bytes[end] !== 64) end++
    if (end === to || end === from) return 0
    const start = this.#starts[this.#count]!
    this.#reserve(start + end - from)
    this.#bytes.copyWithin(start, from, end)
    this.#length = end - from
    return this.#found(start)
  }

  /** Returns all texts in shared arrays. `withNameKeys` then adds the phonetic keys and nicknames of the names. */
  build(): PlainTexts {
    const count = this.#count
    const length = this.#starts[count]!
    const starts = shared(Int32Array, count + 1)
    starts.set(this.#starts.subarray(0, count + 1))
    const bytes = shared(Uint8Array, length)
    bytes.set(this.#bytes.subarray(0, length))
    const hash = shared(Int32Array, count)
    hash.set(this.#hashes.subarray(0, count))
    const letters = shared(Int32Array, count)
    for (let id = 1; id < count; id++) {
      let mask = 0
      for (let k = starts[id]!; k < starts[id + 1]!; k++) mask |= 1 << (bytes[k]! & 31)
      letters[id] = mask
    }
    return { count, bytes, starts, hash, letters, nameCount: this.#nameCount }
  }

  /** Length of the text that is being added. Its bytes lie at the end of `#bytes` and have no text id yet. */
  #length = 0

  // Copies a name that is clean already. Returns false when the name needs `cleanName`.
  #copyName(bytes: Uint8Array, from: number, to: number, start: number): boolean {
    this.#reserve(start + to - from)
    const into = this.#bytes
    let before = SPACE
    for (let k = from; k < to; k++) {
      const code = bytes[k]!
      const isWord = (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
      if (!isWord && (code !== SPACE || before === SPACE)) return false
      into[start + k - from] = code
      before = code
    }
    this.#length = to - from
    return before !== SPACE
  }

  // Copies a text without outer spaces and in upper case.
  #copyText(bytes: Uint8Array, from: number, to: number, start: number): void {
    while (from < to && bytes[from] === SPACE) from++
    while (to > from && bytes[to - 1] === SPACE) to--
    this.#reserve(start + to - from)
    const into = this.#bytes
    for (let k = from; k < to; k++) {
      const code = bytes[k]!
      if (code < SPACE || code > 126) {
        const clean = cleanText(this.#decoder.decode(bytes.subarray(from, to)))
        return this.#copy(this.#encoder.encode(clean), start)
      }
      into[start + k - from] = code >= 97 && code <= 122 ? code - 32 : code
    }
    this.#length = to - from
  }

  #copy(bytes: Uint8Array, start: number): void {
    this.#reserve(start + bytes.length)
    this.#bytes.set(bytes, start)
    this.#length = bytes.length
  }

  #isPlaceholder(start: number): boolean {
    if (this.#length === 0) return true
    const end = start + this.#length
    const first = this.#bytes[start]
    let same = start + 1
    while (same < end && this.#bytes[same] === first) same++
    if (same < end && !PLACEHOLDER_HASHES.has(hashBytes(this.#bytes, start, end))) return false
    return isPlaceholder(this.#decoder.decode(this.#bytes.subarray(start, end)))
  }

  // Returns the id of the text at `start`, which is `#length` bytes long. A new text gets the next id.
  #found(start: number): number {
    const hash = hashBytes(this.#bytes, start, start + this.#length)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let id = this.#slots[slot]!; id !== 0; id = this.#slots[slot]!) {
      if (this.#hashes[id] === hash && this.#isSame(id, start)) return id
      slot = (slot + 1) & mask
    }
    const id = this.#count++
    this.#slots[slot] = id
    if (this.#count + 1 >= this.#starts.length) {
      this.#starts = grown(this.#starts)
      this.#hashes = grown(this.#hashes)
    }
    this.#hashes[id] = hash
    this.#starts[id + 1] = start + this.#length
    if (this.#count * 2 > this.#slots.length) this.#rehash()
    return id
  }

  #isSame(id: number, start: number): boolean {
    const from = this.#starts[id]!
    if (this.#starts[id + 1]! - from !== this.#length) return false
    for (let k = 0; k < this.#length; k++) if (this.#bytes[from + k] !== this.#bytes[start + k]) return false
    return true
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 4)
    const mask = this.#slots.length - 1
    // After `endNames` the table no longer contains names.
    for (let id = this.#nameCount; id < this.#count; id++) {
      let slot = this.#hashes[id]! & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = id
    }
  }

  #reserve(length: number): void {
    if (length > this.#bytes.length) this.#bytes = grown(this.#bytes, length * 2)
  }
}

/** Returns the pool with the phonetic keys and nicknames of its names. */
export function withNameKeys({ nameCount, ...plain }: PlainTexts): TextPool {
  const { count } = plain
  const otherStarts = shared(Int32Array, count + 1)
  const others: number[] = []
  const keyed: KeyedTexts = {
    sound: shared(Int32Array, count),
    startSound: shared(Int32Array, count),
    nickname: shared(Int32Array, count),
    known: shared(Uint8Array, count),
  }
  const keys = new NameKeys(keyed)
  for (let id = 1; id < nameCount; id++) {
    otherStarts[id] = others.length
    others.push(...keys.give(id, textAt(plain, id)))
  }
  otherStarts.fill(others.length, nameCount)
  const found = shared(Int32Array, others.length)
  found.set(others)
  return { ...plain, ...keyed, otherStarts, others: found }
}

type KeyedTexts = Pick<TextPool, 'sound' | 'startSound' | 'nickname' | 'known'>

interface WordKeys {
  readonly sound: number
  readonly nickname: number
  readonly others: readonly number[]
}

/** Computes phonetic keys and nicknames of names. Remembers the keys of each word, because many names share words. */
export class NameKeys {
  readonly #texts: KeyedTexts
  readonly #words = new Map<string, WordKeys>()

  constructor(texts: KeyedTexts) {
    this.#texts = texts
  }

  /** Writes the keys of one name. Returns hashes of the nicknames and formal names that its first word also stands for, ascending. */
  give(id: number, name: string): readonly number[] {
    const space = name.indexOf(' ')
    const first = this.#keysOf(space < 0 ? name : name.slice(0, space))
    const last = space < 0 ? first : this.#keysOf(name.slice(name.lastIndexOf(' ') + 1))
    const { known, sound, startSound, nickname } = this.#texts
    known[id] = knownAs(name)
    sound[id] = last.sound
    startSound[id] = first.sound
    nickname[id] = first.nickname
    return first.others
  }

  #keysOf(word: string): WordKeys {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    const others = nicknamesOf(word).map(hashText)
    const keys = {
      sound: hashText(phoneticKey(word) || word),
      nickname: hashText(nicknameClass(word)),
      others: others.sort((a, b) => a - b),
    }
    this.#words.set(word, keys)
    return keys
  }
}

// A name is known when at least two people in 100,000 have it. The Census tables also list misspellings, which are rarer.
const KNOWN_PEOPLE = 2

function knownAs(text: string): number {
  const found = nameFrequency(text)
  if (found === undefined) return 0
  return (
    (found.female + found.male >= KNOWN_PEOPLE ? KNOWN_FIRST : 0) |
    (found.surname >= KNOWN_PEOPLE ? KNOWN_LAST : 0)
  )
}

function cleanName(text: string): string {
  return fold(text)
    .replace(/[^A-Z0-9]+/g, (gap) => (gap === "'" || gap === '.' || gap === '`' ? '' : ' '))
    .trim()
}

function cleanText(text: string): string {
  // eslint-disable-next-line no-control-regex
  return fold(text)
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
}
