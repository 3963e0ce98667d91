import { FNV_START, fnvOfBytes, fnvWith } from './hash.ts'

/**
 * Finds the number of a text. The texts lie in one buffer: text n is `bytes` from `starts[n]` up to, not including, `ends[n]`.
 * The hash table has 4 bytes per slot and no strings, which the garbage collector would have to visit.
 */
export class TextIndex {
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  readonly #ends: Uint32Array
  /** Number of a text + 1, or 0 for a free slot. */
  readonly #slots: Uint32Array

  constructor(bytes: Uint8Array, starts: Uint32Array, ends: Uint32Array) {
    this.#bytes = bytes
    this.#starts = starts
    this.#ends = ends
    // At least half of the slots are free, so a search reads few slots.
    this.#slots = new Uint32Array(2 ** (33 - Math.clz32(ends.length)))
    for (let number = 0; number < ends.length; number++) this.#add(number)
  }

  /** Returns the number of a text; −1 when the index lacks it, or when it has characters beyond ASCII. */
  find(text: string): number {
    let hash = FNV_START
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 127) return -1
      hash = fnvWith(hash, code)
    }
    const mask = this.#slots.length - 1
    for (let slot = mixed(hash) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1
      if (number < 0 || this.#isText(number, text)) return number
    }
  }

  #add(number: number): void {
    const hash = fnvOfBytes(this.#bytes, this.#starts[number]!, this.#ends[number]!)
    const mask = this.#slots.length - 1
    let slot = mixed(hash) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
  }

  #isText(number: number, text: string): boolean {
    const start = this.#starts[number]!
    if (this.#ends[number]! - start !== text.length) return false
    for (let i = 0; i < text.length; i++) if (this.#bytes[start + i] !== text.charCodeAt(i)) return false
    return true
  }
}

// Mixes the upper bits of a hash into its lower bits, which choose the slot and are distributed less evenly.
function mixed(hash: number): number {
  return hash ^ (hash >>> 15)
}
