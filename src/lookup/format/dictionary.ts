import { codesOf, damerauLevenshtein, fewEdits } from '../../normalize/similarity.ts'
import { TextIndex } from '../../text-index.ts'
import type { Output } from './output.ts'

// How many texts are cached as strings. A power of two, so that the low bits of a number select its place.
const MAX_CACHED = 32_768

/** Texts in the order of their bytes, numbered from 0. */
export class Dictionary {
  readonly size: number
  readonly #start: Uint32Array
  readonly #bytes: Buffer
  /** The first search builds it. */
  #index: TextIndex | null = null
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
    const number = (this.#index ??= this.#makeIndex()).find(text)
    const isAscii = number >= 0 || Buffer.byteLength(text) === text.length
    return isAscii ? number : this.#findBytes(Buffer.from(text))
  }

  #makeIndex(): TextIndex {
    return new TextIndex(this.#bytes, this.#start, this.#start.subarray(1))
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

/** Returns the lowest power of two above `count`, so that a hash table always has a free slot. */
function powerOfTwo(count: number): number {
  return 2 ** (32 - Math.clz32(count))
}
