import { TOKEN, withoutFlag } from '../format/columns.ts'
import { posting } from '../format/store.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Workspace } from '../snapshot/workspace.ts'
import { peopleWithBoth } from '../snapshot/word-pairs.ts'
import type { NameClue, ReadClues } from './clues.ts'
import { peopleBornOn } from './compare-facts.ts'
import { forMistypedHomes, likelyRanges, type PlaceCounts, rangesAroundCity } from './compare-places.ts'
import { addressesOfBuilding, isRowsUnit } from '../search/homes.ts'
import type { AddressRange } from '../search/locations.ts'
import type { FoundPeople } from './found-people.ts'
import type { NameWord, NameWords } from './name-words.ts'

/**
 * The most people of one search who are compared. When a search finds more, only the most complete are
 * compared.
 */
const MAX_COMPARED = 3_000
/** People are found by their surname alone when at most this many have it. */
const MAX_BY_SURNAME = 400
/** The limit in place of MAX_BY_SURNAME for a row with a first name, which finds most of these people by itself. */
const MAX_OF_RARE_SURNAME = 60
/** When a similar name finds more people than this, only those near the row's place are compared. */
const MAX_ANYWHERE = 100
/** For a mistyped first name, the nicknames of this many likely corrections are searched too. */
const MAX_NICKNAMED = 4

// A name such as O'BRIEN is one word here, but some records write O BRIEN as two.
const PARTICLE = /^(?:O|MC|MAC|DE|DI|DA|DEL|LA|LE|ST|VAN)(.{3,})$/

/**
 * Compares everyone whom a row may describe with the row. Starts with cheap and specific searches; goes on to
 * wider ones only until one person is certain.
 */
export function addCandidates(
  index: Index,
  workspace: Workspace,
  words: NameWords,
  counts: PlaceCounts,
  clues: ReadClues,
  found: FoundPeople,
): void {
  const search = new Search(index, workspace, words, clues, found)
  const { name, place } = clues
  const ranges = place === null ? [] : likelyRanges(index, counts, place)
  const building = place === null ? [] : addressesOfBuilding(index, place, ranges)
  search.addContacts()
  search.addHomes(building)
  if (found.isSure()) return
  if (name !== null) search.addNamesakes(name)
  if (found.isSure()) return
  search.addResidents(building)
  if (name === null || found.isSure()) return
  search.addNicknames(name)
  if (found.isSure()) return
  search.addBornOn(name)
  // The ZIP may be wrong when it has no such home.
  if (building.length === 0 && place !== null && place.zip !== null)
    search.addHomes(addressesOfBuilding(index, place, rangesAroundCity(counts, place)))
  search.addMistypedHomes(ranges)
  search.addWhereFamilyLived()
  search.addMistyped(name)
}

class Search {
  readonly #index: Index
  readonly #workspace: Workspace
  readonly #words: NameWords
  readonly #clues: ReadClues
  readonly #found: FoundPeople

  constructor(index: Index, workspace: Workspace, words: NameWords, clues: ReadClues, found: FoundPeople) {
    this.#index = index
    this.#workspace = workspace
    this.#words = words
    this.#clues = clues
    this.#found = found
  }

  addContacts(): void {
    for (const { qualities } of [...this.#clues.phones, ...this.#clues.emails])
      for (const person of qualities.keys()) this.#found.add(person)
  }

  /** Compares the residents of the row's unit in the building. */
  addHomes(building: readonly number[]): void {
    const { place } = this.#clues
    if (place !== null)
      this.addResidents(building.filter((address) => isRowsUnit(this.#index, place, address)))
  }

  addMistypedHomes(ranges: readonly AddressRange[]): void {
    const { place } = this.#clues
    const { places } = this.#found
    if (place === null || places === null) return
    const homes: number[] = []
    forMistypedHomes(this.#index, place, places, ranges, (address) => homes.push(address))
    this.addResidents(homes)
  }

  /** Compares the residents of other addresses where people of the row's home and surname live or lived. */
  addWhereFamilyLived(): void {
    this.addResidents(this.#found.homesOfFamily())
  }

  /** Compares everyone who lives or lived at the addresses. */
  addResidents(addresses: Iterable<number>): void {
    const { address_person_start, address_people } = this.#index.columns
    const people: number[] = []
    for (const address of addresses) {
      const start = address_person_start[address]!
      const end = Math.min(address_person_start[address + 1]!, start + MAX_COMPARED)
      for (let i = start; i < end; i++) people.push(withoutFlag(address_people[i]!))
    }
    this.#addAll(people)
  }

  addNamesakes({ first, last, otherLast }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given !== undefined && family !== undefined && given.text.length > 1)
      this.#addBoth(given.number, family.number)
    else if (family !== undefined) this.#addBearers(family, MAX_BY_SURNAME)
    // The first half of a double surname may be stored alone. O Brien may be stored as O'Brien.
    if (given !== undefined && last.length > 1) {
      this.#addBoth(given.number, last[0]!.number)
      this.#addBoth(given.number, this.#index.words.find(last.map(({ text }) => text).join('')))
    }
    if (given !== undefined && otherLast !== null) this.#addBoth(given.number, otherLast.number)
  }

  addNicknames({ first, last }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given === undefined || family === undefined || family.number < 0) return
    for (const nickname of given.nicknames) this.#addBoth(nickname, family.number)
  }

  /** Compares people who were born on the row's birth date and have a word of its name, or a nickname of it. */
  addBornOn({ first, last }: NameClue): void {
    const { birth } = this.#clues
    const given = first[0]
    const family = last.at(-1)
    if (birth % 100 === 0) return
    const { name_tokens, person_name_start } = this.#index.columns
    const born = peopleBornOn(this.#index, birth)
    this.#workspace.ahead.names(born)
    for (const person of born) {
      const end = person_name_start[person + 1]!
      for (let i = person_name_start[person]!; i < end; i++) {
        const word = name_tokens[i]! & TOKEN.WORD
        if (word !== given?.number && word !== family?.number && given?.nicknames.includes(word) !== true)
          continue
        this.#found.add(person)
        break
      }
    }
  }

  /**
   * Compares people with a similar name when the row's name probably has a typo, and everyone with a rare
   * surname.
   */
  addMistyped({ first, last }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given === undefined || family === undefined || given.text.length < 2) return
    const { words } = this.#index
    const rest = PARTICLE.exec(family.text)?.[1]
    if (rest !== undefined) this.#addBoth(given.number, words.find(rest))
    if (family.number >= 0) {
      const variants = this.#words.correctionsOf(given)
      for (const word of variants) this.#addBothNear(word, family.number)
      for (const word of variants.slice(0, MAX_NICKNAMED))
        for (const nickname of this.#words.nicknamesOfWord(word))
          this.#addBothNear(words.find(nickname), family.number)
    }
    if (given.number >= 0)
      for (const word of this.#words.correctionsOf(family)) this.#addBothNear(given.number, word)
    this.#addBearers(family, MAX_OF_RARE_SURNAME)
  }

  #addBearers({ number }: NameWord, most: number): void {
    if (number < 0 || this.#index.columns.word_people[number]! > most) return
    this.#addPeople(posting(this.#index.store.words.getBinaryFast(number)))
  }

  #addBoth(left: number, right: number): void {
    if (left >= 0 && right >= 0) this.#addPeople(peopleWithBoth(this.#index.columns, left, right))
  }

  #addBothNear(left: number, right: number): void {
    if (left < 0 || right < 0) return
    const people = peopleWithBoth(this.#index.columns, left, right)
    if (people.length <= MAX_ANYWHERE || this.#found.places === null) this.#addPeople(people)
    else for (const person of people) if (this.#found.places.isNear(person)) this.#found.add(person)
  }

  #addPeople(people: Uint32Array): void {
    this.#addAll(people.length > MAX_COMPARED ? this.#mostComplete(people) : people)
  }

  /** Returns the MAX_COMPARED people of the lowest rank: those with the most complete records. */
  #mostComplete(people: Uint32Array): Uint32Array {
    const { person_rank } = this.#index.columns
    const last = people.map((person) => person_rank[person]!).sort()[MAX_COMPARED - 1]!
    return people.filter((person) => person_rank[person]! <= last)
  }

  #addAll(people: ArrayLike<number>): void {
    this.#workspace.ahead.people(people)
    for (let i = 0; i < people.length; i++) this.#found.add(people[i]!)
  }
}
