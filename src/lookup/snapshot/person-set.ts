import { grown } from '../../arrays.ts'
import { numbersOf } from '../format/store.ts'

// Longer lists are sorted, because the columns of many people are read faster in the order of their numbers.
const MANY = 2_000

/** Collects person numbers, and returns each once. Its memory is reused by the next search. */
export class PersonSet {
  /** The numbers that were added, some of them twice. */
  #added = new Uint32Array(MANY)
  #count = 0
  /** One bit for each person, which is 1 only while `take` runs. */
  readonly #isTaken: Uint32Array

  /** `size` is the number of people in the snapshot. */
  constructor(size: number) {
    this.#isTaken = new Uint32Array((size + 31) >>> 5)
  }

  add(person: number): void {
    if (this.#count === this.#added.length) this.#added = grown(this.#added)
    this.#added[this.#count++] = person
  }

  /** Adds the numbers from position `start` up to `end` (exclusive) of a list. */
  addSome(list: Uint32Array, start: number, end: number): void {
    const next = this.#count + end - start
    if (next > this.#added.length) this.#added = grown(this.#added, 2 * next)
    const added = this.#added
    for (let i = start, at = this.#count; i < end; i++, at++) added[at] = list[i]!
    this.#count = next
  }

  /** Adds the people of a value that the store returned; nothing when the value is missing. */
  addAll(bytes: Buffer | undefined): void {
    if (bytes === undefined) return
    const people = numbersOf(bytes)
    this.addSome(people, 0, people.length)
  }

  /** Returns each number once, and empties the set. The list is valid until the next number is added. */
  take(): Uint32Array {
    const people = this.#added
    const bits = this.#isTaken
    let count = 0
    for (let i = 0; i < this.#count; i++) {
      const person = people[i]!
      const bit = 1 << (person & 31)
      if ((bits[person >>> 5]! & bit) !== 0) continue
      bits[person >>> 5]! |= bit
      people[count++] = person
    }
    for (let i = 0; i < count; i++) bits[people[i]! >>> 5] = 0
    this.#count = 0
    const taken = people.subarray(0, count)
    return count > MANY ? taken.sort() : taken
  }
}
