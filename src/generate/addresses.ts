import { type LineStyle, streetName } from './streets.ts'
import type { Place, World } from './types.ts'

/** A unit code below this number is the unit's number. A code above it holds a floor and a letter (`4B`). */
const LETTERED = 1_000_000

export function letteredUnit(floor: number, letter: number): number {
  return LETTERED + floor * 32 + letter
}

/** Returns the unit of an address: `305`, `4B`; empty for a house. */
export function unitText(world: World, address: number): string {
  const unit = world.addresses.unit.get(address)
  if (unit <= 0) return ''
  if (unit < LETTERED) return String(unit)
  return `${Math.floor((unit - LETTERED) / 32)}${String.fromCharCode(65 + ((unit - LETTERED) % 32))}`
}

const FRACTIONS = ['', ' 1/2', 'A', '-B'] as const

/** Returns a house number: `123`, `123 1/2`, `123A`, in Queens `37-21`. It is empty where the parcel has no number yet. */
export function houseNumber(world: World, address: number): string {
  const number = world.addresses.number.get(address)
  if (number <= 0) return ''
  const text = isQueens(world, address)
    ? `${Math.floor(number / 100)}-${String(number % 100).padStart(2, '0')}`
    : String(number)
  return text + FRACTIONS[world.addresses.fraction.get(address)]!
}

function isQueens(world: World, address: number): boolean {
  return world.counties[placeOf(world, address).county]!.style === 'queens'
}

export function placeOf(world: World, address: number): Place {
  return world.places[world.streets.place.get(world.addresses.street.get(address))]!
}

export function stateOf(world: World, address: number): string {
  return world.counties[placeOf(world, address).county]!.state
}

/** Returns the whole street line in upper case: `8421 NW 42ND AVE APT 305`. */
export function addressLine(world: World, address: number, style: LineStyle): string {
  const number = houseNumber(world, address)
  const street = streetName(world, world.addresses.street.get(address), style)
  const line = number === '' ? street : `${number} ${street}`
  const unit = unitText(world, address)
  if (unit === '' || style.unit === '') return line
  return style.unit === '#' ? `${line} #${unit}` : `${line} ${style.unit} ${unit}`
}

export const SHORT: LineStyle = { words: 'short', ordinals: true, unit: 'APT' }
