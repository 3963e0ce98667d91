import type { BirthAgreement } from './compare-facts.ts'
import type { Agreement } from './agreement.ts'
import type { PlaceComparison } from './compare-places.ts'
import { grown } from '../../arrays.ts'

const INITIAL_CAPACITY = 1024

/**
 * The candidates of one row, in the order in which they were found. Their facts are in columns, which the
 * next row overwrites, because a file of a million rows compares about ten million people. Weights are
 * natural logarithms of likelihood ratios.
 */
export class WeighedPeople {
  count = 0
  person = new Uint32Array(INITIAL_CAPACITY)
  /** The agreement with the best of the person's names; 'unknown' when the row or the person has no name. */
  readonly first: Agreement[] = []
  readonly last: Agreement[] = []
  isSwapped = new Uint8Array(INITIAL_CAPACITY)
  /** The last word of the surname that was compared; −1 if the person has none. */
  surname = new Int32Array(INITIAL_CAPACITY)
  /** Null when the row has no place. */
  readonly place: (PlaceComparison | null)[] = []
  readonly birth: BirthAgreement[] = []
  hasPhone = new Uint8Array(INITIAL_CAPACITY)
  hasEmail = new Uint8Array(INITIAL_CAPACITY)
  /** The weight of everything in the name that differs among relatives: first name, middle name, Jr or Sr. */
  given = new Float64Array(INITIAL_CAPACITY)
  /** The part of `given` that comes from the first name. */
  givenName = new Float64Array(INITIAL_CAPACITY)
  birthWeight = new Float64Array(INITIAL_CAPACITY)
  family = new Float64Array(INITIAL_CAPACITY)
  placeWeight = new Float64Array(INITIAL_CAPACITY)
  phoneWeight = new Float64Array(INITIAL_CAPACITY)
  emailWeight = new Float64Array(INITIAL_CAPACITY)
  /** The sum of all weights except those of home and phone, which relatives share. */
  ownWeight = new Float64Array(INITIAL_CAPACITY)
  /** The unscaled probability of each person. */
  mass = new Float64Array(INITIAL_CAPACITY)
  /** A hash table from person number to position + 1, with 0 for a free slot. */
  #table = new Uint32Array(2 * INITIAL_CAPACITY)
  /** Shifts a hash so that its upper bits select a slot. */
  #shift = Math.clz32(2 * INITIAL_CAPACITY) + 1
  #slot = new Uint32Array(INITIAL_CAPACITY)

  /** Removes all people, before the next row. */
  clear(): void {
    for (let index = 0; index < this.count; index++) this.#table[this.#slot[index]!] = 0
    this.count = 0
  }

  /** Adds a person and returns the position; −1 when the person is already there. */
  add(person: number): number {
    if (this.count === this.person.length) this.#grow()
    const slot = this.#slotOf(person)
    if (this.#table[slot] !== 0) return -1
    const index = this.count++
    this.person[index] = person
    this.#slot[index] = slot
    this.#table[slot] = index + 1
    return index
  }

  #slotOf(person: number): number {
    const mask = this.#table.length - 1
    let slot = Math.imul(person, 0x9e37_79b1) >>> this.#shift
    for (;;) {
      const index = this.#table[slot]! - 1
      if (index < 0 || this.person[index] === person) return slot
      slot = (slot + 1) & mask
    }
  }

  #grow(): void {
    const larger = 2 * this.person.length
    this.person = grown(this.person)
    this.isSwapped = grown(this.isSwapped)
    this.surname = grown(this.surname)
    this.hasPhone = grown(this.hasPhone)
    this.hasEmail = grown(this.hasEmail)
    for (const column of [
      'given',
      'givenName',
      'birthWeight',
      'family',
      'placeWeight',
      'phoneWeight',
      'emailWeight',
      'ownWeight',
      'mass',
    ] as const)
      // prettier-ignore
      this[column] = grown(this[column])
    this.#slot = new Uint32Array(larger)
    this.#table = new Uint32Array(2 * larger)
    this.#shift--
    for (let index = 0; index < this.count; index++) {
      const slot = this.#slotOf(this.person[index]!)
      this.#slot[index] = slot
      this.#table[slot] = index + 1
    }
  }
}
