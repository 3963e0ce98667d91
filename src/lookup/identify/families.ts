import { withoutFlag } from '../format/columns.ts'
import { shardOfPerson, type Snapshot } from '../snapshot/snapshot.ts'
import { addressRank } from '../snapshot/snapshot-index.ts'
import type { Agreement } from './agreement.ts'
import type { NameWords } from './name-words.ts'
import type { WeighedPerson } from './weighed-person.ts'
import { FAMILY } from './weights.ts'

/** People with one surname at the row's home, or with the row's phone. */
interface Family {
  readonly surname: number
  /** The highest match weights of the row's place and of its phone among these people. */
  place: number
  phone: number
  /** The current and former addresses of these people, by position among the addresses of all shards. */
  readonly addresses: Set<number>
}

/**
 * Computes how much the row's home and phone count for relatives of the people who have them. The snapshot
 * may know the home or phone of only one member of a family. So the weight of one person also counts,
 * reduced, for others with the same surname in the same state. It counts little for a common surname, and
 * more for people who shared another address with the family.
 */
export class Families {
  readonly #snapshot: Snapshot
  readonly #words: NameWords
  /** By surname, given as the common number of its last word. */
  readonly #families = new Map<number, Family>()
  /** The family with the surname of the row; undefined when there is none. */
  #rows: Family | undefined

  constructor(snapshot: Snapshot, words: NameWords, found: readonly WeighedPerson[]) {
    this.#snapshot = snapshot
    this.#words = words
    for (const { person, name, place, phoneWeight, hasPhone } of found) {
      if (name === null || name.surname < 0 || !ALIKE.has(name.last)) continue
      const isAtHome = place?.nearness === 'home'
      if (!isAtHome && !hasPhone) continue
      const family = this.#familyOf(name.surname)
      if (isAtHome) family.place = Math.max(family.place, place.weight)
      if (hasPhone) family.phone = Math.max(family.phone, phoneWeight)
      for (const address of this.#addressesOf(person)) family.addresses.add(address)
      if (name.last === 'same') this.#rows = family
    }
  }

  #familyOf(surname: number): Family {
    let family = this.#families.get(surname)
    if (family === undefined) {
      family = { surname, place: -Infinity, phone: -Infinity, addresses: new Set() }
      this.#families.set(surname, family)
    }
    return family
  }

  /** Returns the current and former addresses of a person, by position among the addresses of all shards. */
  #addressesOf(person: number): Uint32Array {
    const { index, firstPerson } = shardOfPerson(this.#snapshot, person)
    const { person_address_start, person_addresses } = index.columns
    const own = person - firstPerson
    return person_addresses
      .subarray(person_address_start[own], person_address_start[own + 1])
      .map((link) => addressRank(index, withoutFlag(link)))
  }

  /**
   * Returns the current and former addresses of people with the row's home and surname, by position among the
   * addresses of all shards.
   */
  get addressesOfHome(): ReadonlySet<number> {
    const atHome = [...this.#families.values()].filter(({ place }) => place > -Infinity)
    return new Set(atHome.flatMap(({ addresses }) => [...addresses]))
  }

  /** Returns the weights of the row's place and phone for a person: the person's own, or those of the family. */
  weightsOf(one: WeighedPerson): { readonly place: number; readonly phone: number } {
    const place = one.place?.weight ?? 0
    const phone = one.phoneWeight
    const family = this.#families.size === 0 ? undefined : this.#familyFor(one)
    const share = family === undefined ? 0 : this.#share(one, family)
    if (share === 0) return { place, phone }
    return {
      place: Math.max(place, family!.place + Math.log(share)),
      phone: Math.max(phone, family!.phone + Math.log(Math.min(share, FAMILY.shares))),
    }
  }

  #familyFor({ name }: WeighedPerson): Family | undefined {
    if (name === null || name.surname < 0) return undefined
    const { first, last, surname } = name
    // A person with the row's first name and another surname may have been born into the family. A rare
    // surname with a typo may be the family's.
    const isBornInto = last === 'other' && first !== 'other' && first !== 'unknown'
    const isTypo = last === 'mistyped' && this.#words.peopleOf(surname) <= MAX_TYPO_PEOPLE
    return this.#families.get(surname) ?? (isBornInto || isTypo ? this.#rows : undefined)
  }

  /** Returns the probability that a person shares the home or phone of the family. */
  #share({ person, place }: WeighedPerson, { surname, addresses }: Family): number {
    if (this.#addressesOf(person).some((address) => addresses.has(address))) return FAMILY.together
    // A person of the same surname in another state is probably no relative.
    if (place?.nearness === 'elsewhere') return 0
    return FAMILY.shares * Math.min(1, FAMILY.size / this.#words.peopleOf(surname))
  }
}

/** The agreements of a surname with which a person may belong to the row's family. */
const ALIKE: ReadonlySet<Agreement> = new Set<Agreement>(['same', 'mistyped', 'sounds', 'part'])

/** A surname that more people have is not taken for a typo of the family's surname. */
const MAX_TYPO_PEOPLE = 3
