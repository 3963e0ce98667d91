import { DEAD } from '../format/birth.ts'
import { GENERATIONS, TRAIT } from '../format/columns.ts'
import { rankOfPerson, type Snapshot } from '../snapshot/snapshot.ts'
import type { Suppressed } from '../format/suppressed.ts'
import type { ReadClues } from './clues.ts'
import {
  compareBirth,
  EMAIL,
  generationWeight,
  holderWeight,
  PHONE,
  strangerWeight,
} from './compare-facts.ts'
import type { NameComparer, NameComparison } from './compare-names.ts'
import type { PlaceComparer } from './compare-places.ts'
import { Families } from './families.ts'
import type { NameWords } from './name-words.ts'
import type { Candidate, WeighedPerson } from './weighed-person.ts'
import { GENERATION, IN_SNAPSHOT, LIFE, NAME, UNSEEN } from './weights.ts'

/** The probability above which no further search can change the answer. */
const SURE = 0.97

/** The candidates of one row, in the order in which they were found. */
export class FoundPeople {
  /** The comparers of each shard; null when the row has no place, or no name. */
  readonly places: readonly PlaceComparer[] | null
  readonly #names: readonly NameComparer[] | null
  readonly #snapshot: Snapshot
  readonly #words: NameWords
  readonly #people = new Map<number, WeighedPerson>()
  readonly #clues: ReadClues
  readonly #today: number
  /** By number in the snapshot: 1 for people who are not compared. */
  readonly #hidden: Uint8Array | null
  readonly #personCount: number
  /** The result of the last `#masses`, which is valid until another person is added. */
  #computed: Masses = { count: -1, people: [], total: 0 }

  constructor(
    snapshot: Snapshot,
    words: NameWords,
    names: readonly NameComparer[] | null,
    places: readonly PlaceComparer[] | null,
    clues: ReadClues,
    today: number,
    hidden: Suppressed | null,
  ) {
    this.#snapshot = snapshot
    this.#words = words
    this.#names = names
    this.places = places
    this.#clues = clues
    this.#today = today
    this.#hidden = hidden?.people ?? null
    this.#personCount = snapshot.personCount - (hidden?.ids.size ?? 0)
  }

  /**
   * Compares a person with the row, unless the person is hidden or was added before. `own` is the person's
   * number in the shard with the number `shard`.
   */
  add(shard: number, own: number): void {
    const person = this.#snapshot.shards[shard]!.firstPerson + own
    if (this.#hidden?.[person] === 1 || this.#people.has(person)) return
    this.#people.set(person, this.#weigh(person, shard, own))
  }

  #weigh(person: number, shard: number, own: number): WeighedPerson {
    const { columns } = this.#snapshot.shards[shard]!.index
    const traits = columns.person_traits[own]!
    const packed = columns.person_birth[own]!
    const { phones, emails } = this.#clues
    const phone = holderWeight(phones, person, this.#personCount, PHONE)
    const email = holderWeight(emails, person, this.#personCount, EMAIL)
    const emailWeight = email ?? strangerWeight(emails, traits, EMAIL)
    const birth = compareBirth(this.#clues, packed, this.#today)
    const name = this.#names === null ? null : this.#names[shard]!.compare(own)
    const given = name === null ? 0 : name.given + name.middle + generationWeight(this.#clues.name!.generation, traits) // prettier-ignore
    const surnameWeight = name === null ? 0 : this.#surnameWeight(name, email !== null)
    const life = packed >= DEAD ? LIFE.dead : 0
    return {
      person,
      traits,
      name,
      place: this.places === null ? null : this.places[shard]!.compare(own),
      hasPhone: phone !== null,
      phoneWeight: phone ?? strangerWeight(phones, traits, PHONE),
      hasEmail: email !== null,
      emailWeight,
      birth: birth.agreement,
      birthWeight: birth.weight,
      surnameWeight,
      ownWeight: given + birth.weight + surnameWeight + emailWeight + life,
    }
  }

  /**
   * Returns the weight of the surname. A holder of the row's e-mail address has, or had, the surname that the
   * address contains.
   */
  #surnameWeight({ first, last, family }: NameComparison, hasEmail: boolean): number {
    const isExplained = hasEmail && last === 'other' && first !== 'other' && this.#clues.name!.isLastInEmail
    return isExplained ? Math.max(family, NAME.lastInEmail) : family
  }

  /** Returns the positions of all addresses, former ones included, of people with the row's home and surname. */
  homesOfFamily(): ReadonlySet<number> {
    return new Families(this.#snapshot, this.#words, [...this.#people.values()]).addressesOfHome
  }

  /** Returns whether one person is so probable that no further search can change the answer. */
  isSure(): boolean {
    const { people, total } = this.#masses()
    return people.some(({ mass }) => mass >= SURE * total)
  }

  #masses(): Masses {
    if (this.#computed.count === this.#people.size) return this.#computed
    const prior = IN_SNAPSHOT / this.#personCount
    const found = [...this.#people.values()]
    const families = new Families(this.#snapshot, this.#words, found)
    const people: Massed[] = []
    let total = 1 - IN_SNAPSHOT
    let unseen = 0
    for (const one of found) {
      const shared = families.weightsOf(one)
      const mass = prior * Math.exp(one.ownWeight + shared.place + shared.phone)
      people.push({ one, mass })
      total += mass
      unseen = Math.max(unseen, prior * this.#unseenMass(one, shared))
    }
    return (this.#computed = { count: found.length, people, total: total + unseen })
  }

  /**
   * Returns the mass of an unknown relative of a person, divided by the prior. `shared` has the weights of
   * home and phone.
   */
  #unseenMass(one: WeighedPerson, shared: { readonly place: number; readonly phone: number }): number {
    const { relatives, namesakes, namesakesOfJr, namesakesOfSr, twins, phone, email } = UNSEEN
    // A relative may have another phone, so a phone that is not the person's does not count against a
    // relative.
    const weight =
      one.surnameWeight +
      shared.place +
      (one.hasPhone ? shared.phone + phone : Math.max(0, shared.phone)) +
      (one.hasEmail ? one.emailWeight + email : 0)
    const asked = this.#clues.name?.generation ?? null
    // A person called Jr or Sr has a namesake in the family, and a son with his father's name is often called
    // Jr.
    const generations = one.traits & TRAIT.GENERATIONS
    const namesakesOfOne = generations === 0 ? namesakes : generations === GENERATIONS['SR'] ? namesakesOfSr : namesakesOfJr // prettier-ignore
    const isSameGeneration = asked !== null && (generations & (GENERATIONS[asked] ?? 0)) !== 0
    // The namesake shares the first name, but not the middle name.
    const namesake = (one.name?.given ?? 0) + (asked === null ? 0 : isSameGeneration ? GENERATION.different : GENERATION.ofNamesake) // prettier-ignore
    const ofThem = 1 + namesakesOfOne * Math.exp(namesake) + twins * Math.exp(one.birthWeight)
    return relatives * Math.exp(weight) * ofThem
  }

  /** Returns the candidates with a score, best first. */
  ranked(): Candidate[] {
    const { people, total } = this.#masses()
    const rankOf = ({ one }: Massed): number => rankOfPerson(this.#snapshot, one.person)
    const ranked = people
      .filter(({ mass }) => mass * 200 >= total)
      .sort((a, b) => b.mass - a.mass || rankOf(a) - rankOf(b))
    const kept: Massed[] = []
    for (const entry of ranked) {
      const twin = kept.find(({ one }) => isSamePerson(one, entry.one))
      if (twin === undefined) kept.push(entry)
      else twin.mass += entry.mass
    }
    return kept.map(({ one, mass }) => ({
      ...one,
      score: Math.max(1, Math.min(99, Math.round((100 * mass) / total))),
    }))
  }
}

/** A candidate with its unscaled probability, the mass. */
interface Massed {
  readonly one: WeighedPerson
  mass: number
}

interface Masses {
  /** The number of candidates for which the masses were computed. */
  readonly count: number
  readonly people: readonly Massed[]
  /**
   * The masses of all candidates, of the most probable unknown relative and of an unrelated person, added up.
   * The probability of a candidate is its mass divided by this sum.
   */
  readonly total: number
}

/**
 * Returns whether two people are probably one person whom the link step did not join. Such people have
 * similar names, and both have the row's e-mail address or phone.
 */
function isSamePerson(left: WeighedPerson, right: WeighedPerson): boolean {
  if (!(left.hasEmail && right.hasEmail) && !(left.hasPhone && right.hasPhone)) return false
  if (left.birth !== right.birth && (left.birth === 'other' || right.birth === 'other')) return false
  return isNameAlike(left) && isNameAlike(right)
}

function isNameAlike({ name }: WeighedPerson): boolean {
  return name !== null && name.first !== 'other' && name.last !== 'other'
}
