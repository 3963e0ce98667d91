import { withoutFlag } from '../format/columns.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { WeighedPeople } from './weighed-people.ts'
import { FAMILY } from './weights.ts'

/** What home and phone of those who have the row's surname say for others of the same family. */
interface Family {
  readonly surname: number
  /** The weights of who is known at the row's home, and under its phone. */
  place: number
  phone: number
  /** Where those people live or lived. */
  readonly addresses: Set<number>
}

/**
 * A row's home and phone are often a relative's for all that the snapshot knows. So what they say for one speaks, less, for
 * everybody of the same surname in the same state: little where many people have it, much where they lived together elsewhere.
 */
export class Families {
  /** What home and phone say for the person who was asked about last: their own, or what their family's do. */
  placeWeight = 0
  phoneWeight = 0
  readonly #index: Index
  readonly #found: WeighedPeople
  readonly #families: Family[] = []
  /** The one whose surname is the row's. */
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

  /** The family of a surname, by its last word. */
  #named(surname: number): Family | undefined {
    return this.#families.find((family) => family.surname === surname)
  }

  #addAddresses({ addresses }: Family, person: number): void {
    const { person_address_start, person_addresses } = this.#index.columns
    const end = person_address_start[person + 1]!
    for (let i = person_address_start[person]!; i < end; i++) addresses.add(withoutFlag(person_addresses[i]!))
  }

  /** Where those who live at the row's home live or lived. */
  get addressesOfHome(): ReadonlySet<number> {
    const addresses = new Set<number>()
    for (const family of this.#families) {
      if (family.place > Number.NEGATIVE_INFINITY)
        for (const address of family.addresses) addresses.add(address)
    }
    return addresses
  }

  /** Puts what home and phone say for somebody into `placeWeight` and `phoneWeight`. */
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
    // Who has another surname now may have been born into the family; one that nobody else has is a slip for it.
    const isBornInto = last === 'other' && first !== 'other' && first !== 'unknown'
    const isSlip = last === 'mistyped' && this.#index.columns.word_people[surname]! <= SLIPS
    return isBornInto || isSlip ? this.#rows : null
  }

  #share(at: number, family: Family): number {
    const { person_address_start, person_addresses, word_people } = this.#index.columns
    const person = this.#found.person[at]!
    const end = person_address_start[person + 1]!
    for (let i = person_address_start[person]!; i < end; i++)
      if (family.addresses.has(withoutFlag(person_addresses[i]!))) return FAMILY.together
    // Who lives in another state is no more than a namesake.
    if (this.#found.place[at]?.nearness === 'elsewhere') return 0
    return FAMILY.shares * Math.min(1, FAMILY.size / word_people[family.surname]!)
  }
}

const SLIPS = 3
