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
  readonly #added = new Set<number>()

  /** Removes all people, before the next row. */
  clear(): void {
    this.#added.clear()
    this.count = 0
  }

  /** Adds a person and returns the position; −1 when the person is already there. */
  add(person: number): number {
    if (this.#added.has(person)) return -1
    this.#added.add(person)
    if (this.count === this.person.length) this.#grow()
    this.person[this.count] = person
    return this.count++
  }

  #grow(): void {
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
  }
}
