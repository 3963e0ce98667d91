import { cityKey, stateCode } from './places.ts'
import type { StreetLine } from './street-parts.ts'
import { ORDINALS, ordinal, streetWord } from './street-words.ts'

/**
 * The keys by which addresses are compared. `address_key` includes the unit, `building_key` leaves the unit out, and
 * `street_key` leaves out number and unit.
 */
export interface AddressKeys {
  address_key: string | null
  building_key: string | null
  street_key: string | null
}

/**
 * Returns readable keys whose parts are separated by '|'. An address without a house number, box or cross street gets
 * only a `street_key`.
 */
export function addressKeys(
  line: StreetLine,
  city: string | null,
  state: string | null,
  zip: string | null,
): AddressKeys {
  const place = zip ?? (city !== null && state !== null ? `${cityKey(city)} ${state}` : null)
  if (place === null) return { address_key: null, building_key: null, street_key: null }
  const street = streetIdentity(line)
  const street_key = street === null ? null : `${street}|${place}`
  if (line.house_number !== null && street !== null && !isNoNumber(line.house_number)) {
    const building_key = `${numberIdentity(line.house_number)}|${street}|${place}`
    const unit = unitIdentity(line)
    return { address_key: unit === '' ? building_key : `${building_key}|${unit}`, building_key, street_key }
  }
  if (line.po_box !== null && !isNoNumber(line.po_box)) {
    const key = `PO BOX ${numberIdentity(line.po_box)}|${place}`
    return { address_key: key, building_key: key, street_key }
  }
  if (line.cross_street !== null && street !== null) {
    const corner = [plainStreet(line), nameIdentity(line.cross_street)].sort().join(' & ')
    return { address_key: `${corner}|${place}`, building_key: `${corner}|${place}`, street_key }
  }
  if (line.unit_type === 'BOX' && line.unit_number !== null && street !== null) {
    const key = `${street}|${place}|BOX ${numberIdentity(line.unit_number)}`
    return { address_key: key, building_key: key, street_key }
  }
  return { address_key: null, building_key: null, street_key }
}

// County rolls write 0 for a parcel without a house number. With 0 as a number, all such parcels of a street would be
// one address.
function isNoNumber(number: string): boolean {
  return numberIdentity(number) === '0'
}

function streetIdentity(line: StreetLine): string | null {
  if (line.street_name === null) return null
  // On expressways 'N FWY' and 'NORTH FWY' get one key. On other streets they do not: 'N ST' and 'NORTH ST' are two
  // streets.
  const word = EXPRESSWAYS.has(line.street_suffix ?? '') ? streetWord(line.street_name) : undefined
  const name = word?.directional ?? nameIdentity(line.street_name)
  return `${line.pre_directional ?? ''}|${name}|${line.street_suffix ?? ''}|${line.post_directional ?? ''}`
}

const EXPRESSWAYS = new Set(['FWY', 'LOOP', 'EXPY', 'HWY', 'TPKE', 'PKWY'])

// Returns the first street of a corner as one text. The streets of a corner are sorted, so that 'OAK & ELM' and 'ELM &
// OAK' get one key.
function plainStreet(line: StreetLine): string {
  const parts = [line.pre_directional, line.street_name, line.street_suffix, line.post_directional]
  return nameIdentity(parts.filter((part) => part !== null).join(' '))
}

// Spellings of routes and their key, longer spellings first. No state gives one number to a US route and a state route.
// So 'HWY 290', 'US 290' and 'TX 290' get one key. Interstates, farm roads and county roads keep keys of their own.
const ROUTES: [string, string][] = [
  ['UNITED STATES HIGHWAY', 'HWY'], ['US HIGHWAY', 'HWY'], ['US HWY', 'HWY'], ['US ROUTE', 'HWY'], ['US RTE', 'HWY'], ['US RT', 'HWY'], ['USHWY', 'HWY'], ['US', 'HWY'],
  ['STATE HIGHWAY', 'HWY'], ['STATE HWY', 'HWY'], ['STATE ROUTE', 'HWY'], ['STATE RTE', 'HWY'], ['STATE RT', 'HWY'], ['STATE ROAD', 'HWY'], ['STATE RD', 'HWY'],
  ['ST ROUTE', 'HWY'], ['ST RTE', 'HWY'], ['ST RT', 'HWY'], ['ST RD', 'HWY'], ['ST HWY', 'HWY'], ['ST HIGHWAY', 'HWY'], ['SH', 'HWY'], ['SR', 'HWY'], ['STH', 'HWY'],
  ['HIGHWAY', 'HWY'], ['HIWAY', 'HWY'], ['ROUTE', 'HWY'], ['RTE', 'HWY'], ['RT', 'HWY'],
  ['INTERSTATE HIGHWAY', 'I'], ['INTERSTATE HWY', 'I'], ['INTERSTATE', 'I'], ['IH', 'I'],
  ['FARM TO MARKET ROAD', 'FM'], ['FARM TO MARKET RD', 'FM'], ['FARM TO MARKET', 'FM'], ['FARM ROAD', 'FM'], ['FM ROAD', 'FM'],
  ['RANCH TO MARKET ROAD', 'RM'], ['RANCH TO MARKET RD', 'RM'], ['RANCH TO MARKET', 'RM'], ['RANCH ROAD', 'RM'], ['RANCH RD', 'RM'], ['RR', 'RM'],
  ...['COUNTY', 'CNTY', 'CTY', 'CO'].flatMap((county) =>
    ['TRUNK HIGHWAY', 'TRUNK HWY', 'TRK HIGHWAY', 'TRK HWY', 'TRUNK', 'TRK', 'ROAD', 'RD', 'HIGHWAY', 'HWY'].map((road): [string, string] => [`${county} ${road}`, 'CR']),
  ),
  ['STATE TRUNK HIGHWAY', 'HWY'], ['STATE TRUNK HWY', 'HWY'], ['CTH', 'CR'],
  ['TOWNSHIP ROAD', 'TR'], ['TOWNSHIP RD', 'TR'], ['TWP RD', 'TR'], ['TWP ROAD', 'TR'],
  ['PRIVATE ROAD', 'PR'], ['PRIVATE RD', 'PR'], ['PVT RD', 'PR'],
  ['AVENUE', 'AVE'], ['ROAD', 'RD'], ['STREET', 'ST'],
] // prettier-ignore
const ROUTES_BY_WORD = new Map<string, [string, string][]>()
for (const route of ROUTES) {
  const word = route[0].split(' ', 1)[0]!
  ROUTES_BY_WORD.set(word, [...(ROUTES_BY_WORD.get(word) ?? []), route])
}

const NAME_WORDS = new Map([['SAINT', 'ST'], ['MOUNT', 'MT'], ['FORT', 'FT'], ['AND', '&'], ['DOCTOR', 'DR'], ['JUNIOR', 'JR'], ['NUMBER', '#'], ['NO', '#']]) // prettier-ignore

/**
 * Returns one spelling for a street name: 'SAINT MARY' and 'ST MARY', 'FIRST' and '1ST', 'FARM TO MARKET ROAD 620' and
 * 'FM 620'.
 */
export function nameIdentity(name: string): string {
  const plain = withoutOwner(withoutMarks(name))
  if (plain.includes('KING') || plain.includes('MLK')) {
    const king = KING.exec(plain)
    if (king !== null) return 'MLK'
  }
  const routes = ROUTES_BY_WORD.get(plain.split(' ', 1)[0]!)
  const route = routes?.find(([words]) => plain.startsWith(`${words} `))
  if (route !== undefined)
    return `${route[1]} ${withoutZeros(plain.slice(route[0].length + 1).replace(/^# ?/, ''))}`
  if (!plain.includes(' ') || ORDINALS.has(plain))
    return ORDINALS.get(plain) ?? NAME_WORDS.get(plain) ?? asOrdinal(plain)
  if (plain.startsWith('MC ') && plain.length > 5) return nameIdentity(`MC${plain.slice(3)}`)
  const words = plain.split(' ')
  const last = words.length - 1
  return words.map((word, i) => wordIdentity(word, i === last)).join(' ')
}

// 'DR MARTIN LUTHER KING JR', 'M L KING', 'MLK JR': all get the name MLK.
const KING = /^(?:(?:DR|REV) )?(?:(?:MARTIN LUTHER|M L) KING|MLK)(?: (?:JR|JUNIOR))?$/

// Removes the state before a route number: 'KY 89' becomes 'HWY 89', 'NC HWY 54' becomes 'HWY 54'. 'PR 4022' is a
// private road, not Puerto Rico.
function withoutOwner(plain: string): string {
  if (plain[2] !== ' ' || plain.startsWith('PR ') || stateCode(plain.slice(0, 2)) === null) return plain
  const rest = plain.slice(3)
  if (STATE_ROUTE.test(rest)) return rest.startsWith('H') ? rest : `HWY ${rest}`
  return plain
}

const STATE_ROUTE = /^(?:HWY |HIGHWAY )?\d{1,4}[A-Z]?$/

// Returns the ordinal of a number: city rolls write '9 AVENUE' for '9TH AVENUE'.
function asOrdinal(word: string): string {
  return /^[1-9]\d{0,3}$/.test(word) ? ordinal(Number(word)) : word
}

// Returns one spelling for a word: suffix words are abbreviated ('LAKE SHORE' becomes 'LK SHR'), ordinals become
// figures.
function wordIdentity(word: string, last: boolean): string {
  const known = streetWord(word)
  return (
    ORDINALS.get(word) ??
    NAME_WORDS.get(word) ??
    known?.suffix ??
    (last ? word : (known?.directional ?? word))
  )
}

function withoutMarks(text: string): string {
  return text.replaceAll("'", '').replace(/[-./]/g, ' ')
}

// Removes zeros at the beginning, except a last digit and the 0 of '0-12'.
function withoutZeros(text: string): string {
  return text.replace(/^(?:0(?!-|$))+/, '')
}

/** Returns one spelling for the number of a house or box, without leading zeros and spaces. */
export function numberIdentity(text: string): string {
  // The space in '12 1/2' stays.
  return withoutZeros(text.includes('/') ? text.replace(/^ /, '') : text.replaceAll(' ', ''))
}

// 'APT 4', 'UNIT 4', '# 4' and 'STE 4' name the same door. A floor, a lot or a whole building is a different place.
const DOORS = new Set(['APT', 'UNIT', '#', 'STE', 'RM', 'OFC', 'DEPT', 'VILLA'])
const LOTS = new Set(['LOT', 'TRLR', 'SPC', 'SLIP'])

function unitIdentity(line: StreetLine): string {
  const inner = line.unit_type === null ? '' : unitNumberIdentity(line.unit_type, line.unit_number)
  return line.building === null ? inner : `${buildingIdentity(line.building)} ${inner}`
}

/** Returns one spelling for the building part of an address: 'BLDG 4' = 'BLDG 04', 'TWR A' = 'BLDG A'. */
export function buildingIdentity(building: string): string {
  return building.replace(/\bTWR\b/g, 'BLDG').replace(/[- ]0*(?=\w)/g, '')
}

/**
 * Returns one spelling for a unit without its building: 'APT 4', '# 4' and 'UNIT 04' all give '4'. 'FL 3' stays a
 * floor.
 */
export function unitNumberIdentity(type: string, number: string | null): string {
  if (number === null) return type
  let plain = withoutZeros(number.replace(/[- /.]/g, ''))
  if (plain === '') return type
  if (type === 'FL' && (plain === 'GRD' || plain === 'GRND' || plain === 'GR')) plain = 'GROUND'
  if (DOORS.has(type)) return plain
  return `${LOTS.has(type) ? 'LOT' : type} ${plain}`
}
