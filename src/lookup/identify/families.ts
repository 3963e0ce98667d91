import { withoutFlag } from '../format/columns.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { WeighedPeople } from './weighed-people.ts'
import { FAMILY } from './weights.ts'

/** People with one surname at the row's home, or with the row's phone. */
interface Family {
  readonly surname: number
  /** The highest match weights of the row's place and of its phone among these people. */
  place: number
  phone: number
  /** The current and former addresses of these people. */
  readonly addresses: Set<number>
}

/**
 * Computes how much the row's home and phone count for relatives of the people who have them. The snapshot
 * may know the home or phone of only one member of a family. So the weight of one person also counts,
 * reduced, for others with the same surname in the same state. It counts little for a common surname, and
 * more for people who shared another address with the family.
 */
export class Families {
  /** The result of the last `ask`: the person's own weights, or those of the family. */
  placeWeight = 0
  phoneWeight = 0
  readonly #index: Index
  readonly #found: WeighedPeople
  readonly #families: Family[] = []
  /** The family whose surname is the row's. */
  #rows: Family | null = null

  constructor(index: Index, found: WeighedPeople) {
    this.#index = index
    this.#found = found
    const { place, hasPhone, surname, placeWeight, phoneWeight } = found
    for (let at = 0; at < found.count; at++) {
      const isAtHome = place[at]?.nearness === 'home'
      if ((!isAtHome && hasPhone[at] === 0) || !this.#isSurnameAlike(at)) continue
      const family = this.#familyOf(surname[at]!)
      if (isAtHome) family.place = Math.max(family.place, placeWeight[at]!)
      if (hasPhone[at] === 1) family.phone = Math.max(family.phone, phoneWeight[at]!)
      this.#addAddresses(family, found.person[at]!)
      if (found.last[at] === 'same') this.#rows = family
    }
  }

  #isSurnameAlike(at: number): boolean {
    const last = this.#found.last[at]
    return this.#found.surname[at]! >= 0 && (last === 'same' || last === 'mistyped' || last === 'sounds' || last === 'part') // prettier-ignore
  }

  #familyOf(surname: number): Family {
    let family = this.#named(surname)
    if (family === undefined) {
      const { NEGATIVE_INFINITY } = Number
      family = { surname, place: NEGATIVE_INFINITY, phone: NEGATIVE_INFINITY, addresses: new Set() }
      this.#families.push(family)
    }
    return family
  }

  /** Returns the family with a surname, which is given as the number of its last word. */
  #named(surname: number): Family | undefined {
    return this.#families.find((family) => family.surname === surname)
  }

  #addAddresses({ addresses }: Family, person: number): void {
    const { person_address_start, person_addresses } = this.#index.columns
    const end = person_address_start[person + 1]!
    for (let i = person_address_start[person]!; i < end; i++) addresses.add(withoutFlag(person_addresses[i]!))
  }

  /** Returns the current and former addresses of people with the row's home and surname. */
  get addressesOfHome(): ReadonlySet<number> {
    const addresses = new Set<number>()
    for (const family of this.#families) {
      if (family.place > Number.NEGATIVE_INFINITY)
        for (const address of family.addresses) addresses.add(address)
    }
    return addresses
  }

  /** Computes `placeWeight` and `phoneWeight` for the person at position `at`. */
  ask(at: number): void {
    this.placeWeight = this.#found.placeWeight[at]!
    this.phoneWeight = this.#found.phoneWeight[at]!
    const family = this.#families.length === 0 ? null : this.#familyFor(at)
    const share = family === null ? 0 : this.#share(at, family)
    if (share === 0) return
    const phoneShare = Math.min(share, FAMILY.shares)
    this.placeWeight = Math.max(this.placeWeight, family!.place + Math.log(share))
    this.phoneWeight = Math.max(this.phoneWeight, family!.phone + Math.log(phoneShare))
  }

  #familyFor(at: number): Family | null {
    const surname = this.#found.surname[at]!
    if (surname < 0) return null
    const own = this.#named(surname)
    if (own !== undefined) return own
    const first = this.#found.first[at]
    const last = this.#found.last[at]
    // A person with the row's first name and another surname may have been born into the family. A rare
    // surname with a typo may be the family's.
    const isBornInto = last === 'other' && first !== 'other' && first !== 'unknown'
    const isTypo = last === 'mistyped' && this.#index.columns.word_people[surname]! <= MAX_TYPO_PEOPLE
    return isBornInto || isTypo ? this.#rows : null
  }

  #share(at: number, family: Family): number {
    const { person_address_start, person_addresses, word_people } = this.#index.columns
    const person = this.#found.person[at]!
    const end = person_address_start[person + 1]!
    for (let i = person_address_start[person]!; i < end; i++)
      if (family.addresses.has(withoutFlag(person_addresses[i]!))) return FAMILY.together
    // A person of the same surname in another state is probably no relative.
    if (this.#found.place[at]?.nearness === 'elsewhere') return 0
    return FAMILY.shares * Math.min(1, FAMILY.size / word_people[family.surname]!)
  }
}

const MAX_TYPO_PEOPLE = 3
