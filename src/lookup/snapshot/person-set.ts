import { populationCount } from '../../population-count.ts'
import { numbersOf } from '../format/store.ts'

// Up to this size a list is cheaper to read than one bit for each of a million people.
const MAX_LIST = 2_000

/**
 * A set of person numbers: a list while it is small, then one bit for each person. Its memory is reused by
 * the next search.
 */
export class PersonSet {
  readonly #bits: Uint32Array
  readonly #few = new Uint32Array(MAX_LIST)
  #count = 0
  #isFew = true

  constructor(size: number) {
    this.#bits = new Uint32Array((size + 31) >>> 5)
  }

  add(person: number): void {
    if (this.#isFew && this.#count === MAX_LIST) this.#spread()
    if (this.#isFew) this.#few[this.#count++] = person
    else this.#bits[person >>> 5]! |= 1 << (person & 31)
  }

  /** Adds the numbers from position `start` up to `end` (exclusive) of a list. */
  addSome(list: Uint32Array, start: number, end: number): void {
    if (this.#isFew && this.#count + end - start > MAX_LIST) this.#spread()
    if (this.#isFew) {
      const few = this.#few
      let count = this.#count
      for (let i = start; i < end; i++) few[count++] = list[i]!
      this.#count = count
    } else {
      const bits = this.#bits
      for (let i = start; i < end; i++) bits[list[i]! >>> 5]! |= 1 << (list[i]! & 31)
    }
  }

  /** Adds the people of a value that the store returned; nothing when the value is missing. */
  addAll(bytes: Buffer | undefined): void {
    if (bytes === undefined) return
    const people = numbersOf(bytes)
    this.addSome(people, 0, people.length)
  }

  /** Returns all members, each once, and empties the set. The list is valid until the next member is added. */
  take(): Uint32Array {
    return this.#isFew ? this.#takeFew() : this.#takeBits()
  }

  #spread(): void {
    const few = this.#few.subarray(0, this.#count)
    this.#isFew = false
    this.#count = 0
    this.addSome(few, 0, few.length)
  }

  #takeFew(): Uint32Array {
    const few = this.#few
    const bits = this.#bits
    let count = 0
    for (let i = 0; i < this.#count; i++) {
      const person = few[i]!
      const bit = 1 << (person & 31)
      if ((bits[person >>> 5]! & bit) !== 0) continue
      bits[person >>> 5]! |= bit
      few[count++] = person
    }
    for (let i = 0; i < count; i++) bits[few[i]! >>> 5] = 0
    this.#count = 0
    return few.subarray(0, count)
  }

  #takeBits(): Uint32Array {
    const bits = this.#bits
    let count = 0
    for (const word of bits) if (word !== 0) count += populationCount(word)
    const people = new Uint32Array(count)
    let next = 0
    for (let index = 0; index < bits.length; index++) {
      let word = bits[index]!
      if (word === 0) continue
      bits[index] = 0
      while (word !== 0) {
        const lowest = word & -word
        people[next++] = index * 32 + (31 - Math.clz32(lowest))
        word ^= lowest
      }
    }
    this.#isFew = true
    return people
  }
}
