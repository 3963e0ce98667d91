import type { Output } from './output.ts'

/** Texts in the order of their bytes, numbered from 0; finding is a binary search over the bytes. */
export class Dictionary {
  readonly size: number
  readonly #start: Uint32Array
  readonly #bytes: Buffer

  constructor(start: Uint32Array, text: Uint8Array) {
    this.size = Math.max(0, start.length - 1)
    this.#start = start
    this.#bytes = Buffer.from(text.buffer, text.byteOffset, text.length)
  }

  text(number: number): string {
    return this.#bytes.toString('utf8', this.#start[number], this.#start[number + 1])
  }

  write(out: Output, number: number): void {
    out.copy(this.#bytes, this.#start[number]!, this.#start[number + 1]!)
  }

  /** The number of `text`, or −1. */
  find(text: string): number {
    const wanted = Buffer.from(text)
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
