import { numbersOf } from '../format/store.ts'

// Lists longer than this are sorted, because the columns of many people are read faster in order.
const MANY = 2_000

/** A set of person numbers. Its memory is reused by the next search. */
export class PersonSet {
  /** One bit for each person: 1 for members. */
  readonly #bits: Uint32Array
  readonly #members: Uint32Array
  #count = 0

  /** `size` is the number of people in the snapshot. */
  constructor(size: number) {
    this.#bits = new Uint32Array((size + 31) >>> 5)
    this.#members = new Uint32Array(size)
  }

  add(person: number): void {
    const bit = 1 << (person & 31)
    if ((this.#bits[person >>> 5]! & bit) !== 0) return
    this.#bits[person >>> 5]! |= bit
    this.#members[this.#count++] = person
  }

  /** Adds the numbers from position `start` up to `end` (exclusive) of a list. */
  addSome(list: Uint32Array, start: number, end: number): void {
    for (let i = start; i < end; i++) this.add(list[i]!)
  }

  /** Adds the people of a value that the store returned; nothing when the value is missing. */
  addAll(bytes: Buffer | undefined): void {
    if (bytes !== undefined) for (const person of numbersOf(bytes)) this.add(person)
  }

  /** Returns all members, each once, and empties the set. The list is valid until the next member is added. */
  take(): Uint32Array {
    const members = this.#members.subarray(0, this.#count)
    if (members.length > MANY) members.sort()
    for (const person of members) this.#bits[person >>> 5] = 0
    this.#count = 0
    return members
  }
}
