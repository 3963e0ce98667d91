import type { Columns } from '../format/columns.ts'

/**
 * Loads the columns of many people into the processor's cache before the people are compared. Its loops only
 * read, so the processor waits for many reads at once. During comparisons it would wait for each read.
 */
export class ReadAhead {
  readonly #columns: Columns
  /** Keeps the compiler from removing reads whose result nothing uses. */
  #sum = 0

  constructor(columns: Columns) {
    this.#columns = columns
  }

  people(people: ArrayLike<number>): void {
    const { person_traits, person_birth, person_name_start, person_address_start } = this.#columns
    const { name_tokens, person_addresses, address_place } = this.#columns
    let sum = this.#sum
    for (let i = 0; i < people.length; i++) {
      const person = people[i]!
      sum ^= person_traits[person]! ^ person_birth[person]! ^ person_name_start[person]! ^ person_address_start[person]! // prettier-ignore
    }
    for (let i = 0; i < people.length; i++) {
      const person = people[i]!
      sum ^= name_tokens[person_name_start[person]!]! ^ person_addresses[person_address_start[person]!]!
    }
    for (let i = 0; i < people.length; i++)
      sum ^= address_place[person_addresses[person_address_start[people[i]!]!]! & ADDRESS]!
    this.#sum = sum
  }

  /** Reads the first word of each person's names. */
  names(people: ArrayLike<number>): void {
    const { person_name_start, name_tokens } = this.#columns
    let sum = this.#sum
    for (let i = 0; i < people.length; i++) sum ^= person_name_start[people[i]!]!
    for (let i = 0; i < people.length; i++) sum ^= name_tokens[person_name_start[people[i]!]!]!
    this.#sum = sum
  }
}

/** Masks the HISTORIC flag of a link, so that the address number remains. */
const ADDRESS = 0x7fff_ffff
