import { HISTORIC } from '../columns.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Weighed } from './identify.ts'
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

/** What home and phone say for somebody. */
export interface SharedWeights {
  readonly placeWeight: number
  readonly phoneWeight: number
}

/**
 * A row's home and phone are often a relative's for all that the snapshot knows. So what they say for one speaks, less, for
 * everybody of the same surname in the same state: little where many people have it, much where they lived together elsewhere.
 */
export class Families {
  readonly #snapshot: Snapshot
  /** By the last word of the surname. */
  readonly #families = new Map<number, Family>()
  /** The one whose surname is the row's. */
  #rows: Family | null = null

  constructor(snapshot: Snapshot, found: Iterable<Weighed>) {
    this.#snapshot = snapshot
    for (const one of found) {
      const isAtHome = one.place?.nearness === 'home'
      if ((!isAtHome && !one.hasPhone) || !isSurnameAlike(one)) continue
      const family = this.#familyOf(one.name!.surname)
      if (isAtHome) family.place = Math.max(family.place, one.placeWeight)
      if (one.hasPhone) family.phone = Math.max(family.phone, one.phoneWeight)
      for (const address of this.#addresses(one.person)) family.addresses.add(address)
      if (one.name!.last === 'same') this.#rows = family
    }
  }

  #familyOf(surname: number): Family {
    let family = this.#families.get(surname)
    if (family === undefined) {
      family = {
        surname,
        place: Number.NEGATIVE_INFINITY,
        phone: Number.NEGATIVE_INFINITY,
        addresses: new Set(),
      }
      this.#families.set(surname, family)
    }
    return family
  }

  *#addresses(person: number): Generator<number> {
    const { person_address_start, person_addresses } = this.#snapshot.columns
    const end = person_address_start[person + 1]!
    for (let i = person_address_start[person]!; i < end; i++) {
      const link = person_addresses[i]!
      yield link >= HISTORIC ? link - HISTORIC : link
    }
  }

  /** Where those who live at the row's home live or lived. */
  get addressesOfHome(): ReadonlySet<number> {
    const addresses = new Set<number>()
    for (const family of this.#families.values()) {
      if (family.place > Number.NEGATIVE_INFINITY)
        for (const address of family.addresses) addresses.add(address)
    }
    return addresses
  }

  /** What home and phone say for a person: their own, or what their family's do. */
  sharedWeights(one: Weighed): SharedWeights {
    const family = this.#families.size === 0 ? null : this.#familyFor(one)
    const share = family === null ? 0 : this.#share(one, family)
    if (share === 0) return one
    const phoneShare = Math.min(share, FAMILY.shares)
    return {
      placeWeight: Math.max(one.placeWeight, family!.place + Math.log(share)),
      phoneWeight: Math.max(one.phoneWeight, family!.phone + Math.log(phoneShare)),
    }
  }

  #familyFor(one: Weighed): Family | null {
    const { name } = one
    if (name === null || name.surname < 0) return null
    const own = this.#families.get(name.surname)
    if (own !== undefined) return own
    // Who has another surname now may have been born into the family; one that nobody else has is a slip for it.
    const isBornInto = name.last === 'other' && name.first !== 'other' && name.first !== 'unknown'
    const isSlip = name.last === 'mistyped' && this.#snapshot.columns.word_people[name.surname]! <= SLIPS
    return isBornInto || isSlip ? this.#rows : null
  }

  #share(one: Weighed, family: Family): number {
    for (const address of this.#addresses(one.person))
      if (family.addresses.has(address)) return FAMILY.together
    // Who lives in another state is no more than a namesake.
    if (one.place?.nearness === 'elsewhere') return 0
    const bearers = this.#snapshot.columns.word_people[family.surname]!
    return FAMILY.shares * Math.min(1, FAMILY.size / bearers)
  }
}

const SLIPS = 3

function isSurnameAlike({ name }: Weighed): boolean {
  return name !== null && name.surname >= 0 && (name.last === 'same' || name.last === 'mistyped' || name.last === 'sounds' || name.last === 'part') // prettier-ignore
}
