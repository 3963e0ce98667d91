import { DEAD } from '../format/birth.ts'
import { GENERATIONS, TRAIT } from '../format/columns.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Suppressed } from '../format/suppressed.ts'
import type { ReadClues } from './clues.ts'
import {
  type BirthAgreement,
  compareBirth,
  EMAIL,
  generationWeight,
  holderWeight,
  PHONE,
  strangerWeight,
} from './compare-facts.ts'
import type { NameComparer, NameComparison } from './compare-names.ts'
import type { PlaceComparer, PlaceComparison } from './compare-places.ts'
import { Families } from './families.ts'
import type { WeighedPeople } from './weighed-people.ts'
import { GENERATION, IN_SNAPSHOT, LIFE, NAME, UNSEEN } from './weights.ts'

/** A person whom a row may describe. */
export interface Candidate {
  readonly person: number
  /** The probability in percent, from 1 to 99, that the row describes this person. */
  readonly score: number
  readonly name: NameComparison | null
  readonly place: PlaceComparison | null
  readonly hasPhone: boolean
  readonly hasEmail: boolean
  readonly birth: BirthAgreement
}

/** The probability above which no further search can change the answer. */
const SURE = 0.97

/** The candidates of one row, with the match weights of all clues. */
export class FoundPeople {
  readonly places: PlaceComparer | null
  readonly #index: Index
  readonly #people: WeighedPeople
  readonly #names: NameComparer | null
  readonly #clues: ReadClues
  readonly #today: number
  /** By person number: 1 for people who are not compared. */
  readonly #hidden: Uint8Array | null
  readonly #personCount: number
  /**
   * The number of people when the masses were last computed, so that they are computed again only after
   * another was added. `#total` is the sum of all masses.
   */
  #massCount = -1
  #total = 0

  constructor(
    index: Index,
    people: WeighedPeople,
    names: NameComparer | null,
    places: PlaceComparer | null,
    clues: ReadClues,
    today: number,
    hidden: Suppressed | null,
  ) {
    this.#index = index
    this.#people = people
    this.#names = names
    this.places = places
    this.#clues = clues
    this.#today = today
    this.#hidden = hidden?.people ?? null
    this.#personCount = index.personCount - (hidden?.ids.size ?? 0)
  }

  add(person: number): void {
    if (this.#hidden !== null && this.#hidden[person] === 1) return
    const at = this.#people.add(person)
    if (at >= 0) this.#weigh(at, person)
  }

  #weigh(at: number, person: number): void {
    const { columns } = this.#index
    const personCount = this.#personCount
    const people = this.#people
    const traits = columns.person_traits[person]!
    const packed = columns.person_birth[person]!
    const place = this.places === null ? null : this.places.compare(person)
    people.place[at] = place
    people.placeWeight[at] = place === null ? 0 : place.weight
    const { phones, emails } = this.#clues
    const phone = holderWeight(phones, person, personCount, PHONE)
    const hasPhone = !Number.isNaN(phone)
    people.hasPhone[at] = hasPhone ? 1 : 0
    people.phoneWeight[at] = hasPhone ? phone : strangerWeight(phones, traits, PHONE)
    const email = holderWeight(emails, person, personCount, EMAIL)
    const hasEmail = !Number.isNaN(email)
    people.hasEmail[at] = hasEmail ? 1 : 0
    const emailWeight = hasEmail ? email : strangerWeight(emails, traits, EMAIL)
    people.emailWeight[at] = emailWeight
    const birth = compareBirth(this.#clues, packed, this.#today)
    people.birth[at] = birth.agreement
    people.birthWeight[at] = birth.weight
    this.#weighName(at, person, traits, hasEmail)
    const life = packed >= DEAD ? LIFE.dead : 0
    people.ownWeight[at] = people.given[at]! + birth.weight + people.family[at]! + emailWeight + life
  }

  #weighName(at: number, person: number, traits: number, hasEmail: boolean): void {
    const people = this.#people
    const names = this.#names
    if (names === null) {
      people.first[at] = people.last[at] = 'unknown'
      people.isSwapped[at] = 0
      people.surname[at] = -1
      people.given[at] = people.givenName[at] = people.family[at] = 0
      return
    }
    names.compare(person)
    people.first[at] = names.first
    people.last[at] = names.last
    people.isSwapped[at] = names.isSwapped ? 1 : 0
    people.surname[at] = names.surname
    people.givenName[at] = names.given
    people.given[at] = names.given + names.middle + generationWeight(this.#clues.name!.generation, traits)
    people.family[at] = hasEmail ? this.#familyByEmail(names) : names.family
  }

  /**
   * Returns the weight of the surname for a holder of the row's e-mail address. If the address contains the
   * row's surname, that person has, or had, this surname.
   */
  #familyByEmail({ first, last, family }: NameComparer): number {
    const isExplained = last === 'other' && first !== 'other' && this.#clues.name!.isLastInEmail
    return isExplained ? Math.max(family, NAME.lastInEmail) : family
  }

  /** Returns the other addresses of people with the row's home and surname. */
  homesOfFamily(): ReadonlySet<number> {
    return new Families(this.#index, this.#people).addressesOfHome
  }

  isSure(): boolean {
    this.#computeMasses()
    const { mass, count } = this.#people
    for (let at = 0; at < count; at++) if (mass[at]! >= SURE * this.#total) return true
    return false
  }

  /**
   * Computes the unscaled probability of each person found, and the total. The total includes the most
   * probable unknown relative of these people, and an unrelated unknown person.
   */
  #computeMasses(): void {
    const people = this.#people
    if (this.#massCount === people.count) return
    const prior = IN_SNAPSHOT / this.#personCount
    const families = new Families(this.#index, people)
    let total = 1 - IN_SNAPSHOT
    let unseen = 0
    for (let at = 0; at < people.count; at++) {
      families.ask(at)
      const mass = prior * Math.exp(people.ownWeight[at]! + families.placeWeight + families.phoneWeight)
      people.mass[at] = mass
      total += mass
      unseen = Math.max(unseen, prior * this.#unseenMass(at, families))
    }
    this.#massCount = people.count
    this.#total = total + unseen
  }

  /**
   * Returns the probability, relative to the prior, that the row describes an unknown relative of a person.
   * `shared` has the weights of home and phone.
   */
  #unseenMass(at: number, shared: Families): number {
    const { relatives, namesakes, namesakesOfJr, namesakesOfSr, twins, phone, email } = UNSEEN
    const people = this.#people
    // A relative may have another phone, so a phone that is not the person's does not count against a
    // relative.
    const weight =
      people.family[at]! +
      shared.placeWeight +
      (people.hasPhone[at] === 1 ? shared.phoneWeight + phone : Math.max(0, shared.phoneWeight)) +
      (people.hasEmail[at] === 1 ? people.emailWeight[at]! + email : 0)
    const asked = this.#clues.name?.generation ?? null
    // A person called Jr or Sr has a namesake in the family, and a son with his father's name is often called
    // Jr.
    const generations = this.#index.columns.person_traits[people.person[at]!]! & TRAIT.GENERATIONS
    const namesakesOfOne = generations === 0 ? namesakes : generations === GENERATIONS['SR'] ? namesakesOfSr : namesakesOfJr // prettier-ignore
    const isSameGeneration = asked !== null && (generations & (GENERATIONS[asked] ?? 0)) !== 0
    // The namesake shares the first name, but not the middle name.
    const namesake = people.givenName[at]! + (asked === null ? 0 : isSameGeneration ? GENERATION.different : GENERATION.ofNamesake) // prettier-ignore
    const ofThem = 1 + namesakesOfOne * Math.exp(namesake) + twins * Math.exp(people.birthWeight[at]!)
    return relatives * Math.exp(weight) * ofThem
  }

  ranked(): Candidate[] {
    this.#computeMasses()
    const people = this.#people
    const { person_rank } = this.#index.columns
    const ranked: { at: number; mass: number }[] = []
    for (let at = 0; at < people.count; at++) {
      const mass = people.mass[at]!
      if (mass * 200 >= this.#total) ranked.push({ at, mass })
    }
    const rankOf = ({ at }: { at: number }): number => person_rank[people.person[at]!]!
    ranked.sort((a, b) => b.mass - a.mass || rankOf(a) - rankOf(b))
    const kept: typeof ranked = []
    for (const entry of ranked) {
      const twin = this.#names === null ? undefined : kept.find(({ at }) => isSamePerson(people, at, entry.at)) // prettier-ignore
      if (twin === undefined) kept.push(entry)
      else twin.mass += entry.mass
    }
    return kept.map(({ at, mass }) => this.#candidate(at, mass))
  }

  #candidate(at: number, mass: number): Candidate {
    const people = this.#people
    return {
      person: people.person[at]!,
      score: Math.max(1, Math.min(99, Math.round((100 * mass) / this.#total))),
      name:
        this.#names === null
          ? null
          : {
              first: people.first[at]!,
              last: people.last[at]!,
              isSwapped: people.isSwapped[at] === 1,
            },
      place: people.place[at]!,
      hasPhone: people.hasPhone[at] === 1,
      hasEmail: people.hasEmail[at] === 1,
      birth: people.birth[at]!,
    }
  }
}

/**
 * Returns whether two people are probably one person whom the link step did not join. Such people have
 * similar names, and both have the row's e-mail address or phone.
 */
function isSamePerson(people: WeighedPeople, left: number, right: number): boolean {
  const { hasEmail, hasPhone, birth } = people
  if ((hasEmail[left]! & hasEmail[right]!) === 0 && (hasPhone[left]! & hasPhone[right]!) === 0) return false
  if (birth[left] !== birth[right] && (birth[left] === 'other' || birth[right] === 'other')) return false
  return isNameAlike(people, left) && isNameAlike(people, right)
}

function isNameAlike({ first, last }: WeighedPeople, at: number): boolean {
  return first[at] !== 'other' && last[at] !== 'other'
}
