import { TOKEN, withoutFlag } from '../format/columns.ts'
import { NOBODY, posting } from '../format/store.ts'
import { nicknamesOf } from '../../normalize/nicknames.ts'
import { peopleIn, type Snapshot } from '../snapshot/snapshot.ts'
import { addressOfRank, addressRank } from '../snapshot/snapshot-index.ts'
import { peopleWithBoth } from '../snapshot/word-pairs.ts'
import type { NameClue, ReadClues } from './clues.ts'
import { peopleBornOn } from './compare-facts.ts'
import { forMistypedHomes, likelyRanges, type PlaceCounts, rangesAroundCity } from './compare-places.ts'
import { addressesOfBuilding, isRowsUnit } from '../search/homes.ts'
import type { AddressRange } from '../search/locations.ts'
import type { FoundPeople } from './found-people.ts'
import type { NameWord, NameWords, WordNumbers } from './name-words.ts'

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
 * wider ones only until one person is certain. Each search is asked of all shards before the next one starts.
 */
export function addCandidates(
  snapshot: Snapshot,
  words: NameWords,
  counts: PlaceCounts,
  clues: ReadClues,
  found: FoundPeople,
): void {
  const { shards } = snapshot
  const search = new Search(snapshot, words, clues, found)
  const { name, places } = clues
  const ranges = places === null ? [] : likelyRanges(shards, counts, places)
  const building = search.buildings(ranges)
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
  if (building.every((addresses) => addresses.length === 0) && places !== null && places[0]!.zip !== null)
    search.addHomes(search.buildings(rangesAroundCity(counts, places)))
  search.addMistypedHomes(ranges)
  search.addWhereFamilyLived()
  search.addMistyped(name)
}

/** Numbers of addresses in each shard. */
type Addresses = readonly (readonly number[])[]

class Search {
  readonly #snapshot: Snapshot
  readonly #words: NameWords
  readonly #clues: ReadClues
  readonly #found: FoundPeople

  constructor(snapshot: Snapshot, words: NameWords, clues: ReadClues, found: FoundPeople) {
    this.#snapshot = snapshot
    this.#words = words
    this.#clues = clues
    this.#found = found
  }

  /** Returns the addresses in the ranges that have the row's street and house number. */
  buildings(ranges: readonly (readonly AddressRange[])[]): Addresses {
    const { places } = this.#clues
    if (places === null) return []
    return this.#snapshot.shards.map(({ index }, at) => addressesOfBuilding(index, places[at]!, ranges[at]!))
  }

  addContacts(): void {
    for (const { qualities } of [...this.#clues.phones, ...this.#clues.emails])
      for (const [at, shard] of this.#snapshot.shards.entries())
        for (const person of peopleIn(shard, qualities.keys())) this.#found.add(at, person)
  }

  /** Compares the residents of the row's unit in the building. */
  addHomes(building: Addresses): void {
    const { shards } = this.#snapshot
    const { places } = this.#clues
    if (places === null) return
    this.addResidents(
      building.map((addresses, at) =>
        addresses.filter((address) => isRowsUnit(shards[at]!.index, places[at]!, address)),
      ),
    )
  }

  addMistypedHomes(ranges: readonly (readonly AddressRange[])[]): void {
    const { places: asked } = this.#clues
    const { places } = this.#found
    if (asked === null || places === null) return
    this.addResidents(
      this.#snapshot.shards.map(({ index }, at) => {
        const homes: number[] = []
        forMistypedHomes(index, asked[at]!, places[at]!, ranges[at]!, (address) => homes.push(address))
        return homes
      }),
    )
  }

  /** Compares the residents of other addresses where people of the row's home and surname live or lived. */
  addWhereFamilyLived(): void {
    const ranks = this.#found.homesOfFamily()
    this.addResidents(
      this.#snapshot.shards.map(({ index }) =>
        Array.from(ranks, (rank) => addressOfRank(index, rank)).filter((address) => address >= 0),
      ),
    )
  }

  /** Compares everyone who lives or lived at the addresses: of each address, the MAX_COMPARED of lowest rank. */
  addResidents(addresses: Addresses): void {
    const lastRanks = this.#lastRanks(addresses)
    for (const [at, list] of addresses.entries()) {
      const { index } = this.#snapshot.shards[at]!
      const { address_person_start, address_people, person_rank } = index.columns
      const people: number[] = []
      for (const address of list) {
        const last = lastRanks.get(addressRank(index, address)) ?? Number.POSITIVE_INFINITY
        const end = address_person_start[address + 1]!
        for (let i = address_person_start[address]!; i < end; i++) {
          const person = withoutFlag(address_people[i]!)
          if (last < Number.POSITIVE_INFINITY && person_rank[person]! > last) break
          people.push(person)
        }
      }
      this.#addAll(at, people)
    }
  }

  /**
   * Returns, for addresses with more than MAX_COMPARED people in all shards, the rank of the last person who is
   * compared. The key is the position of the address among the addresses of all shards.
   */
  #lastRanks(addresses: Addresses): ReadonlyMap<number, number> {
    const { shards } = this.#snapshot
    const counts = new Map<number, number>()
    const lastRanks = new Map<number, number>()
    for (const [at, list] of addresses.entries()) {
      const { index } = shards[at]!
      const { address_person_start: start } = index.columns
      for (const address of list) {
        const count = start[address + 1]! - start[address]!
        if (shards.length === 1 && count <= MAX_COMPARED) continue
        const rank = addressRank(index, address)
        const sum = (counts.get(rank) ?? 0) + count
        counts.set(rank, sum)
        if (sum > MAX_COMPARED && !lastRanks.has(rank)) lastRanks.set(rank, this.#lastRankAt(rank))
      }
    }
    return lastRanks
  }

  #lastRankAt(addressPosition: number): number {
    const ranks = this.#snapshot.shards.flatMap(({ index }) => {
      const address = addressOfRank(index, addressPosition)
      if (address < 0) return []
      const { address_person_start, address_people, person_rank } = index.columns
      const people = address_people.subarray(address_person_start[address], address_person_start[address + 1])
      return Array.from(people, (link) => person_rank[withoutFlag(link)]!)
    })
    return Uint32Array.from(ranks).sort()[MAX_COMPARED - 1]!
  }

  addNamesakes({ first, last, otherLast }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given !== undefined && family !== undefined && given.text.length > 1)
      this.#addBoth(given.numbers, family.numbers)
    else if (family !== undefined) this.#addBearers(family, MAX_BY_SURNAME)
    // The first half of a double surname may be stored alone. O Brien may be stored as O'Brien.
    if (given !== undefined && last.length > 1) {
      this.#addBoth(given.numbers, last[0]!.numbers)
      this.#addBoth(given.numbers, this.#words.numbersOf(last.map(({ text }) => text).join('')))
    }
    if (given !== undefined && otherLast !== null) this.#addBoth(given.numbers, otherLast.numbers)
  }

  addNicknames({ first, last }: NameClue): void {
    const given = first[0]
    const family = last.at(-1)
    if (given === undefined || family === undefined || family.people === 0) return
    for (const nickname of given.nicknames) this.#addBoth(nickname, family.numbers)
  }

  /** Compares people who were born on the row's birth date and have a word of its name, or a nickname of it. */
  addBornOn({ first, last }: NameClue): void {
    const { birth } = this.#clues
    const given = first[0]
    const family = last.at(-1)
    if (birth % 100 === 0) return
    for (const [at, { index, workspace }] of this.#snapshot.shards.entries()) {
      const { name_tokens, person_name_start } = index.columns
      const born = peopleBornOn(index, birth)
      const wanted = new Set([given?.numbers[at], family?.numbers[at], ...(given?.nicknamesIn[at] ?? [])])
      workspace.ahead.names(born)
      for (const person of born) {
        const end = person_name_start[person + 1]!
        for (let i = person_name_start[person]!; i < end; i++) {
          if (!wanted.has(name_tokens[i]! & TOKEN.WORD)) continue
          this.#found.add(at, person)
          break
        }
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
    const rest = PARTICLE.exec(family.text)?.[1]
    if (rest !== undefined) this.#addBoth(given.numbers, this.#words.numbersOf(rest))
    if (family.people > 0) {
      const variants = this.#words.correctionsOf(given)
      for (const { numbers } of variants) this.#addBothNear(numbers, family.numbers)
      for (const { text } of variants.slice(0, MAX_NICKNAMED))
        for (const nickname of nicknamesOf(text))
          this.#addBothNear(this.#words.numbersOf(nickname), family.numbers)
    }
    if (given.people > 0)
      for (const { numbers } of this.#words.correctionsOf(family)) this.#addBothNear(given.numbers, numbers)
    this.#addBearers(family, MAX_OF_RARE_SURNAME)
  }

  #addBearers({ numbers, people }: NameWord, most: number): void {
    if (people === 0 || people > most) return
    this.#addPeople(
      this.#snapshot.shards.map(({ index }, at) =>
        numbers[at]! < 0 ? NOBODY : posting(index.store.words.getBinaryFast(numbers[at]!)),
      ),
    )
  }

  #peopleWithBoth(left: WordNumbers, right: WordNumbers): readonly Uint32Array[] {
    return this.#snapshot.shards.map(({ index }, at) =>
      left[at]! < 0 || right[at]! < 0 ? NOBODY : peopleWithBoth(index.columns, left[at]!, right[at]!),
    )
  }

  #addBoth(left: WordNumbers, right: WordNumbers): void {
    this.#addPeople(this.#peopleWithBoth(left, right))
  }

  #addBothNear(left: WordNumbers, right: WordNumbers): void {
    const people = this.#peopleWithBoth(left, right)
    const { places } = this.#found
    if (places === null || countOf(people) <= MAX_ANYWHERE) return this.#addPeople(people)
    for (const [at, list] of people.entries())
      for (const person of list) if (places[at]!.isNear(person)) this.#found.add(at, person)
  }

  /** Adds the people of each shard. When all shards have more than MAX_COMPARED, adds only those with the most complete records. */
  #addPeople(people: readonly Uint32Array[]): void {
    const isMany = countOf(people) > MAX_COMPARED
    const compared = isMany ? this.#mostComplete(people) : people
    for (const [at, list] of compared.entries()) this.#addAll(at, list)
  }

  /** Returns the MAX_COMPARED people of the lowest rank: those with the most complete records. */
  #mostComplete(people: readonly Uint32Array[]): Uint32Array[] {
    const ranksOf = (list: Uint32Array, at: number): Uint32Array => {
      const { person_rank } = this.#snapshot.shards[at]!.index.columns
      return list.map((person) => person_rank[person]!)
    }
    const ranks = new Uint32Array(countOf(people))
    let next = 0
    for (const [at, list] of people.entries()) {
      ranks.set(ranksOf(list, at), next)
      next += list.length
    }
    const last = ranks.sort()[MAX_COMPARED - 1]!
    return people.map((list, at) => {
      const { person_rank } = this.#snapshot.shards[at]!.index.columns
      return list.filter((person) => person_rank[person]! <= last)
    })
  }

  #addAll(shard: number, people: ArrayLike<number>): void {
    this.#snapshot.shards[shard]!.workspace.ahead.people(people)
    for (let i = 0; i < people.length; i++) this.#found.add(shard, people[i]!)
  }
}

function countOf(people: readonly Uint32Array[]): number {
  return people.reduce((sum, { length }) => sum + length, 0)
}
