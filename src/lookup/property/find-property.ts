import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { editLimit } from '../format/deletions.ts'
import { NO_UNIT } from '../search/homes.ts'
import {
  forAddressesOnStreet,
  type AskedLocation,
  askedLocations,
  type AskedStreet,
  placeRanges,
} from '../search/locations.ts'
import type { PropertyQuery } from '../search/queries.ts'
import { idOfProperty, type MatchQuality } from '../format/property-document.ts'
import { numberOfId } from '../format/store.ts'
import type { Shard, Snapshot } from '../snapshot/snapshot.ts'
import { addressRank, type Index } from '../snapshot/snapshot-index.ts'
import type { Workspace } from '../snapshot/workspace.ts'

export interface PropertyMatch extends MatchQuality {
  /** The shard of the property, and its number in that shard. */
  readonly shard: Shard
  readonly property: number
}

/**
 * Returns the property at an address. The confidence score is 100 for the address itself and 90 for another
 * unit of its building. It is 50 for the closest other address, and 25 when the street cannot have the house
 * number. It is null when the query lacks the street, or both city and ZIP. With `strict_match` only scores
 * from 90 on are returned.
 */
export function findProperty({ shards }: Snapshot, query: PropertyQuery): PropertyMatch | null {
  const asked = askedLocations(shards, query)
  if (asked === null) return null
  const [{ street, city, zip }] = asked as [AskedLocation]
  if (street === null) return query.strict_match ? null : anyProperty(shards, asked)
  const found = onStreet(shards, asked) ?? (query.strict_match ? null : elsewhere(shards, asked))
  if (found === null || (query.strict_match && found.confidence_score < GRADES.building)) return null
  if (city === null && zip === null) return { ...found, confidence_score: null, match_type: null }
  return found
}

/**
 * Returns the number of the property, in its shard, at an address that several shards may have. When the
 * address has several properties, returns the one with the smallest id. Returns null when it has none.
 */
export function propertyAt(shards: readonly Shard[], addressId: string): Located | null {
  let best: Located | null = null
  for (const shard of shards) {
    const address = numberOfId(shard.index.store, addressId)
    const property = address === null ? 0 : shard.index.columns.address_property[address]!
    if (property === 0) continue
    const one = { shard, property: property - 1 }
    if (best === null || propertyId(one) < propertyId(best)) best = one
  }
  return best
}

/** A property: its shard, and its number in that shard. */
export interface Located {
  readonly shard: Shard
  readonly property: number
}

function propertyId({ shard, property }: Located): string {
  return idOfProperty(shard.index.files.properties.read(property))
}

const GRADES = { itself: 100, building: 90, closest: 50, undeliverable: 25 } as const

interface Graded extends PropertyMatch {
  readonly confidence_score: number
}

/** A property that was found at an address. The values decide between properties of several shards. */
interface Hit extends Located {
  /** The lower, the better. */
  readonly rank: number
  /** The position of the street name among those of the query. */
  readonly street: string
  readonly addressRank: number
}

/** Returns the better of two hits; of equal ones, that of the first street, address and property id. */
function betterHit(left: Hit | null, right: Hit | null): Hit | null {
  if (left === null || right === null) return left ?? right
  const order =
    left.rank - right.rank ||
    compareBytes(left.street, right.street) ||
    left.addressRank - right.addressRank ||
    (propertyId(left) < propertyId(right) ? -1 : 1)
  return order < 0 ? left : right
}

// Dictionaries have their texts in this order.
function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function anyProperty(shards: readonly Shard[], asked: readonly AskedLocation[]): PropertyMatch | null {
  let best: Hit | null = null
  for (const [at, shard] of shards.entries()) best = betterHit(best, anyIn(shard, asked[at]!))
  return best === null ? null : { ...best, confidence_score: null, match_type: null }
}

function anyIn(shard: Shard, asked: AskedLocation): Hit | null {
  const { index } = shard
  for (const [low, high] of placeRanges(index, asked)) {
    for (let address = low; address < high; address++) {
      const property = index.columns.address_property[address]!
      if (property > 0)
        return {
          shard,
          property: property - 1,
          rank: 0,
          street: '',
          addressRank: addressRank(index, address),
        }
    }
  }
  return null
}

/** The result of one shard for a street: the best property, and the range of the street's house numbers. */
interface OnStreet {
  readonly hit: Hit | null
  readonly lowest: number
  readonly highest: number
}

/** Returns the best property on the requested street in the requested place; null when there is none. */
function onStreet(shards: readonly Shard[], asked: readonly AskedLocation[]): Graded | null {
  const { houseText } = asked[0]!.street!
  const wantedNumber = houseText === undefined ? Number.NaN : houseNumber(houseText)
  let hit: Hit | null = null
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  for (const [at, shard] of shards.entries()) {
    const found = onStreetIn(shard, asked[at]!, wantedNumber)
    hit = betterHit(hit, found.hit)
    lowest = Math.min(lowest, found.lowest)
    highest = Math.max(highest, found.highest)
  }
  if (hit === null) return null
  const isOutside = lowest <= highest && (wantedNumber < lowest || wantedNumber > highest)
  const closest = isOutside ? GRADES.undeliverable : GRADES.closest
  const grade = hit.rank === RANKS.itself ? GRADES.itself : hit.rank <= RANKS.unit ? GRADES.building : closest
  return {
    shard: hit.shard,
    property: hit.property,
    confidence_score: grade,
    match_type: grade === GRADES.itself ? 'exact' : 'best match',
  }
}

function onStreetIn(shard: Shard, asked: AskedLocation, wantedNumber: number): OnStreet {
  const { index, workspace } = shard
  const { columns } = index
  const street = asked.street!
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  let best = -1
  let bestRank = Number.POSITIVE_INFINITY
  forAddressesOnStreet(index, asked, street, (address) => {
    const isShape = street.shapes[columns.address_shape[address]!] === 1
    const number = numberOf(index, workspace, columns.address_house[address]!)
    if (isShape && number < lowest) lowest = number
    if (isShape && number > highest) highest = number
    if (columns.address_property[address] === 0) return true
    const rank = rankOf(index, street, address, isShape, Math.abs(number - wantedNumber))
    if (rank < bestRank) {
      best = address
      bestRank = rank
    }
    return true
  })
  if (best < 0) return { hit: null, lowest, highest }
  const hit = {
    shard,
    property: columns.address_property[best]! - 1,
    rank: bestRank,
    street: index.streets.text(columns.address_street[best]!),
    addressRank: addressRank(index, best),
  }
  return { hit, lowest, highest }
}

// The order of preference: the building as a whole comes before its other units, and these before other house
// numbers.
const RANKS = { itself: 0, building: 1, unit: 2, elsewhere: 10 } as const

/**
 * Returns the rank of an address. `distance` is the difference of the house numbers, and NaN when one has no
 * number.
 */
function rankOf(
  { columns }: Index,
  street: AskedStreet,
  address: number,
  isShape: boolean,
  distance: number,
): number {
  if (isShape && street.house !== null && columns.address_house[address] === street.house) {
    const unit = columns.address_unit[address]!
    const isWing = street.wing === null || columns.address_wing[address] === street.wing
    if (isWing && unit === (street.unit ?? NO_UNIT)) return RANKS.itself
    return unit === NO_UNIT ? RANKS.building : RANKS.unit
  }
  return RANKS.elsewhere + (Number.isNaN(distance) ? 1e6 : distance) * 2 + (isShape ? 0 : 1)
}

/**
 * Returns the best property on a street with a similar name, or in the same city or ZIP. The result is never
 * an exact match.
 */
function elsewhere(shards: readonly Shard[], asked: readonly AskedLocation[]): Graded | null {
  for (const name of mistypedStreets(shards, asked)) {
    const found = onStreet(shards, asked.map((one, at) => onNamedStreet(shards[at]!, one, name))) // prettier-ignore
    if (found !== null) return lowered(found)
  }
  const [{ zip, city }] = asked as [AskedLocation]
  if (zip === null || city === null) return null
  for (const wider of [{ zip: null }, { city: null }]) {
    const found = onStreet(shards, asked.map((one) => ({ ...one, ...wider }))) // prettier-ignore
    if (found !== null) return lowered(found)
  }
  return null
}

function onNamedStreet({ index }: Shard, asked: AskedLocation, name: string): AskedLocation {
  const number = index.streets.find(name)
  const range = number < 0 ? { low: 0, high: 0 } : { low: number, high: number + 1 }
  return { ...asked, street: { ...asked.street!, ...range } }
}

function lowered(found: Graded): Graded {
  return {
    ...found,
    confidence_score: Math.min(found.confidence_score, GRADES.closest),
    match_type: 'best match',
  }
}

/**
 * Returns the names of streets in the requested place that are one or two edits away from the requested name,
 * nearest first.
 */
function mistypedStreets(shards: readonly Shard[], asked: readonly AskedLocation[]): string[] {
  const [{ street, city, zip }] = asked as [AskedLocation]
  const wanted = street?.nameKey ?? ''
  if (wanted === '' || (city === null && zip === null)) return []
  const limit = editLimit(wanted)
  const similar = new Map<string, number>()
  for (const [at, { index }] of shards.entries()) {
    const names = new Set<number>()
    for (const [low, high] of placeRanges(index, asked[at]!)) {
      for (let address = low; address < high; address++) names.add(index.columns.address_street[address]!)
    }
    for (const name of names) {
      const text = index.streets.text(name)
      const edits = damerauLevenshtein(wanted, text, limit)
      if (edits > 0 && edits <= limit) similar.set(text, edits)
    }
  }
  return [...similar]
    .sort(([left, leftEdits], [right, rightEdits]) => leftEdits - rightEdits || compareBytes(left, right))
    .map(([name]) => name)
}

/** Returns the numeric value of a house number in the dictionary, and keeps it for the next search. */
function numberOf({ houses }: Index, { houseNumbers }: Workspace, house: number): number {
  let number = houseNumbers[house]!
  if (number < 0) houseNumbers[house] = number = houseNumber(houses.text(house))
  return number
}

/** '45-12' gives 4512 and '123 1/2' gives 123. A text that does not begin with a digit gives NaN. */
function houseNumber(text: string): number {
  const digits = /^[\d-]+/.exec(text)?.[0].replaceAll('-', '') ?? ''
  return digits === '' ? Number.NaN : Number(digits)
}
