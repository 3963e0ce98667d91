import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { HISTORIC, NO_ZIP, withoutFlag } from '../format/columns.ts'
import { editLimit } from '../format/deletions.ts'
import { homeRanges, NO_UNIT } from '../search/homes.ts'
import {
  type AddressRange,
  type AskedLocation,
  type AskedStreet,
  linkCount,
  placeRanges,
} from '../search/locations.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
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

/** Counts the people in ZIPs, cities and states. Each count is computed when it is first needed. */
export class PlaceCounts {
  readonly #index: Index
  readonly #counts = new Map<number, number>()
  readonly #around = new Map<number, ReadonlySet<number>>()
  #states: Uint32Array | null = null

  constructor(index: Index) {
    this.#index = index
  }

  ofZip(zip: number): number {
    return this.#count(zip, { state: 0, city: null, zip, street: null })
  }

  ofCity(city: number, state: number): number {
    return this.#count(cityNumber(city, state), { state, city, zip: null, street: null })
  }

  /**
   * Returns the places that share a ZIP with a city, since people write Jackson Heights, Queens or New York
   * for the same street.
   */
  placesAround(city: number, state: number): ReadonlySet<number> {
    const key = cityNumber(city, state)
    const known = this.#around.get(key)
    if (known !== undefined) return known
    const { columns, placesOfCity, placesOfZip } = this.#index
    const places = new Set<number>()
    for (const place of placesOfCity.get(city) ?? []) {
      if (state !== 0 && columns.place_state[place] !== state) continue
      const zip = columns.place_zip[place]!
      for (const other of zip === NO_ZIP ? [place] : (placesOfZip.get(zip) ?? [])) places.add(other)
    }
    this.#around.set(key, places)
    return places
  }

  /** Returns the addresses of those places. */
  rangesAround(city: number, state: number): readonly AddressRange[] {
    const { place_address_start: start } = this.#index.columns
    return Array.from(this.placesAround(city, state), (place) => [start[place]!, start[place + 1]!])
  }

  #count(key: number, asked: AskedLocation): number {
    let count = this.#counts.get(key)
    if (count === undefined) {
      count = Math.max(1, linkCount(this.#index, placeRanges(this.#index, asked)))
      this.#counts.set(key, count)
    }
    return count
  }

  ofState(state: number): number {
    if (this.#states === null) {
      this.#states = new Uint32Array(256)
      for (const one of this.#index.columns.person_state) this.#states[one]!++
    }
    return Math.max(1, this.#states[state]!)
  }
}

function cityNumber(city: number, state: number): number {
  return (city + 1) * 2 ** 24 + state
}

/** Compares the place of one row with the addresses of people. */
export class PlaceComparer {
  readonly #index: Index
  readonly #counts: PlaceCounts
  readonly #asked: AskedLocation
  /** By person number: 1 for people who do not count as residents of an address. */
  readonly #hidden: Uint8Array | null
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

  constructor(index: Index, counts: PlaceCounts, asked: AskedLocation, hidden: Uint8Array | null) {
    this.#index = index
    this.#counts = counts
    this.#asked = asked
    this.#hidden = hidden
    const [place] = asked.zip === null ? [] : (index.placesOfZip.get(asked.zip) ?? [])
    this.#state = asked.state || (place === undefined ? 0 : index.columns.place_state[place]!)
  }

  /** Returns whether a place is the row's city, or shares a ZIP with it. */
  #isAround(place: number): boolean {
    const { city } = this.#asked
    if (city === null || city < 0) return false
    return (this.#around ??= this.#counts.placesAround(city, this.#state)).has(place)
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
    const { personCount } = this.#index
    const { zip, city, street } = this.#asked
    const weight = (share: number, count: number): number =>
      Math.log((share * personCount) / Math.max(1, Math.min(count, personCount)))
    const isStreetAsked = street !== null
    switch (area) {
      case 'zip':
        return weight(isStreetAsked ? PLACE.zip : PLACE.askedZip, this.#counts.ofZip(zip!))
      case 'city':
        return weight(isStreetAsked || zip !== null ? PLACE.city : PLACE.askedCity, this.#counts.ofCity(city!, this.#state)) // prettier-ignore
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
    const { columns, personCount } = this.#index
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
      ? { nearness: 'home' as const, people: this.#peopleAt(address, address + 1) }
      : { nearness: 'building' as const, people: this.#peopleInBuilding(address) }
    const isUnitMissing = street.unit === null || unit === NO_UNIT
    const share = isSameStreet
      ? isUnit ? (isFormer ? PLACE.formerHome : PLACE.home) : isUnitMissing ? PLACE.formerHome : PLACE.building
      : PLACE.mistypedStreet // prettier-ignore
    const weight = Math.log((share * personCount) / (people + 1))
    return { nearness, isFormer, isMistyped: !isSameStreet, weight }
  }

  /** Returns how many people live or lived at the addresses from `low` up to `high` (exclusive). */
  #peopleAt(low: number, high: number): number {
    const { address_person_start, address_people } = this.#index.columns
    const [start, end] = [address_person_start[low]!, address_person_start[high]!]
    let count = end - start
    if (this.#hidden === null) return count
    for (let at = start; at < end; at++) count -= this.#hidden[withoutFlag(address_people[at]!)]!
    return count
  }

  #peopleInBuilding(address: number): number {
    const { address_building } = this.#index.columns
    const building = address_building[address]!
    if (building === this.#building) return this.#buildingPeople
    let low = address
    let high = address + 1
    while (low > 0 && address - low < MAX_NEIGHBOURS && address_building[low - 1] === building) low--
    while (high - address < MAX_NEIGHBOURS && address_building[high] === building) high++
    const people = this.#peopleAt(low, high)
    // A count of the whole building is the same for all of its units, so it is kept. A count that stopped at
    // MAX_NEIGHBOURS is not.
    if (address - low < MAX_NEIGHBOURS && high - address < MAX_NEIGHBOURS) {
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
 * Returns the addresses among which the row's home should be: those of its ZIP. For a row without a ZIP,
 * returns those of its city and of the places that share a ZIP with the city.
 */
export function likelyRanges(
  index: Index,
  counts: PlaceCounts,
  asked: AskedLocation,
): readonly AddressRange[] {
  return asked.zip === null ? rangesAroundCity(counts, asked) : homeRanges(index, asked)
}

/** Returns the addresses of the row's city and of the places that share a ZIP with it. */
export function rangesAroundCity(
  counts: PlaceCounts,
  { city, state }: AskedLocation,
): readonly AddressRange[] {
  return city === null || city < 0 ? [] : counts.rangesAround(city, state)
}

/**
 * Calls `add` with addresses in the ranges that have the row's house number, on streets whose name is the
 * row's street name with a typo.
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
