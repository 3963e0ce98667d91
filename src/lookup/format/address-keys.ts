import {
  buildingIdentity,
  nameIdentity,
  numberIdentity,
  unitNumberIdentity,
} from '../../normalize/address-key.ts'
import { cityKey as keyOfCity } from '../../normalize/places.ts'

// The parts of the night's own identity of an address, so that they can be searched one by one. '' is what is not there.

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

/** Of the building that a unit is in: 'BLDG 4' and 'BLDG 04' are 'BLDG4'. */
export function wingKey(building: string): string {
  return building === '' ? '' : buildingIdentity(building)
}

/** Of a city: 'FORT WORTH' and 'FT WORTH'. */
export function cityKey(city: string): string {
  return keyOfCity(city.toUpperCase())
}
