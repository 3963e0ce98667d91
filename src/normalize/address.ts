import { Recent } from '../recent.ts'
import { addressKeys } from './address-key.ts'
import { cityKey, stateCode, zipPlace } from './places.ts'
import { isNoZip, isZip, takePlace } from './place-line.ts'
import type { Place } from './place-line.ts'
import { parseStreetTokens } from './street-line.ts'
import type { AddressKind, StreetLine } from './street-parts.ts'
import { isStreetFrom } from './line-start.ts'
import { hasDigit, startsWithDigit, streetTokens } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { titleCase, titleWord } from './title-case.ts'

export { addressId } from './identifier.ts'
export { parseStreetLine } from './street-line.ts'
export type { StreetLine } from './street-parts.ts'

export interface AddressInput {
  line_1?: string | null
  line_2?: string | null
  city?: string | null
  state?: string | null
  zip?: string | null
}

/**
 * An address. The parts are upper case and use USPS abbreviations. `line1`, `full_address` and `city_display` are for
 * display.
 */
export interface Address extends Omit<StreetLine, 'kind'> {
  kind: AddressKind
  city: string | null
  state: string | null
  zip: string | null
  plus4: string | null
  line1: string | null
  full_address: string | null
  city_display: string | null
  /**
   * Identifies the address including its unit. Null without a street and number (or a box), and null without ZIP code
   * or city and state.
   */
  address_key: string | null
  /** Identifies the address without its unit. */
  building_key: string | null
  /** Identifies the street: its name with the ZIP code, or with city and state. */
  street_key: string | null
}

/** The parts of an address, without keys and display texts. */
export interface AddressParts extends Place {
  readonly line: StreetLine
}

/** Reads an address from separate fields, or from one field (`line_1`) that holds all of it. Never throws. */
export function normalizeAddress(input: AddressInput): Address {
  const { line, city, state, zip, plus4 } = readAddress(input)
  const line1 = displayLine(line)
  const city_display = city === null ? null : titleCase(city)
  return {
    ...line,
    city,
    state,
    zip,
    plus4,
    line1,
    full_address: fullAddress(line1, city_display, state, zip),
    city_display,
    ...addressKeys(line, city, state, zip),
  }
}

/**
 * Returns the same parts as `normalizeAddress` without computing keys and display texts. Lookups use it because they
 * need only the parts.
 */
export function readAddress(input: AddressInput): AddressParts {
  const { given, known } = givenPlace(input)
  const tokens = streetOf(input.line_1 ?? '', input.line_2 ?? '')
  const behind = takeUnitBehindZip(tokens)
  const inLine: Place | null = tokens.length > 1 ? takePlace(tokens, known) : null
  const line = parseStreetTokens(behind.length === 0 ? tokens : tokens.concat(behind))
  const zip = given.zip ?? inLine?.zip ?? null
  const plus4 = given.plus4 ?? (inLine !== null && inLine.zip === zip ? inLine.plus4 : null)
  const city = given.city ?? inLine?.city ?? null
  const state = given.state ?? inLine?.state ?? (zip === null ? null : (zipPlace(zip)?.state ?? null))
  return { line, city, state, zip, plus4 }
}

// Removes a unit after the ZIP code and returns it: 'DALLAS TX 75219 APT 3'.
function takeUnitBehindZip(tokens: Token[]): Token[] {
  const at = tokens.length - 2
  if (at < 3 || tokens[at]!.word?.use !== 'range' || !isZip(tokens[at - 1]!.text)) return []
  return stateCode(tokens[at - 2]!.text) === null ? [] : tokens.splice(at)
}

// The rows of one file name few places, so the parsed places are kept.
const places = new Recent<GivenPlace>(40_000)

interface GivenPlace {
  readonly given: Readonly<Place>
  /** The same place in the form that `takePlace` compares: the city as its key. */
  readonly known: { readonly city: string | null; readonly state: string | null; readonly zip: string | null }
}

function givenPlace(input: AddressInput): GivenPlace {
  const key = `${input.city ?? ''}\n${input.state ?? ''}\n${input.zip ?? ''}`
  return places.get(key, () => {
    const given = readPlace(input)
    const { city, state, zip } = given
    return { given, known: { city: city === null ? null : cityKey(city), state, zip } }
  })
}

// Reads city, state and ZIP code. The city field of many files holds 'AUSTIN, TX 78701' or 'AUSTIN TX'.
function readPlace(input: AddressInput): Place {
  const place: Place = { city: null, state: null, zip: null, plus4: null }
  if (input.zip) readZip(input.zip, place)
  if (input.state) place.state = stateCode(plain(input.state))
  if (!input.city) return place
  const tokens = streetTokens(input.city)
  if (tokens.length === 0) return place
  if (tokens.length > 1) {
    // `takePlace` leaves the first token alone, so a placeholder token goes in front of the field.
    const behind = [{ text: '*', word: undefined, comma: true }, ...tokens]
    const found = takePlace(behind, { city: null, state: place.state, zip: place.zip })
    if (found.city !== null && behind.length === 1) {
      return {
        city: found.city,
        state: place.state ?? found.state,
        zip: place.zip ?? found.zip,
        plus4: place.plus4 ?? found.plus4,
      }
    }
  }
  place.city = tokens.map((token) => token.text).join(' ')
  return place
}

function plain(text: string): string {
  return streetTokens(text)
    .map((token) => token.text)
    .join(' ')
}

// Reads '78701', '78701-1234', '787011234' and '78701.0'. Restores the leading zero of '7701'. Leaves `place` unchanged
// for other texts.
function readZip(text: string, place: Place): void {
  const figures = /^([\d -]*)(?:\.|$)/.exec(text)?.[1]
  if (figures === undefined) return
  let digits = figures.replace(/[ -]/g, '')
  if (digits.length === 4 || digits.length === 8) digits = `0${digits}`
  if (digits.length === 3) digits = `00${digits}`
  if ((digits.length !== 5 && digits.length !== 9) || isNoZip(digits)) return
  place.zip = digits.slice(0, 5)
  const plus4 = digits.slice(5)
  place.plus4 = plus4 === '' || plus4 === '0000' ? null : plus4
}

// Returns the words of the street. The second line may hold a unit, the place, or the street itself after a name or
// 'C/O …'.
function streetOf(line_1: string, line_2: string): Token[] {
  const first = withoutCareOf(knownTokens(line_1))
  if (line_2.trim() === '') return isCareOf(first) ? afterCareOf(first) : first
  const second = knownTokens(line_2)
  if (second.length === 0 || isCareOf(second)) return isCareOf(first) ? afterCareOf(first) : first
  if (first.length === 0 || isCareOf(first)) return second
  if (!hasStreet(first) && hasStreet(second)) return second
  first.at(-1)!.comma = true
  return first.concat(second)
}

/** Returns the words of a line. 'N/A' means an unknown value and gives no words. */
function knownTokens(text: string): Token[] {
  const tokens = streetTokens(text)
  return text.includes('/') ? tokens.filter((token) => token.text !== 'N/A') : tokens
}

const CARE = new Set(['C/O', '%', 'ATTN', 'ATTENTION', 'CARE'])

// Removes a care-of segment without digits: '55 OAK ST, C/O JANE ROE', '55 OAK ST, ATTN: ACCOUNTS PAYABLE, AUSTIN TX'.
function withoutCareOf(tokens: Token[]): Token[] {
  const at = tokens.findIndex(({ text }, i) => i > 0 && (CARE.has(text) || text.startsWith('%')))
  if (at < 2 || tokens[at]!.text === 'CARE') return tokens
  let end = at + 1
  while (end < tokens.length && !tokens[end]!.comma) end++
  if (tokens.slice(at, end + 1).some(({ text }) => hasDigit(text))) return tokens
  tokens[at - 1]!.comma = true
  return tokens.toSpliced(at, end + 1 - at)
}

function isCareOf(tokens: Token[]): boolean {
  const first = tokens[0]?.text ?? ''
  return CARE.has(first) || first.startsWith('%')
}

// Returns the street after a care-of line: 'C/O JANE ROE 12 MAIN ST'. After 'ATTN TAX DEPT' the street follows the
// department.
function afterCareOf(tokens: Token[]): Token[] {
  if (!tokens.some((token) => startsWithDigit(token.text))) return []
  for (let i = 1; i < tokens.length; i++) {
    if (!startsWithDigit(tokens[i]!.text) || !isStreetFrom(tokens, i + 1)) continue
    return tokens.slice(tokens[i - 1]!.word?.use === 'floor' ? i - 2 : i)
  }
  return tokens.slice(1)
}

const BOX_WORDS = new Set(['PO', 'POB', 'POBOX', 'P', 'BOX', 'RR', 'HC', 'PSC', 'CMR'])

function hasStreet(tokens: Token[]): boolean {
  const first = tokens[0]!
  if (BOX_WORDS.has(first.text)) return true
  return tokens.length > 1 && startsWithDigit(first.text) && !(tokens.length === 2 && isUnitWord(tokens[1]!))
}

function isUnitWord(token: Token): boolean {
  return token.word?.unit != null
}

function displayLine(line: StreetLine): string | null {
  const parts: string[] = []
  // 'ONE' becomes 'One'. '123A' and 'N6W23001' stay as they are.
  if (line.house_number !== null)
    parts.push(hasDigit(line.house_number) ? line.house_number : titleWord(line.house_number))
  if (line.pre_directional !== null) parts.push(line.pre_directional)
  if (line.street_name !== null) parts.push(displayName(line))
  if (line.street_suffix !== null) parts.push(titleWord(line.street_suffix))
  if (line.post_directional !== null) parts.push(line.post_directional)
  if (line.cross_street !== null) parts.push('&', titleCase(line.cross_street))
  if (line.building !== null) parts.push(displayUnits(line.building))
  if (line.unit_type !== null) parts.push(titleWord(line.unit_type))
  if (line.unit_number !== null) parts.push(line.unit_number)
  if (line.po_box !== null) parts.push(`PO Box ${line.po_box}`)
  return parts.length === 0 ? null : parts.join(' ')
}

const CAPITALS = new Set(['US', 'FM', 'RM', 'CR', 'SR', 'SH', 'RR', 'HC', 'PSC', 'CMR', 'I', 'IH', 'CTH', 'STH', 'NE', 'NW', 'SE', 'SW', 'II', 'III', 'IV', 'JFK', 'MLK', 'AA', 'BB', 'CC']) // prettier-ignore

function displayName(line: StreetLine): string {
  const name = line.street_name!
  if (!name.includes(' ') && line.kind === 'street') return titleWord(name)
  return name
    .split(' ')
    .map((word) => (CAPITALS.has(word) ? word : titleWord(word)))
    .join(' ')
}

function displayUnits(text: string): string {
  return text
    .split(' ')
    .map((word) => (word.length > 2 && !startsWithDigit(word.slice(-1)) ? titleWord(word) : word))
    .join(' ')
}

function fullAddress(
  line1: string | null,
  city: string | null,
  state: string | null,
  zip: string | null,
): string | null {
  const region = state !== null && zip !== null ? `${state} ${zip}` : (state ?? zip)
  const parts = [line1, city, region].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', ')
}
