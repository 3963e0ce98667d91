import { addRow } from './columns.ts'
import type { Style } from './counties.ts'
import { Random, stream } from './random.ts'
import type { World } from './types.ts'
import { wordList, wordValues } from './words.ts'

// Trees, stones and birds, as every town has them; no street of the world is meant to be a particular one.
const NAMES = wordList('street')
/** Abbreviation and full word, by the number that `world.streets` has. The last one is a numbered route without a suffix. */
const SUFFIXES = [...wordValues('street_suffix'), ['', '']] as [string, string][]
const ROUTE = SUFFIXES.length - 1
const DIRECTIONS = [['', ''], ...wordValues('direction')] as [string, string][]

const STREETS = stream('streets')

/** Adds the streets of every ZIP code, about one for thirty homes. Returns the first street of each place, and one past the last. */
export function buildStreets(world: World, homesOfCounty: readonly number[]): Int32Array {
  const random = new Random(world.seed)
  const first = new Int32Array(world.places.length + 1)
  world.places.forEach((place, row) => {
    const county = world.counties[place.county]!
    random.at(STREETS, row)
    const homes = homesOfCounty[place.county]! / county.places.length
    const count = Math.min(240, Math.max(3, Math.round(homes / 30)))
    first[row] = world.streets.name.length
    for (let i = 0; i < count; i += 1) addStreet(world, row, county.style, random)
  })
  first[world.places.length] = world.streets.name.length
  return first
}

function addStreet(world: World, place: number, style: Style, random: Random): void {
  const row = { place, name: 0, suffix: 0, direction: 0, next: 0 }
  if (style === 'manhattan' && random.chance(0.6)) {
    row.name = -random.between(1, 160)
    row.direction = random.chance(0.5) ? 3 : 4
  } else if (style === 'manhattan' && random.chance(0.4)) {
    row.name = -random.between(1, 12)
    row.suffix = 1
  } else if (style === 'queens' && random.chance(0.7)) {
    row.name = -random.between(20, 260)
    row.suffix = random.pick([0, 0, 1, 1, 2, 6, 8])
  } else if (style === 'outer_borough' && random.chance(0.35)) {
    row.name = -random.between(1, 240)
    row.direction = random.pick([0, 0, 3, 3, 4])
    row.suffix = random.pick([0, 0, 0, 1])
  } else if (style === 'south_florida' && random.chance(0.65)) {
    row.name = -random.between(1, 210)
    row.direction = random.pick([5, 6, 7, 8])
    row.suffix = random.pick([0, 1, 5, 6, 8])
  } else if (style === 'texas' && random.chance(0.04)) {
    // Farm-to-market roads and highways have a number and no suffix.
    row.name = -random.pick([1960, 2222, 620, 1626, 6, 290, 71, 969, 529, 2100])
    row.suffix = ROUTE
  } else {
    row.name = random.int(NAMES.length)
    row.direction = random.chance(style === 'florida' || style === 'texas' ? 0.12 : 0.05)
      ? random.between(1, 4)
      : 0
    row.suffix = random.pick(
      style === 'texas' ? [0, 2, 3, 3, 3, 4, 4, 5, 8, 10, 11, 13] : [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
  }
  row.next =
    style === 'queens'
      ? random.between(10, 220) * 100 + random.between(1, 9)
      : random.between(1, 90) * random.pick([1, 10, 100])
  addRow(world.streets, row)
}

/** Returns the next house number of a street. */
export function nextNumber(world: World, street: number, random: Random): number {
  const { next } = world.streets
  const number = next.get(street)
  let following = number + random.pick([1, 2, 2, 3, 4, 4, 6, 10])
  const isQueens = world.counties[world.places[world.streets.place.get(street)]!.county]!.style === 'queens'
  // A Queens number has the cross street and the house in its block: 37-02 … 37-58, then 38-01.
  if (isQueens && following % 100 > 58) following = (Math.floor(number / 100) + 1) * 100 + 1
  next.set(street, following)
  return number
}

/** The way in which a source writes a street line. */
export interface LineStyle {
  readonly words: 'short' | 'full'
  /** True: `42ND`, false: `42`. */
  readonly ordinals: boolean
  /** The word before the unit: `APT`, `UNIT`, `#`, `STE` …; empty where the unit is a separate field. */
  readonly unit: string
}

export function streetName(
  world: World,
  street: number,
  style: Pick<LineStyle, 'words' | 'ordinals'>,
): string {
  const { name, suffix, direction } = world.streets
  const word = style.words === 'short' ? 0 : 1
  const named = name.get(street)
  const parts: string[] = []
  const before = DIRECTIONS[direction.get(street)]![word]
  if (before !== '') parts.push(before)
  const after = suffix.get(street)
  if (named >= 0) parts.push(NAMES[named]!)
  else if (after === ROUTE) parts.push(`${-named > 500 ? 'FM' : 'HIGHWAY'} ${-named}`)
  else parts.push(style.ordinals ? ordinal(-named) : String(-named))
  if (after !== ROUTE) parts.push(SUFFIXES[after]![word])
  return parts.join(' ')
}

/** Returns direction, name and suffix of a street, abbreviated, for sources that have a field for each. */
export function streetParts(
  world: World,
  street: number,
): { direction: string; name: string; suffix: string } {
  const named = world.streets.name.get(street)
  const suffix = world.streets.suffix.get(street)
  const number = suffix === ROUTE ? `${-named > 500 ? 'FM' : 'HIGHWAY'} ${-named}` : ordinal(-named)
  return {
    direction: DIRECTIONS[world.streets.direction.get(street)]![0],
    name: named >= 0 ? NAMES[named]! : number,
    suffix: SUFFIXES[suffix]![0],
  }
}

export function ordinal(number: number): string {
  const tens = number % 100
  if (tens >= 11 && tens <= 13) return `${number}TH`
  return `${number}${['TH', 'ST', 'ND', 'RD'][number % 10] ?? 'TH'}`
}
