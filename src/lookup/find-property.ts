import { damerauLevenshtein } from '../normalize/similarity.ts'
import { editLimit } from './deletions.ts'
import {
  addressesOnStreet,
  askedLocation,
  type AskedLocation,
  type AskedStreet,
  placeRanges,
} from './locations.ts'
import type { PropertyQuery } from './lookup.ts'
import type { MatchQuality } from './property-document.ts'
import type { Snapshot } from './snapshot.ts'

export interface PropertyMatch extends MatchQuality {
  /** Property number. */
  readonly property: number
}

/**
 * The property that an address means. Grades: 100 the address itself, 90 another unit of its building, 50 the closest one at
 * another address, 25 the same when no such house number can be on the street; null where street, or city and ZIP, are
 * missing. With `strict_match` only the first two.
 */
export function findProperty(snapshot: Snapshot, query: PropertyQuery): PropertyMatch | null {
  const asked = askedLocation(snapshot, query)
  if (asked === null) return null
  if (asked.street === null) return query.strict_match ? null : anyProperty(snapshot, asked)
  const found = onStreet(snapshot, asked, asked.street) ?? (query.strict_match ? null : elsewhere(snapshot, asked, asked.street)) // prettier-ignore
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

function anyProperty(snapshot: Snapshot, asked: AskedLocation): PropertyMatch | null {
  for (const [low, high] of placeRanges(snapshot, asked)) {
    for (let address = low; address < high; address++) {
      const property = snapshot.columns.address_property[address]!
      if (property > 0) return { property: property - 1, confidence_score: null, match_type: null }
    }
  }
  return null
}

/** The best property on the asked street in the asked place; null when there is none. */
function onStreet(snapshot: Snapshot, asked: AskedLocation, street: AskedStreet): Graded | null {
  const { columns, houses } = snapshot
  const wantedHouse = street.houseText === undefined ? null : houseNumber(street.houseText)
  const range = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY }
  let best: { property: number; rank: number; grade: number } | null = null
  for (const address of addressesOnStreet(snapshot, asked, street)) {
    const house = columns.address_house[address]!
    const number = houseNumber(houses.text(house))
    const isShape = street.shapes[columns.address_shape[address]!] === 1
    if (isShape && number !== null) {
      range.low = Math.min(range.low, number)
      range.high = Math.max(range.high, number)
    }
    const property = columns.address_property[address]!
    if (property === 0) continue
    const { rank, grade } = rankOf(street, {
      house,
      isShape,
      unit: columns.address_unit[address]!,
      wing: columns.address_wing[address]!,
      number,
      wantedHouse,
    })
    if (best === null || rank < best.rank) best = { property: property - 1, rank, grade }
  }
  if (best === null) return null
  const isOutside =
    wantedHouse !== null && range.low <= range.high && (wantedHouse < range.low || wantedHouse > range.high)
  const grade = best.grade === GRADES.closest && isOutside ? GRADES.undeliverable : best.grade
  return {
    property: best.property,
    confidence_score: grade,
    match_type: grade === GRADES.itself ? 'exact' : 'best match',
  }
}

interface Candidate {
  readonly house: number
  readonly unit: number
  readonly wing: number
  readonly isShape: boolean
  readonly number: number | null
  readonly wantedHouse: number | null
}

// The unit of an address without one.
const NO_UNIT = 0

function rankOf(street: AskedStreet, address: Candidate): { rank: number; grade: number } {
  if (address.isShape && street.house !== null && address.house === street.house) {
    const isWing = street.wing === null || address.wing === street.wing
    if (isWing && address.unit === (street.unit ?? NO_UNIT)) return { rank: 0, grade: GRADES.itself }
    // The building as a whole before its other units.
    return { rank: address.unit === NO_UNIT ? 1 : 2, grade: GRADES.building }
  }
  const { number, wantedHouse } = address
  const distance = number === null || wantedHouse === null ? 1e6 : Math.abs(number - wantedHouse)
  return { rank: 10 + distance * 2 + (address.isShape ? 0 : 1), grade: GRADES.closest }
}

/** The best property where the street, or the place, is not written as asked: never the address itself. */
function elsewhere(snapshot: Snapshot, asked: AskedLocation, street: AskedStreet): Graded | null {
  for (const name of mistypedStreets(snapshot, asked)) {
    const found = onStreet(snapshot, asked, { ...street, low: name, high: name + 1 })
    if (found !== null) return lowered(found)
  }
  if (asked.zip === null || asked.city === null) return null
  for (const wider of [
    { ...asked, zip: null },
    { ...asked, city: null },
  ]) {
    const found = onStreet(snapshot, wider, street)
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

/** Names of streets in the asked place that are the asked one but for an edit or two, nearest first. */
function mistypedStreets(snapshot: Snapshot, asked: AskedLocation): number[] {
  const { columns, streets } = snapshot
  const wanted = asked.street?.nameKey ?? ''
  if (wanted === '' || (asked.city === null && asked.zip === null)) return []
  const names = new Set<number>()
  for (const [low, high] of placeRanges(snapshot, asked)) {
    for (let address = low; address < high; address++) names.add(columns.address_street[address]!)
  }
  const limit = editLimit(wanted)
  return [...names]
    .map((name) => ({ name, edits: damerauLevenshtein(wanted, streets.text(name), limit) }))
    .filter(({ edits }) => edits > 0 && edits <= limit)
    .sort((a, b) => a.edits - b.edits || a.name - b.name)
    .map(({ name }) => name)
}

/** '45-12' is 4512, '123 1/2' is 123; null for what begins with no number. */
function houseNumber(text: string): number | null {
  const digits = /^[\d-]+/.exec(text)?.[0].replaceAll('-', '') ?? ''
  return digits === '' ? null : Number(digits)
}
