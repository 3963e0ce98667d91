import { readAddress, type StreetLine } from '../../normalize/address.ts'
import { cityKey, houseKey, streetKey, unitKey, wingKey } from '../format/address-keys.ts'
import { HISTORIC, lowerBound, SEVERAL_STATES } from '../format/columns.ts'
import type { PersonSet } from '../snapshot/person-set.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Shard } from '../snapshot/snapshot.ts'
import type { Workspace } from '../snapshot/workspace.ts'
import { stateCode } from '../format/states.ts'

/** The location of a query, as numbers of one shard. −1 stands for a text that no address has. */
export interface AskedLocation {
  /** The state's number; 0 when the query has none. */
  readonly state: number
  readonly city: number | null
  /** The search key of the city (`cityKey`), which is the same for all shards. */
  readonly cityKey: string | null
  readonly zip: number | null
  readonly street: AskedStreet | null
}

/** The street line of a query, as numbers of one shard. */
export interface AskedStreet {
  /**
   * Street numbers from `low` up to `high` (exclusive). A query with a house number but no street name has
   * all streets.
   */
  readonly low: number
  readonly high: number
  readonly house: number | null
  readonly unit: number | null
  readonly wing: number | null
  /** The house number as normalised text, for a house that no address has. */
  readonly houseText: string | undefined
  readonly nameKey: string
  /** By number of directionals and suffix (`Shape`): 1 when they agree with those of the query. */
  readonly shapes: Uint8Array
}

/** Compares a location with the addresses of people. One address of the person must meet all of it. */
export interface LocationMatcher {
  /**
   * How many residents of addresses `addCandidates` reads. A person with two matching addresses counts twice.
   * Infinity when it cannot list candidates.
   */
  readonly size: number
  /** Adds all people who may match to `people`. */
  addCandidates(people: PersonSet): void
  /** Returns the quality of a person's best address, from 0 to 1; 0 when no address matches. */
  quality(person: number): number
}

const HISTORIC_QUALITY = 0.8

/** The location parameters of a query, as the caller's own text. */
export interface LocationQuery {
  readonly street?: string | undefined
  readonly city?: string | undefined
  readonly state_code?: string | undefined
  readonly zipcode?: string | undefined
}

/**
 * Returns the location of a query for each shard, or null when the query has none. If the street text contains
 * a city or a ZIP, these are separated.
 */
export function askedLocations(shards: readonly Shard[], query: LocationQuery): AskedLocation[] | null {
  const { street, city, state_code, zipcode } = query
  if (street === undefined && city === undefined && state_code === undefined && zipcode === undefined)
    return null
  if (street === undefined && city === undefined && zipcode === undefined) {
    const state = stateCode(state_code ?? null)
    return shards.map(() => ({ state, city: null, cityKey: null, zip: null, street: null }))
  }
  const read = readAddress({
    line_1: street ?? null,
    city: city ?? null,
    state: state_code ?? null,
    zip: zipcode ?? null,
  })
  const zip = zipcode ?? read.zip
  // A ZIP implies a state. The query did not ask for that state, so it is not a condition.
  const state = state_code ?? (zip === null ? read.state : null)
  const key = read.city === null ? null : cityKey(read.city)
  const streets = street === undefined ? null : askedStreets(shards, read.line)
  return shards.map(({ index }, at) => ({
    state: stateCode(state),
    city: key === null ? null : index.cities.find(key),
    cityKey: key,
    zip: zip === null ? null : Number(zip),
    street: streets === null ? null : streets[at]!,
  }))
}

function askedStreets(shards: readonly Shard[], read: StreetLine): AskedStreet[] {
  const { building, unit_type, unit_number } = read
  // The index stores a PO box as a house on the street 'PO BOX'.
  const isBox = read.street_name === null && read.po_box !== null
  const street_name = isBox ? 'PO BOX' : read.street_name
  const house_number = isBox ? read.po_box : read.house_number
  const nameKey = streetKey(street_name ?? '')
  const house = house_number === null ? null : houseKey(house_number)
  const unit = unit_type === null && unit_number === null ? null : unitKey(unit_type ?? '', unit_number ?? '')
  const wing = building === null ? null : wingKey(building)
  const ranges =
    street_name !== null
      ? streetRanges(shards, nameKey)
      : shards.map(({ index }) => ({ low: 0, high: house === null ? 0 : index.streets.size }))
  return shards.map(({ index, workspace }, at) => ({
    ...ranges[at]!,
    house: house === null ? null : index.houses.find(house),
    houseText: house_number ?? undefined,
    nameKey,
    unit: unit === null ? null : index.units.find(unit),
    wing: wing === null ? null : index.wings.find(wing),
    shapes: shapeMask(index, workspace, read),
  }))
}

function shapeMask({ shapes }: Index, { shapeMasks }: Workspace, read: StreetLine): Uint8Array {
  const { pre_directional: pre, street_suffix: suffix, post_directional: post } = read
  const key = `${pre ?? ''}|${suffix ?? ''}|${post ?? ''}`
  let mask = shapeMasks.get(key)
  if (mask === undefined) {
    mask = Uint8Array.from(shapes, (shape) =>
      (pre === null || shape.pre === pre) &&
      (suffix === null || shape.suffix === suffix) &&
      (post === null || shape.post === post)
        ? 1
        : 0,
    )
    if (shapeMasks.size < MAX_MASKS) shapeMasks.set(key, mask)
  }
  return mask
}

// The cache is limited because a query may contain any word as a suffix.
const MAX_MASKS = 2_000

function streetRanges(shards: readonly Shard[], key: string): { low: number; high: number }[] {
  const numbers = shards.map(({ index }) => index.streets.find(key))
  // A text that is no whole street name may be the beginning of one: 'Martin Luther' of 'Martin Luther King'.
  if (numbers.every((number) => number < 0)) return shards.map(({ index }) => index.streets.prefix(key))
  return numbers.map((number) => (number < 0 ? NO_STREET : { low: number, high: number + 1 }))
}

const NO_STREET = { low: 0, high: 0 }

/** Returns whether an address meets the whole location. */
export function addressFits(index: Index, asked: AskedLocation, address: number): boolean {
  const { columns } = index
  const place = columns.address_place[address]!
  if (!placeFits(index, asked, place)) return false
  const { street } = asked
  if (street === null) return true
  const name = columns.address_street[address]!
  return (
    name >= street.low &&
    name < street.high &&
    (street.house === null || columns.address_house[address] === street.house) &&
    (street.unit === null || columns.address_unit[address] === street.unit) &&
    (street.wing === null || columns.address_wing[address] === street.wing) &&
    street.shapes[columns.address_shape[address]!] === 1
  )
}

function placeFits({ columns }: Index, asked: AskedLocation, place: number): boolean {
  return (
    (asked.state === 0 || columns.place_state[place] === asked.state) &&
    (asked.zip === null || columns.place_zip[place] === asked.zip) &&
    (asked.city === null || columns.place_city[place] === asked.city)
  )
}

/** Matches addresses that meet the whole location. Former addresses count only when `historic` is true. */
export function plainLocation(index: Index, asked: AskedLocation, historic: boolean): LocationMatcher {
  const { columns } = index
  const isStateOnly = asked.city === null && asked.zip === null && asked.street === null
  const ranges = isStateOnly || asked.street !== null ? [] : placeRanges(index, asked)
  // A city consists of a few ranges of addresses. Comparing an address with them is faster than looking up
  // its place.
  const fits =
    ranges.length > 0 && ranges.length <= 8
      ? (address: number) => (isWithin(ranges, address) ? 1 : 0)
      : (address: number) => (addressFits(index, asked, address) ? 1 : 0)
  return {
    size: isStateOnly ? Number.POSITIVE_INFINITY : candidateCount(index, asked, ranges),
    addCandidates(people) {
      const { street } = asked
      if (street === null) return addPeopleOf(index, ranges, historic, people)
      forAddressesOnStreet(index, asked, street, (address) => {
        if (addressFits(index, asked, address)) addPeople(index, address, address + 1, historic, people)
        return true
      })
    },
    quality(person) {
      if (!historic && asked.state !== 0) {
        const state = columns.person_state[person]!
        if (state !== SEVERAL_STATES && (isStateOnly || state !== asked.state))
          return state === asked.state ? 1 : 0
      }
      return bestAddress(index, person, historic, fits)
    },
  }
}

/** Returns whether an address is in one of the ranges. */
function isWithin(ranges: readonly AddressRange[], address: number): boolean {
  for (const range of ranges) if (address >= range[0] && address < range[1]) return true
  return false
}

/**
 * Calls `visit` with every address in the requested place whose street has the requested name, ascending
 * within each name. Stops when `visit` returns false.
 */
export function forAddressesOnStreet(
  index: Index,
  asked: AskedLocation,
  street: AskedStreet,
  visit: (address: number) => boolean,
): void {
  const { street_address_start: starts, street_addresses: addresses } = index.columns
  const isAnywhere = asked.zip === null && asked.city === null && asked.state === 0
  const ranges = isAnywhere ? [[0, index.addressCount] as const] : placeRanges(index, asked)
  for (let name = street.low; name < street.high; name++) {
    const end = starts[name + 1]!
    for (const [low, high] of ranges) {
      for (let i = lowerBound(addresses, starts[name]!, end, low); i < end && addresses[i]! < high; i++)
        if (!visit(addresses[i]!)) return
    }
  }
}

/**
 * Returns the highest value of `fit` over a person's addresses. Former addresses count only when `historic`
 * is true, and count less.
 */
export function bestAddress(
  { columns }: Index,
  person: number,
  historic: boolean,
  fit: (address: number) => number,
): number {
  const { person_address_start, person_addresses } = columns
  const end = person_address_start[person + 1]!
  let best = 0
  for (let i = person_address_start[person]!; i < end; i++) {
    const link = person_addresses[i]!
    if (link >= HISTORIC) {
      // Current addresses come before former ones.
      if (!historic || best >= HISTORIC_QUALITY) break
      best = Math.max(best, HISTORIC_QUALITY * fit(link - HISTORIC))
    } else {
      best = Math.max(best, fit(link))
    }
  }
  return best
}

/** The address numbers from `low` up to `high` (exclusive). */
export type AddressRange = readonly [low: number, high: number]

/** Returns the addresses of all places that `fits` accepts. */
export function addressRanges(
  { columns, placeCount }: Index,
  fits: (place: number) => boolean,
): AddressRange[] {
  const ranges: AddressRange[] = []
  for (let place = 0; place < placeCount; place++) {
    if (fits(place))
      ranges.push([columns.place_address_start[place]!, columns.place_address_start[place + 1]!])
  }
  return ranges
}

/** Returns the addresses of the requested place. Finds it by ZIP or city if the location has one. */
export function placeRanges(index: Index, asked: AskedLocation): AddressRange[] {
  const { columns, placesOfZip, placesOfCity } = index
  if (asked.zip === null && asked.city === null)
    return addressRanges(index, (place) => placeFits(index, asked, place))
  const places = (asked.zip === null ? placesOfCity.get(asked.city!) : placesOfZip.get(asked.zip)) ?? []
  return places
    .filter((place) => placeFits(index, asked, place))
    .map((place) => [columns.place_address_start[place]!, columns.place_address_start[place + 1]!])
}

function candidateCount(index: Index, asked: AskedLocation, ranges: readonly AddressRange[]): number {
  const { street } = asked
  if (street === null) return linkCount(index, ranges)
  const { street_address_start } = index.columns
  const onStreet = street_address_start[street.high]! - street_address_start[street.low]!
  if (asked.zip === null && asked.city === null) return onStreet
  return Math.min(onStreet, linkCount(index, placeRanges(index, asked)))
}

/** Returns how many current and former residents the addresses have. */
export function linkCount({ columns }: Index, ranges: readonly AddressRange[]): number {
  let count = 0
  for (const [low, high] of ranges)
    count += columns.address_person_start[high]! - columns.address_person_start[low]!
  return count
}

/** Adds everyone who lives at one of the addresses to `people`; with `historic` also former residents. */
export function addPeopleOf(
  index: Index,
  ranges: readonly AddressRange[],
  historic: boolean,
  people: PersonSet,
): void {
  for (const [low, high] of ranges) addPeople(index, low, high, historic, people)
}

function addPeople(
  { columns }: Index,
  low: number,
  high: number,
  historic: boolean,
  people: PersonSet,
): void {
  const end = columns.address_person_start[high]!
  for (let i = columns.address_person_start[low]!; i < end; i++) {
    const link = columns.address_people[i]!
    if (link < HISTORIC) people.add(link)
    else if (historic) people.add(link - HISTORIC)
  }
}
