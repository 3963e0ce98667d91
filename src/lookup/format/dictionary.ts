import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { FNV_START, fnvWith } from '../../fnv.ts'
import type { Output } from './output.ts'

// How many texts are held as strings: the words that names are mostly made of. A power of two.
const MOST_HELD = 32_768

/** Texts in the order of their bytes, numbered from 0. */
export class Dictionary {
  readonly size: number
  readonly #start: Uint32Array
  readonly #bytes: Buffer
  /** Numbers + 1 by the hashes of their texts, 0 where there is none; made when something is looked for. */
  #table: Uint32Array | null = null
  /** Texts that were asked for, each in the place that the last bits of its number give; and their numbers. */
  readonly #texts: string[] = []
  readonly #held: Int32Array

  constructor(start: Uint32Array, text: Uint8Array) {
    this.size = Math.max(0, start.length - 1)
    this.#start = start
    this.#bytes = Buffer.from(text.buffer, text.byteOffset, text.length)
    this.#held = new Int32Array(Math.min(MOST_HELD, powerOfTwo(this.size))).fill(-1)
  }

  text(number: number): string {
    const place = number & (this.#held.length - 1)
    if (this.#held[place] !== number) {
      while (this.#texts.length <= place) this.#texts.push('')
      this.#texts[place] = this.#bytes.toString('utf8', this.#start[number], this.#start[number + 1])
      this.#held[place] = number
    }
    return this.#texts[place]!
  }

  /** Whether a text is one edit away from this one, as `damerauLevenshtein` counts edits: without making a string of it. */
  isOneEditAway(number: number, text: string): boolean {
    const bytes = this.#bytes
    let from = this.#start[number]!
    let to = this.#start[number + 1]!
    let start = 0
    let end = text.length
    for (let at = from; at < to; at++)
      if (bytes[at]! > 127) return damerauLevenshtein(text, this.text(number), 1) === 1
    while (start < end && from < to && text.charCodeAt(start) === bytes[from]) {
      start++
      from++
    }
    while (end > start && to > from && text.charCodeAt(end - 1) === bytes[to - 1]) {
      end--
      to--
    }
    const longest = Math.max(end - start, to - from)
    if (longest < 2) return longest === 1
    const isSwap = end - start === 2 && to - from === 2
    return isSwap && text.charCodeAt(start) === bytes[from + 1] && text.charCodeAt(start + 1) === bytes[from]
  }

  write(out: Output, number: number): void {
    out.copy(this.#bytes, this.#start[number]!, this.#start[number + 1]!)
  }

  /** The number of `text`, or −1. */
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
      const end = this.#start[number + 1]!
      let hash = FNV_START
      for (let i = this.#start[number]!; i < end; i++) hash = fnvWith(hash, this.#bytes[i]!)
      let place = mixed(hash) & mask
      while (table[place] !== 0) place = (place + 1) & mask
      table[place] = number + 1
    }
    return table
  }

  /** Of a text of characters below 128. */
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

  /** Numbers `low` up to (not including) `high` of the texts that begin with `prefix`. */
  prefix(prefix: string): { low: number; high: number } {
    const wanted = Buffer.from(prefix)
    const low = this.#lowerBound(wanted)
    // 0xff stands in no UTF-8 text, so this is behind everything that begins with the prefix.
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

// The lower bits are evener with the upper ones in them.
function mixed(hash: number): number {
  return hash ^ (hash >>> 15)
}

/** The least one that is greater than `count`, so that something always stays free. */
function powerOfTwo(count: number): number {
  return 2 ** (32 - Math.clz32(count))
}
