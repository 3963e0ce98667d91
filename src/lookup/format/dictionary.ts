import { codesOf, damerauLevenshtein, fewEdits } from '../../normalize/similarity.ts'
import { FNV_START, fnvOfBytes, fnvWith } from '../../hash.ts'
import type { Output } from './output.ts'

// How many texts are cached as strings. A power of two, so that the low bits of a number select its place.
const MAX_CACHED = 32_768

/** Texts in the order of their bytes, numbered from 0. */
export class Dictionary {
  readonly size: number
  readonly #start: Uint32Array
  readonly #bytes: Buffer
  /** A hash table from text to number + 1, with 0 for a free slot. The first search builds it. */
  #table: Uint32Array | null = null
  /**
   * Cached texts. The low bits of a number are its place here; `#cachedNumbers` has the number whose text is in each
   * place.
   */
  readonly #cachedTexts: string[] = []
  readonly #cachedNumbers: Int32Array

  constructor(start: Uint32Array, text: Uint8Array) {
    this.size = Math.max(0, start.length - 1)
    this.#start = start
    this.#bytes = Buffer.from(text.buffer, text.byteOffset, text.length)
    this.#cachedNumbers = new Int32Array(Math.min(MAX_CACHED, powerOfTwo(this.size))).fill(-1)
  }

  text(number: number): string {
    const place = number & (this.#cachedNumbers.length - 1)
    if (this.#cachedNumbers[place] !== number) {
      while (this.#cachedTexts.length <= place) this.#cachedTexts.push('')
      this.#cachedTexts[place] = this.#bytes.toString('utf8', this.#start[number], this.#start[number + 1])
      this.#cachedNumbers[place] = number
    }
    return this.#cachedTexts[place]!
  }

  /**
   * Returns whether `text` is exactly one edit away from the text of `number`, as `damerauLevenshtein` counts
   * edits. Compares bytes, because creating a string costs more than the comparison.
   */
  isOneEditAway(number: number, text: string): boolean {
    const bytes = this.#bytes
    const from = this.#start[number]!
    const to = this.#start[number + 1]!
    for (let at = from; at < to; at++)
      if (bytes[at]! > 127) return damerauLevenshtein(text, this.text(number), 1) === 1
    return fewEdits(codesOf(text, 0), 0, text.length, bytes, from, to) === 1
  }

  write(out: Output, number: number): void {
    out.copy(this.#bytes, this.#start[number]!, this.#start[number + 1]!)
  }

  /** Returns the number of `text`, or −1 when the dictionary does not have it. */
  find(text: string): number {
    const table = (this.#table ??= this.#makeTable())
    let hash = FNV_START
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 127) return this.#findBytes(Buffer.from(text))
      hash = fnvWith(hash, code)
    }
    const mask = table.length - 1
    for (let place = mixed(hash) & mask; ; place = (place + 1) & mask) {
      const number = table[place]! - 1
      if (number < 0 || this.#isText(number, text)) return number
    }
  }

  #makeTable(): Uint32Array {
    const table = new Uint32Array(powerOfTwo(2 * this.size))
    const mask = table.length - 1
    for (let number = 0; number < this.size; number++) {
      const hash = fnvOfBytes(this.#bytes, this.#start[number]!, this.#start[number + 1]!)
      let place = mixed(hash) & mask
      while (table[place] !== 0) place = (place + 1) & mask
      table[place] = number + 1
    }
    return table
  }

  /** Compares the text of `number` with `text`, which has only ASCII characters. */
  #isText(number: number, text: string): boolean {
    const start = this.#start[number]!
    if (this.#start[number + 1]! - start !== text.length) return false
    for (let i = 0; i < text.length; i++) if (this.#bytes[start + i] !== text.charCodeAt(i)) return false
    return true
  }

  #findBytes(wanted: Buffer): number {
    const number = this.#lowerBound(wanted)
    return number < this.size && this.#compare(number, wanted) === 0 ? number : -1
  }

  /** Returns the texts that begin with `prefix`: their numbers are `low` up to `high` (exclusive). */
  prefix(prefix: string): { low: number; high: number } {
    const wanted = Buffer.from(prefix)
    const low = this.#lowerBound(wanted)
    // UTF-8 text never contains the byte 0xff, so this key sorts after every text with the prefix.
    return { low, high: this.#lowerBound(Buffer.concat([wanted, AFTER_ALL])) }
  }

  #lowerBound(wanted: Buffer): number {
    let low = 0
    let high = this.size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, wanted) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(number: number, wanted: Buffer): number {
    const start = this.#start[number]!
    const length = this.#start[number + 1]! - start
    const shared = Math.min(length, wanted.length)
    for (let i = 0; i < shared; i++) {
      const difference = this.#bytes[start + i]! - wanted[i]!
      if (difference !== 0) return difference
    }
    return length - wanted.length
  }
}

const AFTER_ALL = Buffer.from([0xff])

// Mixes the upper bits into the lower ones, which alone are distributed less evenly.
function mixed(hash: number): number {
  return hash ^ (hash >>> 15)
}

/** Returns the lowest power of two above `count`, so that a hash table always has a free slot. */
function powerOfTwo(count: number): number {
  return 2 ** (32 - Math.clz32(count))
}
