import { withoutFlag } from '../format/columns.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
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
  readonly #snapshot: Snapshot
  readonly #found: WeighedPeople
  readonly #families: Family[] = []
  /** The one whose surname is the row's. */
  #rows: Family | null = null

  constructor(snapshot: Snapshot, found: WeighedPeople) {
    this.#snapshot = snapshot
    this.#found = found
    const { place, hasPhone, surname, placeWeight, phoneWeight } = found
    for (let index = 0; index < found.count; index++) {
      const isAtHome = place[index]?.nearness === 'home'
      if ((!isAtHome && hasPhone[index] === 0) || !this.#isSurnameAlike(index)) continue
      const family = this.#familyOf(surname[index]!)
      if (isAtHome) family.place = Math.max(family.place, placeWeight[index]!)
      if (hasPhone[index] === 1) family.phone = Math.max(family.phone, phoneWeight[index]!)
      this.#addAddresses(family, found.person[index]!)
      if (found.last[index] === 'same') this.#rows = family
    }
  }

  #isSurnameAlike(index: number): boolean {
    const last = this.#found.last[index]
    return this.#found.surname[index]! >= 0 && (last === 'same' || last === 'mistyped' || last === 'sounds' || last === 'part') // prettier-ignore
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
    const { person_address_start, person_addresses } = this.#snapshot.columns
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
  ask(index: number): void {
    this.placeWeight = this.#found.placeWeight[index]!
    this.phoneWeight = this.#found.phoneWeight[index]!
    const family = this.#families.length === 0 ? null : this.#familyFor(index)
    const share = family === null ? 0 : this.#share(index, family)
    if (share === 0) return
    const phoneShare = Math.min(share, FAMILY.shares)
    this.placeWeight = Math.max(this.placeWeight, family!.place + Math.log(share))
    this.phoneWeight = Math.max(this.phoneWeight, family!.phone + Math.log(phoneShare))
  }

  #familyFor(index: number): Family | null {
    const surname = this.#found.surname[index]!
    if (surname < 0) return null
    const own = this.#named(surname)
    if (own !== undefined) return own
    const first = this.#found.first[index]
    const last = this.#found.last[index]
    // Who has another surname now may have been born into the family; one that nobody else has is a slip for it.
    const isBornInto = last === 'other' && first !== 'other' && first !== 'unknown'
    const isSlip = last === 'mistyped' && this.#snapshot.columns.word_people[surname]! <= SLIPS
    return isBornInto || isSlip ? this.#rows : null
  }

  #share(index: number, family: Family): number {
    const { person_address_start, person_addresses, word_people } = this.#snapshot.columns
    const person = this.#found.person[index]!
    const end = person_address_start[person + 1]!
    for (let i = person_address_start[person]!; i < end; i++)
      if (family.addresses.has(withoutFlag(person_addresses[i]!))) return FAMILY.together
    // Who lives in another state is no more than a namesake.
    if (this.#found.place[index]?.nearness === 'elsewhere') return 0
    return FAMILY.shares * Math.min(1, FAMILY.size / word_people[family.surname]!)
  }
}

const SLIPS = 3
