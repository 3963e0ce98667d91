import { DEAD } from '../format/birth.ts'
import { GENERATIONS, TRAIT } from '../format/columns.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
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

/** Somebody whom a row may mean. */
export interface Candidate {
  readonly person: number
  /** 1 to 99: how many of a hundred rows like this one mean this person. */
  readonly score: number
  readonly name: NameComparison | null
  readonly place: PlaceComparison | null
  readonly hasPhone: boolean
  readonly hasEmail: boolean
  readonly birth: BirthAgreement
}

/** Sure enough that no further search can change the answer. */
const SURE = 0.97

/** Everybody whom one row's searches found, weighed by all that the row says. */
export class FoundPeople {
  readonly places: PlaceComparer | null
  readonly #snapshot: Snapshot
  readonly #people: WeighedPeople
  readonly #names: NameComparer | null
  readonly #clues: ReadClues
  readonly #today: number
  /** By person number: 1 for people who are not weighed. */
  readonly #hidden: Uint8Array | null
  readonly #personCount: number
  /** How many of the people have their masses, and everything together. */
  #massCount = -1
  #total = 0

  constructor(
    snapshot: Snapshot,
    people: WeighedPeople,
    names: NameComparer | null,
    places: PlaceComparer | null,
    clues: ReadClues,
    today: number,
    hidden: Uint8Array | null,
  ) {
    this.#snapshot = snapshot
    this.#people = people
    this.#names = names
    this.places = places
    this.#clues = clues
    this.#today = today
    const { suppressed, personCount } = snapshot
    this.#hidden = hidden
    this.#personCount = personCount - (hidden === null ? 0 : (suppressed?.ids.size ?? 0))
  }

  add(person: number): void {
    if (this.#hidden !== null && this.#hidden[person] === 1) return
    const index = this.#people.add(person)
    if (index >= 0) this.#weigh(index, person)
  }

  #weigh(index: number, person: number): void {
    const { columns } = this.#snapshot
    const personCount = this.#personCount
    const people = this.#people
    const traits = columns.person_traits[person]!
    const packed = columns.person_birth[person]!
    const place = this.places === null ? null : this.places.compare(person)
    people.place[index] = place
    people.placeWeight[index] = place === null ? 0 : place.weight
    const { phones, emails } = this.#clues
    const phone = holderWeight(phones, person, personCount, PHONE)
    const hasPhone = !Number.isNaN(phone)
    people.hasPhone[index] = hasPhone ? 1 : 0
    people.phoneWeight[index] = hasPhone ? phone : strangerWeight(phones, traits, PHONE)
    const email = holderWeight(emails, person, personCount, EMAIL)
    const hasEmail = !Number.isNaN(email)
    people.hasEmail[index] = hasEmail ? 1 : 0
    const emailWeight = hasEmail ? email : strangerWeight(emails, traits, EMAIL)
    people.emailWeight[index] = emailWeight
    const birth = compareBirth(this.#clues, packed, this.#today)
    people.birth[index] = birth.agreement
    people.birthWeight[index] = birth.weight
    this.#weighName(index, person, traits, hasEmail)
    const life = packed >= DEAD ? LIFE.dead : 0
    people.ownWeight[index] = people.given[index]! + birth.weight + people.family[index]! + emailWeight + life
  }

  #weighName(index: number, person: number, traits: number, hasEmail: boolean): void {
    const people = this.#people
    const names = this.#names
    if (names === null) {
      people.first[index] = people.last[index] = 'unknown'
      people.isSwapped[index] = 0
      people.surname[index] = -1
      people.given[index] = people.givenName[index] = people.family[index] = 0
      return
    }
    names.compare(person)
    people.first[index] = names.first
    people.last[index] = names.last
    people.isSwapped[index] = names.isSwapped ? 1 : 0
    people.surname[index] = names.surname
    people.givenName[index] = names.given
    people.given[index] = names.given + names.middle + generationWeight(this.#clues.name!.generation, traits)
    people.family[index] = hasEmail ? this.#familyByEmail(names) : names.family
  }

  /** An e-mail with the row's surname in it is of somebody who has or had that name. */
  #familyByEmail({ first, last, family }: NameComparer): number {
    const isExplained = last === 'other' && first !== 'other' && this.#clues.name!.isLastInEmail
    return isExplained ? Math.max(family, NAME.lastInEmail) : family
  }

  /** The addresses of those of the row's home who have its surname. */
  homesOfFamily(): ReadonlySet<number> {
    return new Families(this.#snapshot, this.#people).addressesOfHome
  }

  isSure(): boolean {
    this.#computeMasses()
    const { mass, count } = this.#people
    for (let index = 0; index < count; index++) if (mass[index]! >= SURE * this.#total) return true
    return false
  }

  /**
   * Unscaled probabilities of everybody found, and of everything together: them, the likeliest relative of theirs of whom the
   * snapshot knows nothing, and somebody who has nothing to do with any of them.
   */
  #computeMasses(): void {
    const people = this.#people
    if (this.#massCount === people.count) return
    const prior = IN_SNAPSHOT / this.#personCount
    const families = new Families(this.#snapshot, people)
    let total = 1 - IN_SNAPSHOT
    let unseen = 0
    for (let index = 0; index < people.count; index++) {
      families.ask(index)
      const mass = prior * Math.exp(people.ownWeight[index]! + families.placeWeight + families.phoneWeight)
      people.mass[index] = mass
      total += mass
      unseen = Math.max(unseen, prior * this.#unseenMass(index, families))
    }
    this.#massCount = people.count
    this.#total = total + unseen
  }

  /** What speaks for a relative of somebody's of whom the snapshot knows nothing; `shared`: what home and phone say for them. */
  #unseenMass(index: number, shared: Families): number {
    const { relatives, namesakes, namesakesOfJr, namesakesOfSr, twins, phone, email } = UNSEEN
    const people = this.#people
    // That the row's numbers are not the person's says nothing against a relative.
    const weight =
      people.family[index]! +
      shared.placeWeight +
      (people.hasPhone[index] === 1 ? shared.phoneWeight + phone : Math.max(0, shared.phoneWeight)) +
      (people.hasEmail[index] === 1 ? people.emailWeight[index]! + email : 0)
    const asked = this.#clues.name?.generation ?? null
    // Who is called Jr or Sr has a namesake, and who bears a father's name is often called so.
    const generations = this.#snapshot.columns.person_traits[people.person[index]!]! & TRAIT.GENERATIONS
    const namesakesOfOne = generations === 0 ? namesakes : generations === GENERATIONS['SR'] ? namesakesOfSr : namesakesOfJr // prettier-ignore
    const isSameGeneration = asked !== null && (generations & (GENERATIONS[asked] ?? 0)) !== 0
    // Their middle name is their own.
    const namesake = people.givenName[index]! + (asked === null ? 0 : isSameGeneration ? GENERATION.different : GENERATION.ofNamesake) // prettier-ignore
    const ofThem = 1 + namesakesOfOne * Math.exp(namesake) + twins * Math.exp(people.birthWeight[index]!)
    return relatives * Math.exp(weight) * ofThem
  }

  ranked(): Candidate[] {
    this.#computeMasses()
    const people = this.#people
    const { person_rank } = this.#snapshot.columns
    const ranked: { index: number; mass: number }[] = []
    for (let index = 0; index < people.count; index++) {
      const mass = people.mass[index]!
      if (mass * 200 >= this.#total) ranked.push({ index, mass })
    }
    const rankOf = ({ index }: { index: number }): number => person_rank[people.person[index]!]!
    ranked.sort((a, b) => b.mass - a.mass || rankOf(a) - rankOf(b))
    const kept: typeof ranked = []
    for (const entry of ranked) {
      const twin = this.#names === null ? undefined : kept.find(({ index }) => isSamePerson(people, index, entry.index)) // prettier-ignore
      if (twin === undefined) kept.push(entry)
      else twin.mass += entry.mass
    }
    return kept.map(({ index, mass }) => this.#candidate(index, mass))
  }

  #candidate(index: number, mass: number): Candidate {
    const people = this.#people
    return {
      person: people.person[index]!,
      score: Math.max(1, Math.min(99, Math.round((100 * mass) / this.#total))),
      name:
        this.#names === null
          ? null
          : {
              first: people.first[index]!,
              last: people.last[index]!,
              isSwapped: people.isSwapped[index] === 1,
            },
      place: people.place[index]!,
      hasPhone: people.hasPhone[index] === 1,
      hasEmail: people.hasEmail[index] === 1,
      birth: people.birth[index]!,
    }
  }
}

/** Two records of one person whom the night did not join: alike in name, with the row's very e-mail or phone. */
function isSamePerson(people: WeighedPeople, left: number, right: number): boolean {
  const { hasEmail, hasPhone, birth } = people
  if ((hasEmail[left]! & hasEmail[right]!) === 0 && (hasPhone[left]! & hasPhone[right]!) === 0) return false
  if (birth[left] !== birth[right] && (birth[left] === 'other' || birth[right] === 'other')) return false
  return isNameAlike(people, left) && isNameAlike(people, right)
}

function isNameAlike({ first, last }: WeighedPeople, index: number): boolean {
  return first[index] !== 'other' && last[index] !== 'other'
}
