import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { HISTORIC, lowerBound, NO_ZIP, withoutFlag } from '../format/columns.ts'
import { editLimit } from '../format/deletions.ts'
import { homeRanges, NO_UNIT } from '../search/homes.ts'
import {
  type AddressRange,
  type AskedLocation,
  type AskedStreet,
  linkCount,
  placeRanges,
} from '../search/locations.ts'
import type { Shard, Snapshot } from '../snapshot/snapshot.ts'
import { addressRank, type Index } from '../snapshot/snapshot-index.ts'
import { PLACE } from './weights.ts'

/** How near the closest of a person's addresses is to the row's address. */
export type Nearness = 'home' | 'building' | 'street' | 'zip' | 'city' | 'state' | 'elsewhere' | 'unknown'

/**
 * The result of comparing a row's place with a person's addresses: that of the address with the highest
 * weight.
 */
export interface PlaceComparison {
  readonly nearness: Nearness
  readonly isFormer: boolean
  readonly isMistyped: boolean
  /** The match weight: the natural logarithm of a likelihood ratio. */
  readonly weight: number
}

const UNKNOWN: PlaceComparison = { nearness: 'unknown', isFormer: false, isMistyped: false, weight: 0 }

/** How near a person is who lives on another street. */
type Area = 'zip' | 'city' | 'state' | 'elsewhere'

/** The people who live or lived at some addresses. */
interface Residents {
  readonly people: number
  /** Whether the addresses are the whole building. */
  readonly isWhole: boolean
}

/**
 * Counts the people in ZIPs, cities, states and buildings, in all shards. Each count of a ZIP, city or state is
 * computed when it is first needed. A place is given as the row's location in each shard.
 */
export class PlaceCounts {
  readonly personCount: number
  readonly #shards: readonly Shard[]
  readonly #counts = new Map<number | string, number>()
  readonly #around = new Map<string, readonly ReadonlySet<number>[]>()
  readonly #nowhere: readonly ReadonlySet<number>[]
  #states: Uint32Array | null = null

  constructor({ shards, personCount }: Snapshot) {
    this.#shards = shards
    this.#nowhere = shards.map(() => new Set())
    this.personCount = personCount
  }

  ofZip(zip: number): number {
    return this.#count(zip, () => ({ state: 0, city: null, cityKey: null, zip, street: null }))
  }

  ofCity(asked: readonly AskedLocation[], state: number): number {
    return this.#count(cityName(asked, state), (at) => ({ ...asked[at]!, state, zip: null, street: null }))
  }

  /** Returns the state of the first place with the ZIP; 0 when there is none. */
  stateOfZip(zip: number): number {
    let first = Number.POSITIVE_INFINITY
    let state = 0
    for (const { index } of this.#shards) {
      const place = index.placesOfZip.get(zip)?.[0]
      if (place === undefined) continue
      const rank = addressRank(index, index.columns.place_address_start[place]!)
      if (rank >= first) continue
      first = rank
      state = index.columns.place_state[place]!
    }
    return state
  }

  /**
   * Returns the places, by shard, that share a ZIP with a city, since people write Jackson Heights, Queens or
   * New York for the same street.
   */
  placesAround(asked: readonly AskedLocation[], state: number): readonly ReadonlySet<number>[] {
    // Rows may name any number of unknown cities, which are not kept.
    if (asked.every(({ city }) => city! < 0)) return this.#nowhere
    const key = cityName(asked, state)
    let around = this.#around.get(key)
    if (around !== undefined) return around
    const ofCity = this.#shards.map(({ index: { placesOfCity, columns } }, at) =>
      (placesOfCity.get(asked[at]!.city!) ?? []).filter(
        (place) => state === 0 || columns.place_state[place] === state,
      ),
    )
    const zips = new Set<number>()
    for (const [at, places] of ofCity.entries())
      for (const place of places) zips.add(this.#shards[at]!.index.columns.place_zip[place]!)
    zips.delete(NO_ZIP)
    around = this.#shards.map(({ index }, at) => {
      const withoutZip = ofCity[at]!.filter((place) => index.columns.place_zip[place] === NO_ZIP)
      return new Set([...withoutZip, ...[...zips].flatMap((zip) => index.placesOfZip.get(zip) ?? [])])
    })
    this.#around.set(key, around)
    return around
  }

  /** Returns the addresses of those places in each shard. */
  rangesAround(asked: readonly AskedLocation[], state: number): readonly (readonly AddressRange[])[] {
    return this.placesAround(asked, state).map((places, at) => {
      const { place_address_start: start } = this.#shards[at]!.index.columns
      return Array.from(places, (place): AddressRange => [start[place]!, start[place + 1]!])
    })
  }

  #count(key: number | string, askedIn: (shard: number) => AskedLocation): number {
    let count = this.#counts.get(key)
    if (count === undefined) {
      count = 0
      for (const [at, { index }] of this.#shards.entries())
        count += linkCount(index, placeRanges(index, askedIn(at)))
      count = Math.max(1, count)
      this.#counts.set(key, count)
    }
    return count
  }

  ofState(state: number): number {
    if (this.#states === null) {
      this.#states = new Uint32Array(256)
      for (const { index } of this.#shards) for (const one of index.columns.person_state) this.#states[one]!++
    }
    return Math.max(1, this.#states[state]!)
  }

  /**
   * Returns how many people live or lived in the building, among the `reach` addresses before and after the one
   * with the position `rank`. With `reach` 0 only this address counts. Suppressed people count unless
   * `isHiding`.
   */
  residents(rank: number, building: number, reach: number, isHiding: boolean): Residents {
    let people = 0
    let isWhole = true
    for (const { index, hidden } of this.#shards) {
      const { address_rank, address_building } = index.columns
      const isOnly = address_rank.length === 0
      const rankOf = (address: number): number => (isOnly ? address : address_rank[address]!)
      const at = isOnly ? rank : lowerBound(address_rank, 0, address_rank.length, rank)
      const end = index.addressCount
      let low = at
      let high = at
      while (high < end && rankOf(high) < rank + Math.max(reach, 1) && address_building[high] === building)
        high++
      while (low > 0 && rankOf(low - 1) >= rank - reach && address_building[low - 1] === building) low--
      if (low === high) continue
      if (rankOf(low) <= rank - reach || rankOf(high - 1) >= rank + reach - 1) isWhole = false
      people += peopleAt(index, low, high, isHiding ? hidden : null)
    }
    return { people, isWhole }
  }
}

/** Returns how many people live or lived at the addresses from `low` up to `high` (exclusive). */
function peopleAt({ columns }: Index, low: number, high: number, hidden: Uint8Array | null): number {
  const { address_person_start, address_people } = columns
  const [start, end] = [address_person_start[low]!, address_person_start[high]!]
  let count = end - start
  if (hidden !== null) for (let at = start; at < end; at++) count -= hidden[withoutFlag(address_people[at]!)]!
  return count
}

function cityName([asked]: readonly AskedLocation[], state: number): string {
  return `${state} ${asked!.cityKey}`
}

/** Compares the place of one row with the addresses of people of one shard. */
export class PlaceComparer {
  readonly #index: Index
  readonly #shard: number
  readonly #counts: PlaceCounts
  /** The row's location in each shard. */
  readonly #everywhere: readonly AskedLocation[]
  readonly #asked: AskedLocation
  /** Whether suppressed people do not count as residents of an address. */
  readonly #isHiding: boolean
  readonly #state: number
  /** The places of the row's city; null until they are first needed. */
  #around: ReadonlySet<number> | null = null
  /** By street number, whether its name is the row's street name with a typo; null until first needed. */
  #streets: Map<number, boolean> | null = null
  /** The results for current and former residents of each area that was needed before. */
  readonly #current: Partial<Record<Area, PlaceComparison>> = {}
  readonly #former: Partial<Record<Area, PlaceComparison>> = {}
  /** The building of the last count and the number of its people; −1 when no building was counted completely. */
  #building = -1
  #buildingPeople = 0

  /** `shard` is the number of the shard, and `state` that of the row's state (`stateOfRow`). */
  constructor(
    index: Index,
    shard: number,
    counts: PlaceCounts,
    asked: readonly AskedLocation[],
    state: number,
    isHiding: boolean,
  ) {
    this.#index = index
    this.#shard = shard
    this.#counts = counts
    this.#everywhere = asked
    this.#asked = asked[shard]!
    this.#state = state
    this.#isHiding = isHiding
  }

  /** Returns whether a place is the row's city, or shares a ZIP with it. */
  #isAround(place: number): boolean {
    if (this.#asked.city === null) return false
    return (this.#around ??= this.#counts.placesAround(this.#everywhere, this.#state)[this.#shard]!).has(
      place,
    )
  }

  compare(person: number): PlaceComparison {
    const { person_address_start, person_addresses } = this.#index.columns
    const end = person_address_start[person + 1]!
    let best: PlaceComparison = UNKNOWN
    for (let i = person_address_start[person]!; i < end; i++) {
      const link = person_addresses[i]!
      const isFormer = link >= HISTORIC
      const one = this.#address(withoutFlag(link), isFormer)
      if (best === UNKNOWN || one.weight > best.weight) best = one
    }
    return best
  }

  /**
   * Returns whether a person has an address in the row's ZIP or city. If the row has neither, compares the
   * state.
   */
  isNear(person: number): boolean {
    const { person_address_start, person_addresses, address_place, place_zip, place_state } = this.#index.columns // prettier-ignore
    const { zip, city } = this.#asked
    const end = person_address_start[person + 1]!
    for (let i = person_address_start[person]!; i < end; i++) {
      const link = person_addresses[i]!
      const place = address_place[withoutFlag(link)]!
      if (zip === null && city === null ? this.#state !== 0 && place_state[place] === this.#state : place_zip[place] === zip || this.#isAround(place)) return true // prettier-ignore
    }
    return false
  }

  #address(address: number, isFormer: boolean): PlaceComparison {
    const { columns } = this.#index
    const { zip, street } = this.#asked
    const place = columns.address_place[address]!
    const isZip = zip !== null && columns.place_zip[place] === zip
    const isCity = !isZip && this.#isAround(place)
    if (street !== null && (isZip || isCity)) {
      const found = this.#onStreet(address, street, isFormer, isZip || zip === null)
      if (found !== null) return found
    }
    if (isZip) return this.#area('zip', isFormer)
    if (isCity) return this.#area('city', isFormer)
    const isState = this.#state > 0 && columns.place_state[place] === this.#state
    return this.#area(isState ? 'state' : 'elsewhere', isFormer)
  }

  #area(area: Area, isFormer: boolean): PlaceComparison {
    const areas = isFormer ? this.#former : this.#current
    return (areas[area] ??= { nearness: area, isFormer, isMistyped: false, weight: this.#weightOf(area) })
  }

  /** Returns the match weight of a person who lives or lived in the area. */
  #weightOf(area: Area): number {
    const { personCount } = this.#counts
    const { zip, city, street } = this.#asked
    const weight = (share: number, count: number): number =>
      Math.log((share * personCount) / Math.max(1, Math.min(count, personCount)))
    const isStreetAsked = street !== null
    switch (area) {
      case 'zip':
        return weight(isStreetAsked ? PLACE.zip : PLACE.askedZip, this.#counts.ofZip(zip!))
      case 'city':
        return weight(isStreetAsked || zip !== null ? PLACE.city : PLACE.askedCity, this.#counts.ofCity(this.#everywhere, this.#state)) // prettier-ignore
      case 'state': {
        const isStateAsked = !isStreetAsked && zip === null && city === null
        return weight(isStateAsked ? PLACE.askedState : PLACE.state, this.#counts.ofState(this.#state))
      }
      default:
        // The more people live in the row's state, the fewer live elsewhere by chance.
        return weight(
          PLACE.elsewhere,
          Math.max(personCount / 2, personCount - this.#counts.ofState(this.#state)),
        )
    }
  }

  /**
   * Compares an address in the row's ZIP or city with the row's street. Returns null when it is on another
   * street.
   */
  #onStreet(address: number, street: AskedStreet, isFormer: boolean, isZip: boolean): PlaceComparison | null {
    const { columns } = this.#index
    const { personCount } = this.#counts
    const name = columns.address_street[address]!
    const isSameStreet =
      name >= street.low && name < street.high && street.shapes[columns.address_shape[address]!] === 1
    const isHouse = street.house !== null && columns.address_house[address] === street.house
    if (!isHouse) {
      // A long street may leave the row's ZIP. Outside of it, the address counts only as in the same city.
      if (!isSameStreet || !isZip) return null
      const near = this.#asked.zip === null ? personCount : this.#counts.ofZip(this.#asked.zip)
      return { nearness: 'street', isFormer, isMistyped: false, weight: Math.log((PLACE.street * personCount * STREETS_OF_ZIP) / near) } // prettier-ignore
    }
    if (!isSameStreet && !this.isSimilarStreet(name, street)) return null
    const unit = columns.address_unit[address]!
    const isUnit = street.unit === null ? unit === NO_UNIT : unit === street.unit
    const { nearness, people } = isUnit
      ? { nearness: 'home' as const, people: this.#peopleAt(address) }
      : { nearness: 'building' as const, people: this.#peopleInBuilding(address) }
    const isUnitMissing = street.unit === null || unit === NO_UNIT
    const share = isSameStreet
      ? isUnit ? (isFormer ? PLACE.formerHome : PLACE.home) : isUnitMissing ? PLACE.formerHome : PLACE.building
      : PLACE.mistypedStreet // prettier-ignore
    const weight = Math.log((share * personCount) / (people + 1))
    return { nearness, isFormer, isMistyped: !isSameStreet, weight }
  }

  #peopleAt(address: number): number {
    const building = this.#index.columns.address_building[address]!
    return this.#counts.residents(addressRank(this.#index, address), building, 0, this.#isHiding).people
  }

  #peopleInBuilding(address: number): number {
    const building = this.#index.columns.address_building[address]!
    if (building === this.#building) return this.#buildingPeople
    const rank = addressRank(this.#index, address)
    const { people, isWhole } = this.#counts.residents(rank, building, MAX_NEIGHBOURS, this.#isHiding)
    // A count of the whole building is the same for all of its units, so it is kept. A count that stopped at
    // MAX_NEIGHBOURS is not.
    if (isWhole) {
      this.#building = building
      this.#buildingPeople = people
    }
    return people
  }

  /** Returns whether a street name is the row's street name with a typo. */
  isSimilarStreet(name: number, street: AskedStreet): boolean {
    const streets = (this.#streets ??= new Map())
    let isSimilar = streets.get(name)
    if (isSimilar === undefined) {
      const text = this.#index.streets.text(name)
      const limit = editLimit(street.nameKey)
      isSimilar = damerauLevenshtein(street.nameKey, text, limit) <= limit
      streets.set(name, isSimilar)
    }
    return isSimilar
  }
}

/** The approximate number of streets in a ZIP. */
const STREETS_OF_ZIP = 60
const MAX_NEIGHBOURS = 300

/**
 * Returns the addresses in each shard among which the row's home should be: those of its ZIP. For a row without
 * a ZIP, returns those of its city and of the places that share a ZIP with the city.
 */
export function likelyRanges(
  shards: readonly Shard[],
  counts: PlaceCounts,
  asked: readonly AskedLocation[],
): readonly (readonly AddressRange[])[] {
  if (asked[0]!.zip === null) return rangesAroundCity(counts, asked)
  return shards.map(({ index }, at) => homeRanges(index, asked[at]!))
}

/** Returns the addresses in each shard of the row's city and of the places that share a ZIP with it. */
export function rangesAroundCity(
  counts: PlaceCounts,
  asked: readonly AskedLocation[],
): readonly (readonly AddressRange[])[] {
  const [{ city, state }] = asked as [AskedLocation]
  return city === null ? asked.map(() => []) : counts.rangesAround(asked, state)
}

/** Returns the number of the state in which an input row says a person lives: its own state, else that of its ZIP, else 0. */
export function stateOfRow(counts: PlaceCounts, asked: readonly AskedLocation[]): number {
  const [{ state, zip }] = asked as [AskedLocation]
  return state > 0 || zip === null ? state : counts.stateOfZip(zip)
}

/**
 * Calls `add` with each address in `ranges` that has the house number of `asked`, and whose street name differs from that of
 * `asked` by a typo.
 */
export function forMistypedHomes(
  { columns }: Index,
  asked: AskedLocation,
  comparer: PlaceComparer,
  ranges: readonly AddressRange[],
  add: (address: number) => void,
): void {
  const { street } = asked
  if (street === null || street.house === null || street.house < 0 || street.nameKey === '') return
  const { address_house, address_street } = columns
  const { house } = street
  for (const [low, high] of ranges) {
    for (let address = low; address < high; address++) {
      if (address_house[address] !== house) continue
      const name = address_street[address]!
      if ((name < street.low || name >= street.high) && comparer.isSimilarStreet(name, street)) add(address)
    }
  }
}
