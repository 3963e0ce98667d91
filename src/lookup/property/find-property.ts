import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { editLimit } from '../format/deletions.ts'
import { NO_UNIT } from '../search/homes.ts'
import {
  forAddressesOnStreet,
  askedLocation,
  type AskedLocation,
  type AskedStreet,
  placeRanges,
} from '../search/locations.ts'
import type { PropertyQuery } from '../search/queries.ts'
import type { MatchQuality } from '../format/property-document.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Workspace } from '../snapshot/workspace.ts'

export interface PropertyMatch extends MatchQuality {
  /** The number of the property in the snapshot. */
  readonly property: number
}

/**
 * Returns the property at an address. The confidence score is 100 for the address itself and 90 for another
 * unit of its building. It is 50 for the closest other address, and 25 when the street cannot have the house
 * number. It is null when the query lacks the street, or both city and ZIP. With `strict_match` only scores
 * from 90 on are returned.
 */
export function findProperty(index: Index, workspace: Workspace, query: PropertyQuery): PropertyMatch | null {
  const asked = askedLocation(index, workspace, query)
  if (asked === null) return null
  if (asked.street === null) return query.strict_match ? null : anyProperty(index, asked)
  const found = onStreet(index, workspace, asked, asked.street) ?? (query.strict_match ? null : elsewhere(index, workspace, asked, asked.street)) // prettier-ignore
  if (found === null || (query.strict_match && found.confidence_score < GRADES.building)) return null
  if (asked.city === null && asked.zip === null) {
    return { property: found.property, confidence_score: null, match_type: null }
  }
  return found
}

const GRADES = { itself: 100, building: 90, closest: 50, undeliverable: 25 } as const

interface Graded extends PropertyMatch {
  readonly confidence_score: number
}

function anyProperty(index: Index, asked: AskedLocation): PropertyMatch | null {
  for (const [low, high] of placeRanges(index, asked)) {
    for (let address = low; address < high; address++) {
      const property = index.columns.address_property[address]!
      if (property > 0) return { property: property - 1, confidence_score: null, match_type: null }
    }
  }
  return null
}

/** Returns the best property on the requested street in the requested place; null when there is none. */
function onStreet(
  index: Index,
  workspace: Workspace,
  asked: AskedLocation,
  street: AskedStreet,
): Graded | null {
  const { columns } = index
  const wantedNumber = street.houseText === undefined ? Number.NaN : houseNumber(street.houseText)
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  let best = 0
  let bestRank = Number.POSITIVE_INFINITY
  forAddressesOnStreet(index, asked, street, (address) => {
    const isShape = street.shapes[columns.address_shape[address]!] === 1
    const number = numberOf(index, workspace, columns.address_house[address]!)
    if (isShape && number < lowest) lowest = number
    if (isShape && number > highest) highest = number
    const property = columns.address_property[address]!
    if (property === 0) return true
    const rank = rankOf(index, street, address, isShape, Math.abs(number - wantedNumber))
    if (rank < bestRank) {
      best = property - 1
      bestRank = rank
    }
    return true
  })
  if (bestRank === Number.POSITIVE_INFINITY) return null
  const isOutside = lowest <= highest && (wantedNumber < lowest || wantedNumber > highest)
  const closest = isOutside ? GRADES.undeliverable : GRADES.closest
  const grade = bestRank === RANKS.itself ? GRADES.itself : bestRank <= RANKS.unit ? GRADES.building : closest
  return {
    property: best,
    confidence_score: grade,
    match_type: grade === GRADES.itself ? 'exact' : 'best match',
  }
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
function elsewhere(
  index: Index,
  workspace: Workspace,
  asked: AskedLocation,
  street: AskedStreet,
): Graded | null {
  for (const name of mistypedStreets(index, asked)) {
    const found = onStreet(index, workspace, asked, { ...street, low: name, high: name + 1 })
    if (found !== null) return lowered(found)
  }
  if (asked.zip === null || asked.city === null) return null
  for (const wider of [
    { ...asked, zip: null },
    { ...asked, city: null },
  ]) {
    const found = onStreet(index, workspace, wider, street)
    if (found !== null) return lowered(found)
  }
  return null
}

function lowered(found: Graded): Graded {
  return {
    ...found,
    confidence_score: Math.min(found.confidence_score, GRADES.closest),
    match_type: 'best match',
  }
}

/**
 * Returns the streets in the requested place whose name is one or two edits away from the requested name,
 * nearest first.
 */
function mistypedStreets(index: Index, asked: AskedLocation): number[] {
  const { columns, streets } = index
  const wanted = asked.street?.nameKey ?? ''
  if (wanted === '' || (asked.city === null && asked.zip === null)) return []
  const names = new Set<number>()
  for (const [low, high] of placeRanges(index, asked)) {
    for (let address = low; address < high; address++) names.add(columns.address_street[address]!)
  }
  const limit = editLimit(wanted)
  return [...names]
    .map((name) => ({ name, edits: damerauLevenshtein(wanted, streets.text(name), limit) }))
    .filter(({ edits }) => edits > 0 && edits <= limit)
    .sort((a, b) => a.edits - b.edits || a.name - b.name)
    .map(({ name }) => name)
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
