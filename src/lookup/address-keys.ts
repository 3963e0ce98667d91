import { addressKeys, buildingIdentity } from '../normalize/address-key.ts'
import { cityKey as keyOfCity } from '../normalize/places.ts'

// The identity of an address takes whole lines; these take its parts, so that parts can be searched by the same identity.
const NOTHING = {
  kind: 'street',
  house_number: null,
  pre_directional: null,
  street_name: null,
  street_suffix: null,
  post_directional: null,
  unit_type: null,
  unit_number: null,
  building: null,
  po_box: null,
  cross_street: null,
} as const

const ANYWHERE = '00000'

/** One spelling for a street's name: 'SAINT MARY' and 'ST MARY', 'FIRST' and '1ST', 'FARM TO MARKET ROAD 620' and 'FM 620'. */
export function streetKey(street_name: string): string {
  if (street_name === '') return ''
  return (
    addressKeys({ ...NOTHING, street_name }, null, null, ANYWHERE).street_key?.split('|')[1] ?? street_name
  )
}

/** One spelling for a house number: without leading zeros and spaces. */
export function houseKey(house_number: string): string {
  if (house_number === '') return ''
  const { building_key } = addressKeys({ ...NOTHING, house_number, street_name: 'X' }, null, null, ANYWHERE)
  return building_key?.split('|')[0] ?? house_number
}

/** One spelling for a unit: 'APT 4', '# 4' and 'UNIT 04' are all '4'; 'FL 3' stays a floor. '' where there is none. */
export function unitKey(unit_type: string, unit_number: string): string {
  if (unit_type === '' && unit_number === '') return ''
  const line = {
    ...NOTHING,
    house_number: '1',
    street_name: 'X',
    unit_type: unit_type === '' ? '#' : unit_type,
    unit_number: unit_number === '' ? null : unit_number,
  }
  return addressKeys(line, null, null, ANYWHERE).address_key?.split('|').slice(6).join('|') ?? ''
}

/** One spelling for the building that a unit is in: 'BLDG 4' and 'BLDG 04' are 'BLDG4'. '' where there is none. */
export function wingKey(building: string): string {
  return building === '' ? '' : buildingIdentity(building)
}

/** One spelling for a city: 'FORT WORTH' and 'FT WORTH'. */
export function cityKey(city: string): string {
  return keyOfCity(city.toUpperCase())
}
