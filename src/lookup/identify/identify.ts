import { DEAD, packDate } from '../birth.ts'
import { GENERATIONS, TRAIT } from '../columns.ts'
import type { Snapshot } from '../snapshot.ts'
import { addCandidates } from './candidates.ts'
import { type Clues, isSearchable, type ReadClues, readClues } from './clues.ts'
import {
  type BirthAgreement,
  compareBirth,
  contactWeight,
  EMAIL,
  generationWeight,
  PHONE,
} from './compare-facts.ts'
import { NameComparer, type NameComparison } from './compare-names.ts'
import { PlaceComparer, PlaceCounts, type PlaceComparison } from './compare-places.ts'
import { Families, type SharedWeights } from './families.ts'
import { NameWords } from './name-words.ts'
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

export interface Identified {
  /** Best first; nobody with a score of 0. */
  readonly candidates: readonly Candidate[]
  /** What of the row could not be read. */
  readonly faults: readonly string[]
  /** Whether the row holds anything to search by. */
  readonly isSearchable: boolean
  /** The best score of somebody who is suppressed, and so is none of the candidates; 0 when there is nobody. */
  readonly suppressedScore: number
}

/** A person beside the row; weights are natural logarithms of likelihood ratios. */
export interface Weighed extends Omit<Candidate, 'score'> {
  /** What tells a person from their relatives but for the birth date: given name, middle name, Jr or Sr. */
  readonly given: number
  readonly birthWeight: number
  readonly family: number
  readonly placeWeight: number
  readonly phoneWeight: number
  readonly emailWeight: number
  /** Of all but home and phone, which relatives share. */
  readonly ownWeight: number
}

/** Sure enough that no further search can change the answer. */
const SURE = 0.97

/** Finds whom rows mean. Keeps what is found out about the snapshot, so one is made per snapshot and thread. */
export class Identifier {
  readonly #snapshot: Snapshot
  readonly #counts: PlaceCounts
  readonly #words: NameWords

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
    this.#counts = new PlaceCounts(snapshot)
    this.#words = new NameWords(snapshot)
  }

  /** What rows say, by the numbers of the snapshot; `today` is `YYYY-MM-DD`. */
  read(rows: readonly Clues[], today: string): ReadClues[] {
    return readClues(this.#snapshot, this.#words, rows, today)
  }

  /** The people whom a row may mean. */
  identify(read: ReadClues, today: string): Identified {
    const { faults } = read
    if (!isSearchable(read)) return { candidates: [], faults, isSearchable: false, suppressedScore: 0 }
    const found = new Found(this.#snapshot, this.#counts, this.#words, read, packDate(today))
    addCandidates(this.#snapshot, this.#counts, this.#words, read, found)
    const candidates = found.ranked()
    return screened(this.#snapshot, { candidates, faults, isSearchable: true, suppressedScore: 0 })
  }
}

// Taken out when all are weighed: a row that means somebody suppressed must not come to mean a relative of theirs.
function screened({ suppressed }: Snapshot, found: Identified): Identified {
  if (suppressed === null) return found
  const isSuppressed = ({ person }: Candidate): boolean => suppressed.people[person] === 1
  const [best] = found.candidates.filter(isSuppressed)
  if (best === undefined) return found
  return {
    ...found,
    candidates: found.candidates.filter((one) => !isSuppressed(one)),
    suppressedScore: best.score,
  }
}

interface Masses {
  readonly masses: readonly number[]
  readonly total: number
}

/** Everybody whom one row's searches found, weighed by all that the row says. */
export class Found {
  readonly #snapshot: Snapshot
  readonly #clues: ReadClues
  readonly #today: number
  readonly #names: NameComparer | null
  readonly places: PlaceComparer | null
  readonly #found = new Map<number, Weighed>()
  #weights: Masses | null = null

  constructor(snapshot: Snapshot, counts: PlaceCounts, words: NameWords, clues: ReadClues, today: number) {
    this.#snapshot = snapshot
    this.#clues = clues
    this.#today = today
    this.#names = clues.name === null ? null : new NameComparer(snapshot, words, clues.name)
    this.places = clues.place === null ? null : new PlaceComparer(snapshot, counts, clues.place)
  }

  add(person: number): void {
    if (!this.#found.has(person)) this.#found.set(person, this.#weigh(person))
  }

  #weigh(person: number): Weighed {
    const { columns, personCount } = this.#snapshot
    const { phones, emails } = this.#clues
    const traits = columns.person_traits[person]!
    const packed = columns.person_birth[person]!
    const name = this.#names === null ? null : this.#names.compare(person)
    const place = this.places === null ? null : this.places.compare(person)
    const phone = contactWeight(phones, person, personCount, traits, PHONE)
    const email = contactWeight(emails, person, personCount, traits, EMAIL)
    const birth = compareBirth(this.#clues, packed, this.#today)
    const given = name === null ? 0 : name.given + generationWeight(this.#clues.name!.generation, traits)
    const family = name === null ? 0 : email.isTheirs ? this.#familyByEmail(name) : name.family
    const life = packed >= DEAD ? LIFE.dead : 0
    return {
      person,
      name,
      place,
      hasPhone: phone.isTheirs,
      hasEmail: email.isTheirs,
      birth: birth.agreement,
      given,
      birthWeight: birth.weight,
      family,
      placeWeight: place?.weight ?? 0,
      phoneWeight: phone.weight,
      emailWeight: email.weight,
      ownWeight: given + birth.weight + family + email.weight + life,
    }
  }

  /** An e-mail with the row's surname in it is of somebody who has or had that name. */
  #familyByEmail({ first, last, family }: NameComparison): number {
    const isExplained = last === 'other' && first !== 'other' && this.#clues.name!.isLastInEmail
    return isExplained ? Math.max(family, NAME.lastInEmail) : family
  }

  /** The addresses of those of the row's home who have its surname. */
  homesOfFamily(): ReadonlySet<number> {
    return new Families(this.#snapshot, this.#found.values()).addressesOfHome
  }

  isSure(): boolean {
    const { masses, total } = this.#masses()
    return masses.some((mass) => mass >= SURE * total)
  }

  /**
   * Unscaled probabilities of everybody found, in their order, and of everything together: them, the likeliest relative of
   * theirs of whom the snapshot knows nothing, and somebody who has nothing to do with any of them.
   */
  #masses(): Masses {
    if (this.#weights?.masses.length !== this.#found.size) this.#weights = this.#computeMasses()
    return this.#weights
  }

  #computeMasses(): Masses {
    const prior = IN_SNAPSHOT / this.#snapshot.personCount
    const families = new Families(this.#snapshot, this.#found.values())
    const masses: number[] = []
    let total = 1 - IN_SNAPSHOT
    let unseen = 0
    for (const one of this.#found.values()) {
      const shared = families.sharedWeights(one)
      const mass = prior * Math.exp(one.ownWeight + shared.placeWeight + shared.phoneWeight)
      masses.push(mass)
      total += mass
      unseen = Math.max(unseen, prior * this.#unseenMass(one, shared))
    }
    return { masses, total: total + unseen }
  }

  /** What speaks for a relative of somebody's of whom the snapshot knows nothing; `shared`: what home and phone say for them. */
  #unseenMass(one: Weighed, shared: SharedWeights): number {
    const { relatives, namesakes, namesakesOfJr, namesakesOfSr, twins, phone, email } = UNSEEN
    // That the row's numbers are not the person's says nothing against a relative.
    const weight =
      one.family +
      shared.placeWeight +
      (one.hasPhone ? shared.phoneWeight + phone : Math.max(0, shared.phoneWeight)) +
      (one.hasEmail ? one.emailWeight + email : 0)
    // Their middle name is their own.
    const first = one.name === null ? 0 : one.name.given - one.name.middle
    const asked = this.#clues.name?.generation ?? null
    // Who is called Jr or Sr has a namesake, and who bears a father's name is often called so.
    const generations = this.#snapshot.columns.person_traits[one.person]! & TRAIT.GENERATIONS
    const namesakesOfOne = generations === 0 ? namesakes : generations === GENERATIONS['SR'] ? namesakesOfSr : namesakesOfJr // prettier-ignore
    const isSameGeneration = asked !== null && (generations & (GENERATIONS[asked] ?? 0)) !== 0
    const namesake = first + (asked === null ? 0 : isSameGeneration ? GENERATION.different : GENERATION.ofNamesake) // prettier-ignore
    const ofThem = 1 + namesakesOfOne * Math.exp(namesake) + twins * Math.exp(one.birthWeight)
    return relatives * Math.exp(weight) * ofThem
  }

  ranked(): Candidate[] {
    const { masses, total } = this.#masses()
    const { person_rank } = this.#snapshot.columns
    const ranked = [...this.#found.values()]
      .map((one, index) => ({ one, mass: masses[index]! }))
      .filter(({ mass }) => mass * 200 >= total)
    ranked.sort((a, b) => b.mass - a.mass || person_rank[a.one.person]! - person_rank[b.one.person]!)
    const kept: typeof ranked = []
    for (const entry of ranked) {
      const twin = kept.find(({ one }) => isSamePerson(one, entry.one))
      if (twin === undefined) kept.push(entry)
      else twin.mass += entry.mass
    }
    return kept.map(({ one, mass }) => {
      const { person, name, place, hasPhone, hasEmail, birth } = one
      const score = Math.max(1, Math.min(99, Math.round((100 * mass) / total)))
      return { person, score, name, place, hasPhone, hasEmail, birth }
    })
  }
}

/** Two records of one person whom the night did not join: alike in name, with the row's very e-mail or phone. */
function isSamePerson(left: Weighed, right: Weighed): boolean {
  if (!(left.hasEmail && right.hasEmail) && !(left.hasPhone && right.hasPhone)) return false
  if (left.birth !== right.birth && (left.birth === 'other' || right.birth === 'other')) return false
  return isNameAlike(left) && isNameAlike(right)
}

function isNameAlike({ name }: Weighed): boolean {
  return name !== null && name.first !== 'other' && name.last !== 'other'
}
