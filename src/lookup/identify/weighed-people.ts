import type { BirthAgreement } from './compare-facts.ts'
import type { Agreement } from './agreement.ts'
import type { PlaceComparison } from './compare-places.ts'

const FIRST_ROOM = 1024

/**
 * Everybody whom one row's searches found, beside the row: in the order in which they were found, in columns that the next row
 * uses again, as a million rows weigh ten million people. Weights are natural logarithms of likelihood ratios.
 */
export class WeighedPeople {
  count = 0
  person = new Uint32Array(FIRST_ROOM)
  /** Of the best of the person's names; 'unknown' where row or person has none. */
  readonly first: Agreement[] = []
  readonly last: Agreement[] = []
  isSwapped = new Uint8Array(FIRST_ROOM)
  /** The last word of the surname that was compared; −1 without any. */
  surname = new Int32Array(FIRST_ROOM)
  /** Null where the row says none. */
  readonly place: (PlaceComparison | null)[] = []
  readonly birth: BirthAgreement[] = []
  hasPhone = new Uint8Array(FIRST_ROOM)
  hasEmail = new Uint8Array(FIRST_ROOM)
  /** What tells a person from their relatives but for the birth date: given name, middle name, Jr or Sr. */
  given = new Float64Array(FIRST_ROOM)
  /** The first name's part of it. */
  givenName = new Float64Array(FIRST_ROOM)
  birthWeight = new Float64Array(FIRST_ROOM)
  family = new Float64Array(FIRST_ROOM)
  placeWeight = new Float64Array(FIRST_ROOM)
  phoneWeight = new Float64Array(FIRST_ROOM)
  emailWeight = new Float64Array(FIRST_ROOM)
  /** Of all but home and phone, which relatives share. */
  ownWeight = new Float64Array(FIRST_ROOM)
  /** How likely each is meant, unscaled. */
  mass = new Float64Array(FIRST_ROOM)
  /** By a hash of their number, and what follows it: index + 1, 0 where nobody stands. */
  #table = new Uint32Array(2 * FIRST_ROOM)
  /** Leaves as many upper bits of a hash as a place in the table has. */
  #shift = Math.clz32(2 * FIRST_ROOM) + 1
  #slot = new Uint32Array(FIRST_ROOM)

  /** Nobody, for the next row. */
  clear(): void {
    for (let index = 0; index < this.count; index++) this.#table[this.#slot[index]!] = 0
    this.count = 0
  }

  /** The index of somebody new; −1 for who is there already. */
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
    this.person = copied(this.person, new Uint32Array(larger))
    this.isSwapped = copied(this.isSwapped, new Uint8Array(larger))
    this.surname = copied(this.surname, new Int32Array(larger))
    this.hasPhone = copied(this.hasPhone, new Uint8Array(larger))
    this.hasEmail = copied(this.hasEmail, new Uint8Array(larger))
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
      this[column] = copied(this[column], new Float64Array(larger))
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

function copied<Column extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  from: Column,
  into: Column,
): Column {
  into.set(from)
  return into
}
