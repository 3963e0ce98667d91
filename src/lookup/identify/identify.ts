import { packDate } from '../birth.ts'
import { HISTORIC } from '../columns.ts'
import { namesOf } from '../person-document.ts'
import { similarWords } from '../similar-words.ts'
import { numbersOf } from '../store.ts'
import type { Snapshot } from '../snapshot.ts'
import { peopleWithBoth } from '../word-pairs.ts'
import { nicknamesOf } from '../../normalize/nicknames.ts'
import { type Clues, isSearchable, type NameClue, type NameWord, type ReadClues, readClues } from './clues.ts'
import { type BirthAgreement, compareBirth, contactWeight, EMAIL, PHONE } from './compare-facts.ts'
import { NameComparer, type NameComparison } from './compare-names.ts'
import { homesAsked, PlaceComparer, PlaceCounts, type PlaceComparison } from './compare-places.ts'
import { FAMILY, GENERATION, IN_SNAPSHOT, UNSEEN } from './weights.ts'

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

interface Weighed extends Omit<Candidate, 'score'> {
  /** Natural logarithms of likelihood ratios: of the given name and birth date, and of what families share. */
  readonly given: number
  readonly birthWeight: number
  readonly family: number
  readonly placeWeight: number
  readonly phoneWeight: number
  readonly emailWeight: number
}

/** Sure enough that no further search can change the answer. */
const SURE = 0.97
/** Where a list of people is too long to compare one by one, another clue must find them. */
const MOST_COMPARED = 3_000
const MOST_BY_SURNAME = 400
const MOST_VARIANTS = 60
/** Nicknames are looked up of so many words that a mistyped one may be. */
const MOST_NICKNAMED = 4
/** A word of so few people may be another's, mistyped. */
const RARE = 3

/** Finds whom rows mean. Keeps what is counted about the snapshot, so one is made per snapshot and thread. */
export class Identifier {
  readonly #snapshot: Snapshot
  readonly #counts: PlaceCounts

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
    this.#counts = new PlaceCounts(snapshot)
  }

  /** The people whom a row may mean; `today` is `YYYY-MM-DD`. */
  identify(clues: Clues, today: string): Identified {
    const read = readClues(this.#snapshot, clues, today)
    if (!isSearchable(read))
      return { candidates: [], faults: read.faults, isSearchable: false, suppressedScore: 0 }
    const search = new Search(this.#snapshot, this.#counts, read, packDate(today))
    return screened(this.#snapshot, {
      candidates: search.run(),
      faults: read.faults,
      isSearchable: true,
      suppressedScore: 0,
    })
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

/** One row's search: cheap and telling clues first, wider ones only until somebody is sure. */
class Search {
  readonly #snapshot: Snapshot
  readonly #clues: ReadClues
  readonly #today: number
  readonly #names: NameComparer | null
  readonly #places: PlaceComparer | null
  readonly #found = new Map<number, Weighed>()

  constructor(snapshot: Snapshot, counts: PlaceCounts, clues: ReadClues, today: number) {
    this.#snapshot = snapshot
    this.#clues = clues
    this.#today = today
    this.#names = clues.name === null ? null : new NameComparer(snapshot, clues.name)
    this.#places = clues.place === null ? null : new PlaceComparer(snapshot, counts, clues.place)
  }

  run(): Candidate[] {
    const { name } = this.#clues
    this.#addContacts()
    this.#addHomes(true)
    if (this.#isSure()) return this.#ranked()
    if (name !== null) this.#addNamesakes(name)
    if (this.#isSure()) return this.#ranked()
    this.#addHomes(false)
    if (name === null || this.#isSure()) return this.#ranked()
    this.#addNicknames(name)
    if (this.#isSure() || !this.#couldBeFuzzy()) return this.#ranked()
    this.#addMistyped(name)
    return this.#ranked()
  }

  #addContacts(): void {
    for (const { holders } of this.#clues.phones) for (const person of holders.keys()) this.#add(person)
    for (const { holders } of this.#clues.emails) for (const person of holders.keys()) this.#add(person)
  }

  #addHomes(isUnit: boolean): void {
    const { place } = this.#clues
    if (place === null) return
    const { address_person_start: starts, address_people } = this.#snapshot.columns
    let compared = 0
    for (const address of homesAsked(this.#snapshot, place, isUnit)) {
      const end = starts[address + 1]!
      for (let i = starts[address]!; i < end && compared < MOST_COMPARED; i++, compared++) {
        const link = address_people[i]!
        this.#add(link >= HISTORIC ? link - HISTORIC : link)
      }
    }
  }

  #addNamesakes({ first, last }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given !== undefined && family !== undefined && given.text.length > 1)
      this.#addPair(given.number, family.number)
    else if (family !== undefined && family.number >= 0) {
      if (this.#snapshot.columns.word_people[family.number]! <= MOST_BY_SURNAME)
        this.#addPosting(this.#snapshot.store.words.getBinaryFast(family.number))
    }
    // Half of a double surname finds both halves' bearers.
    if (given !== undefined && last.length > 1) this.#addPair(given.number, last[0]!.number)
  }

  #addNicknames({ first, last }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given === undefined || family === undefined || family.number < 0) return
    for (const nickname of nicknamesOf(given.text))
      this.#addPair(this.#snapshot.words.find(nickname), family.number)
  }

  /** Whether a name that is only alike can be decisive: together with a place, a date or an age. */
  #couldBeFuzzy(): boolean {
    const { place, birth, age } = this.#clues
    return birth > 0 || age !== null || (place !== null && (place.zip !== null || place.city !== null))
  }

  /** Whoever has a name like the row's. Only words that hardly anybody has are taken for slips of the keyboard. */
  #addMistyped({ first, last }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given === undefined || family === undefined || given.text.length < 2) return
    const { words } = this.#snapshot
    if (family.number >= 0 && this.#isRare(given)) {
      const variants = this.#variants(given.text)
      for (const word of variants) this.#addPair(word, family.number)
      for (const word of variants.slice(0, MOST_NICKNAMED))
        for (const nickname of nicknamesOf(words.text(word)))
          this.#addPair(words.find(nickname), family.number)
    }
    if (given.number >= 0 && this.#isRare(family))
      for (const word of this.#variants(family.text)) this.#addPair(given.number, word)
  }

  #isRare({ number }: NameWord): boolean {
    return number < 0 || this.#snapshot.columns.word_people[number]! <= RARE
  }

  #variants(text: string): number[] {
    const { qualities } = similarWords(this.#snapshot, text)
    const best = [...qualities].sort(([, left], [, right]) => right - left)
    return best.slice(0, MOST_VARIANTS).map(([word]) => word)
  }

  #addPair(left: number, right: number): void {
    if (left < 0 || right < 0) return
    this.#addPeople(peopleWithBoth(this.#snapshot.columns, left, right))
  }

  #addPosting(bytes: Buffer | undefined): void {
    if (bytes !== undefined) this.#addPeople(numbersOf(bytes))
  }

  #addPeople(people: Uint32Array): void {
    const count = Math.min(people.length, MOST_COMPARED)
    for (let i = 0; i < count; i++) this.#add(people[i]!)
  }

  #add(person: number): void {
    if (!this.#found.has(person)) this.#found.set(person, this.#weigh(person))
  }

  #weigh(person: number): Weighed {
    const { columns, personCount } = this.#snapshot
    const name = this.#names === null ? null : this.#names.compare(person)
    const place = this.#places === null ? null : this.#places.compare(person)
    const phone = contactWeight(this.#clues.phones, person, personCount, PHONE)
    const email = contactWeight(this.#clues.emails, person, personCount, EMAIL)
    const birth = compareBirth(this.#clues, columns.person_birth[person]!, this.#today)
    return {
      person,
      name,
      place,
      hasPhone: phone.isTheirs,
      hasEmail: email.isTheirs,
      birth: birth.agreement,
      given: name?.given ?? 0,
      birthWeight: birth.weight,
      family: name?.family ?? 0,
      placeWeight: place?.weight ?? 0,
      phoneWeight: phone.weight,
      emailWeight: email.weight,
    }
  }

  #isSure(): boolean {
    const { masses, total } = this.#masses()
    return masses.some((mass) => mass >= SURE * total)
  }

  /**
   * Unscaled probabilities of everybody found, in their order, and of everything together: them, the likeliest relative of
   * theirs of whom the snapshot knows nothing, and somebody who has nothing to do with any of them.
   */
  #masses(): { masses: number[]; total: number } {
    const prior = IN_SNAPSHOT / this.#snapshot.personCount
    const family = this.#familyShares()
    const masses: number[] = []
    let total = 1 - IN_SNAPSHOT
    let unseen = 0
    for (const one of this.#found.values()) {
      // Who lives in another state is no more than a namesake.
      const isFamily = isSurnameAlike(one) && one.place?.nearness !== 'elsewhere'
      const place = isFamily ? Math.max(one.placeWeight, family.place) : one.placeWeight
      const phone = isFamily ? Math.max(one.phoneWeight, family.phone) : one.phoneWeight
      const mass =
        prior * Math.exp(one.given + one.birthWeight + one.family + place + phone + one.emailWeight)
      masses.push(mass)
      total += mass
      unseen = Math.max(unseen, prior * unseenMass(one))
    }
    return { masses, total: total + unseen }
  }

  /** What home and phone of one of a family say for the others who have its surname: less, the more people have it. */
  #familyShares(): { place: number; phone: number } {
    let place = Number.NEGATIVE_INFINITY
    let phone = Number.NEGATIVE_INFINITY
    const last = this.#clues.name?.last.at(-1)
    if (last === undefined) return { place, phone }
    for (const one of this.#found.values()) {
      if (!isSurnameAlike(one)) continue
      if (one.place?.nearness === 'home' && one.placeWeight > place) place = one.placeWeight
      if (one.hasPhone && one.phoneWeight > phone) phone = one.phoneWeight
    }
    const bearers = Math.max(1, last.share * this.#snapshot.personCount)
    const share = Math.log(FAMILY.shares * Math.min(1, FAMILY.size / bearers))
    return { place: place + share, phone: phone + share }
  }

  #ranked(): Candidate[] {
    const { masses, total } = this.#masses()
    const found = [...this.#found.values()]
    const ranked = found
      .map((one, index) => ({ one, mass: masses[index]! }))
      .filter(({ mass }) => mass * 200 >= total)
    for (const entry of ranked) if (entry.mass * 3 > total) entry.mass *= this.#generationFactor(entry.one)
    ranked.sort((a, b) => b.mass - a.mass || a.one.person - b.one.person)
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

  /** Father and son of one name are told apart by Jr and Sr, of which half the lists say nothing. What is taken from one is not given to another. */
  #generationFactor({ person, birth, hasEmail }: Weighed): number {
    const asked = this.#clues.name?.generation ?? null
    const isToldApart = birth === 'same' || hasEmail
    if (asked === null && isToldApart) return 1
    const recorded = generationsOf(this.#snapshot.store.people.getBinaryFast(person)!)
    if (asked === null && recorded.length === 0) return 1
    if (asked !== null && recorded.includes(asked)) return 1
    if (asked !== null && recorded.length > 0) return GENERATION.different
    return isToldApart ? 1 : GENERATION.onlyOne
  }
}

function isSurnameAlike({ name }: Weighed): boolean {
  return name !== null && (name.last === 'same' || name.last === 'mistyped' || name.last === 'sounds' || name.last === 'part') // prettier-ignore
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

/** What speaks for a relative of somebody's of whom the snapshot knows nothing. */
function unseenMass(one: Weighed): number {
  const { relatives, namesakes, twins, phone, email } = UNSEEN
  const shared =
    one.family +
    one.placeWeight +
    one.phoneWeight +
    one.emailWeight +
    (one.hasPhone ? phone : 0) +
    (one.hasEmail ? email : 0)
  return (
    relatives * Math.exp(shared) * (1 + namesakes * Math.exp(one.given) + twins * Math.exp(one.birthWeight))
  )
}

const GENERATIONS = / (Jr|Sr|II|III|IV|V)(?=")/g

/** Jr, Sr, II … of any of a person's names, upper case. */
function generationsOf(document: Buffer): string[] {
  return Array.from(namesOf(document).matchAll(GENERATIONS), ([, generation]) => generation!.toUpperCase())
}
