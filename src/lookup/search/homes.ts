import { lowerBound } from '../format/columns.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import { type AddressRange, type AskedLocation, placeRanges } from './locations.ts'

// The unit number of an address without a unit.
export const NO_UNIT = 0

/**
 * Returns the addresses of the requested ZIP, ignoring the requested city; without a ZIP, the addresses of
 * the city.
 */
export function homeRanges(index: Index, asked: AskedLocation): readonly AddressRange[] {
  if (asked.zip === null && asked.city === null) return []
  return placeRanges(index, asked.zip === null ? asked : { ...asked, city: null })
}

/**
 * Returns each address in the ranges that has the requested street and house number: all units of the
 * building. Returns none when the location has no house number.
 */
export function addressesOfBuilding(
  { columns }: Index,
  { street }: AskedLocation,
  ranges: readonly AddressRange[],
): readonly number[] {
  if (street === null || street.house === null || street.house < 0 || ranges.length === 0) return NO_ADDRESSES
  const { address_house, address_shape, street_address_start, street_addresses } = columns
  const { house, shapes } = street
  const found: number[] = []
  for (let name = street.low; name < street.high; name++) {
    const end = street_address_start[name + 1]!
    for (const [low, high] of ranges) {
      let i = lowerBound(street_addresses, street_address_start[name]!, end, low)
      for (; i < end; i++) {
        const address = street_addresses[i]!
        if (address >= high) break
        if (address_house[address] === house && shapes[address_shape[address]!] === 1) found.push(address)
      }
    }
  }
  return found
}

const NO_ADDRESSES: readonly number[] = []

/** Returns whether an address of the building has the requested unit, or no unit when none is requested. */
export function isRowsUnit({ columns }: Index, { street }: AskedLocation, address: number): boolean {
  return columns.address_unit[address] === (street?.unit ?? NO_UNIT)
}
