import {
  buildingIdentity,
  nameIdentity,
  numberIdentity,
  unitNumberIdentity,
} from '../../normalize/address-key.ts'
import { cityKey as keyOfCity } from '../../normalize/places.ts'

// Search keys of the parts of an address. A key is one part of the identity that src/normalize gives a whole
// address. So a search matches exactly the addresses that normalisation treats as equal. An empty key stands
// for a missing part.

export function streetKey(street_name: string): string {
  return street_name === '' ? '' : nameIdentity(street_name)
}

export function houseKey(house_number: string): string {
  return house_number === '' ? '' : numberIdentity(house_number)
}

export function unitKey(unit_type: string, unit_number: string): string {
  if (unit_type === '' && unit_number === '') return ''
  return unitNumberIdentity(unit_type === '' ? '#' : unit_type, unit_number === '' ? null : unit_number)
}

/** Returns the search key of the building that a unit is in: 'BLDG 4' and 'BLDG 04' give 'BLDG4'. */
export function wingKey(building: string): string {
  return building === '' ? '' : buildingIdentity(building)
}

/** Returns the search key of a city: 'FORT WORTH' and 'FT WORTH' give the same key. */
export function cityKey(city: string): string {
  return keyOfCity(city.toUpperCase())
}
