import { cityKey, cityWord, isCity, isLargeCity, stateCode, zipPlace } from './places.ts'
import { hasDigit, isNumber, isOrdinal, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { isFloorName } from './units.ts'
import { ROUTE_OWNERS, ROUTE_WORDS } from './street-words.ts'

/** City, state and ZIP code at the end of a one-field address. */
export interface Place {
  city: string | null
  state: string | null
  zip: string | null
  plus4: string | null
}

interface Known {
  city: string | null
  state: string | null
  zip: string | null
}

/**
 * Removes ZIP code, state and city from the end of `tokens` and returns them. `known` is the place from other fields,
 * which decides where the line is ambiguous.
 */
export function takePlace(tokens: Token[], known: Known): Place {
  const place: Place = { city: null, state: null, zip: null, plus4: null }
  takePhone(tokens)
  takeCounty(tokens)
  takeCountry(tokens)
  takeZip(tokens, place)
  if (place.zip !== null) takeCountry(tokens)
  else if (endsInFigures(tokens)) return place
  takeState(tokens, place, known)
  // 'AUSTIN 78701 TX', '78701 AUSTIN': the ZIP code may come before the state.
  if (place.zip === null && place.state !== null) takeZip(tokens, place)
  takeCounty(tokens)
  takeCity(tokens, place, known)
  return place
}

// Returns whether the line ends with a number and has no place: '12 OAK ST APT 4'.
function endsInFigures(tokens: Token[]): boolean {
  const last = tokens.length - 1
  if (last < 0 || !hasDigit(tokens[last]!.text)) return false
  for (let i = 0; i < last; i++) if (tokens[i]!.comma) return false
  return true
}

// Removes a phone from the end: '… TX 78701 (512) 555-0101'.
function takePhone(tokens: Token[]): void {
  const last = tokens.at(-1)
  if (last === undefined || tokens.length < 5 || !/^\d{3}-\d{4}$/.test(last.text)) return
  const area = tokens.at(-2)!.text
  if (area.length === 3 && isNumber(area) && isZip(tokens.at(-3)!.text)) tokens.splice(-2)
}

// Removes ', TRAVIS COUNTY' after the city or the ZIP code.
function takeCounty(tokens: Token[]): void {
  if (tokens.at(-1)?.text !== 'COUNTY') return
  for (let i = tokens.length - 2; i > 2 && i >= tokens.length - 4; i--) {
    if (hasDigit(tokens[i]!.text)) return
    if (!tokens[i - 1]!.comma) continue
    const cityStands = isZip(tokens[i - 1]!.text) || tokens.slice(1, i - 1).some(({ comma }) => comma)
    if (cityStands) tokens.length = i
    return
  }
}

const COUNTRIES = new Set(['USA', 'US', 'AMERICA', 'EEUU'])

function takeCountry(tokens: Token[]): void {
  const last = tokens.at(-1)
  if (last === undefined) return
  const before = tokens.at(-2)
  if (COUNTRIES.has(last.text) && before !== undefined && tokens.length > 3 && endsPlace(before)) {
    tokens.pop()
    takeCountry(tokens)
  } else if (last.text === 'STATES' && before?.text === 'UNITED') tokens.splice(-2)
  else if (last.text === 'AMERICA' && joinedFrom(tokens, -4) === 'UNITED STATES OF') tokens.splice(-4)
  else if (last.text === 'A' && before?.text === 'S' && tokens.at(-3)?.text === 'U') tokens.splice(-3)
}

function joinedFrom(tokens: Token[], from: number): string {
  return tokens
    .slice(from, -1)
    .map(({ text }) => text)
    .join(' ')
}

function endsPlace(token: Token): boolean {
  return token.comma || token.text === 'STATES' || isZip(token.text) || stateCode(token.text) !== null
}

/** Returns whether the text is a ZIP code: '78701', '787011234', '78701-1234'. */
export function isZip(text: string): boolean {
  if (text.length === 5 || text.length === 9) return isNumber(text)
  return text.length === 10 && text[5] === '-' && isNumber(text.slice(0, 5)) && isNumber(text.slice(6))
}

function takeZip(tokens: Token[], place: Place): void {
  const last = tokens.at(-1)
  if (last === undefined || tokens.length < 2) return
  const before = tokens.at(-2)!
  if (
    last.text.length === 4 &&
    isNumber(last.text) &&
    before.text.length === 5 &&
    isNumber(before.text) &&
    tokens.length > 3
  ) {
    setZip(place, before.text + last.text)
    tokens.splice(-2)
    return
  }
  const text = last.text.endsWith('-') ? last.text.slice(0, -1) : last.text
  // 'TX78701': state and ZIP code are written together.
  if (GLUED_ZIP.test(text) && stateCode(text.slice(0, 2)) !== null) {
    setZip(place, text.slice(2))
    tokens[tokens.length - 1] = { text: text.slice(0, 2), word: undefined, comma: false }
    return
  }
  if (!isZip(text)) {
    takeBrokenZip(tokens, text, before, place)
    return
  }
  if (
    before.text === '#' ||
    before.text === 'BOX' ||
    before.word?.use === 'range' ||
    (text.length === 5 && isRoute(tokens, tokens.length - 2))
  ) {
    if (stateCode(before.text) === null) return
  }
  setZip(place, text)
  tokens.pop()
}

// Returns whether the token at `at` makes the next number a route: 'COUNTY ROAD 10234', 'HIGHWAY 12345'. In 'MAPLE AVE
// 75219' the number is a ZIP code.
function isRoute(tokens: Token[], at: number): boolean {
  const token = tokens[at]!
  if (token.comma || !ROUTE_WORDS.has(token.text)) return false
  const before = tokens[at - 1]
  return (
    token.word?.common !== true ||
    before === undefined ||
    hasDigit(before.text) ||
    before.word?.directional != null ||
    ROUTE_OWNERS.has(before.text)
  )
}

// Removes a number after a state, which is an incomplete ZIP code. Four digits lost their leading zero in a spreadsheet
// ('MA 1241').
function takeBrokenZip(tokens: Token[], text: string, before: Token, place: Place): void {
  const state = stateCode(before.text)
  if (state === null || !isNumber(text) || text.length < 3 || tokens.length < 4) return
  const cityStands = tokens.at(-3)!.comma || cityBefore(tokens, tokens.length - 2, state)
  if (!cityStands) return
  if (text.length === 4 && zipPlace(`0${text}`)?.state === state) setZip(place, `0${text}`)
  tokens.pop()
}

/** Returns whether five digits are a placeholder: '00000', '99999'. */
export function isNoZip(text: string): boolean {
  return text.startsWith('00000') || text.startsWith('99999')
}

const GLUED_ZIP = /^[A-Z]{2}\d{5}$/

function setZip(place: Place, text: string): void {
  if (isNoZip(text)) return
  place.zip = text.slice(0, 5)
  const rest = text.slice(text[5] === '-' ? 6 : 5)
  place.plus4 = rest.length === 4 && rest !== '0000' ? rest : null
}

function takeState(tokens: Token[], place: Place, known: Known): void {
  for (let words = Math.min(3, tokens.length - 1); words > 0; words--) {
    const at = tokens.length - words
    if (tokens.slice(at, -1).some((token) => token.comma)) continue
    const text = words === 1 ? tokens[at]!.text : joined(tokens, at)
    const code = stateCode(text)
    if (code === null) continue
    if (!isTheState(tokens, at, text, code, place, known)) continue
    place.state = code
    tokens.length = at
    return
  }
}

function isTheState(
  tokens: Token[],
  at: number,
  text: string,
  code: string,
  place: Place,
  known: Known,
): boolean {
  const before = tokens[at - 1]!
  if (known.state === code)
    return before.comma || place.zip !== null || cityBefore(tokens, at, code) || tokens[at]!.text.length > 2
  if (known.state !== null) return false
  if (place.zip !== null) {
    const home = zipPlace(place.zip)
    // '12 ELM CT 06101': CT is the suffix (court) when no suffix and no city come before it.
    if (text === 'CT' && !before.comma && at <= 2) return false
    if (home !== undefined) return home.state === code || (before.comma && text.length === 2)
    return true
  }
  if (before.comma && text !== 'NE') return true
  if (known.zip !== null && zipPlace(known.zip)?.state !== code) return false
  return cityBefore(tokens, at, code) || (!WORDS_TOO.has(text) && placeBefore(tokens, at))
}

// State codes that are also words or parts of streets.
const WORDS_TOO = new Set(['AL', 'CO', 'CT', 'DE', 'HI', 'ID', 'IN', 'LA', 'MA', 'ME', 'MO', 'MT', 'NE', 'OH', 'OK', 'OR', 'PA', 'PR', 'VI', 'AS', 'MP', 'WASHINGTON', 'VIRGINIA', 'INDIANA', 'IOWA', 'MAINE', 'DELAWARE', 'GEORGIA', 'NEVADA', 'COLORADO', 'NEW YORK']) // prettier-ignore

// Returns whether an unlisted city stands between the end of a street and a state code: 'OAK ST DORAL FL'.
function placeBefore(tokens: Token[], at: number): boolean {
  // 'FOURTH FL': a floor, not Florida.
  if (tokens[at]!.word?.use === 'floor' && isFloorName(tokens[at - 1]!.text)) return false
  for (let i = at - 1; i > 1 && i >= at - 4; i--) {
    if (hasDigit(tokens[i]!.text)) return false
    const before = tokens[i - 1]!
    if (before.word?.common === true && startsWithDigit(tokens[0]!.text)) return tokens[i]!.text.length > 2
  }
  return false
}

function cityBefore(tokens: Token[], at: number, state: string): boolean {
  let key = ''
  for (let i = at - 1; i > 0 && i >= at - 4; i--) {
    if (hasDigit(tokens[i]!.text)) return false
    const word = cityWord(tokens[i]!.text)
    key = key === '' ? word : `${word} ${key}`
    if (isCity(key, state)) return true
    if (tokens[i - 1]!.comma) return false
  }
  return false
}

function takeCity(tokens: Token[], place: Place, known: Known): void {
  const state = place.state ?? known.state
  const zip = place.zip ?? known.zip
  const length = cityLength(tokens, state, zip, known, place.state !== null || place.zip !== null)
  if (length === 0) return
  const from = tokens.length - length - (hasTwoDirections(tokens, tokens.length - length) ? 1 : 0)
  place.city = joined(tokens, from)
  tokens.length = from
}

// Returns whether the word before the city is a second direction: '1120 W 175TH ST EAST HAZEL CREST'. A street has one
// direction, so the second one belongs to the city.
function hasTwoDirections(tokens: Token[], city: number): boolean {
  const last = tokens[city - 1]
  if (last?.word?.directional?.length !== 1 || last.comma || city < 5) return false
  return tokens[1]!.word?.directional != null && tokens[city - 2]!.word?.common === true
}

function cityLength(
  tokens: Token[],
  state: string | null,
  zip: string | null,
  known: Known,
  ended: boolean,
): number {
  const end = tokens.length
  if (end === 0) return 0
  let comma = end - 1
  while (comma > 0 && !tokens[comma - 1]!.comma) comma--
  const home = zip === null ? undefined : zipPlace(zip)
  if (ended && !hasDigit(tokens[0]!.text) && isAllCity(tokens, state ?? home?.state ?? null, zip !== null))
    return end
  const longest = Math.min(5, end - Math.max(comma, 1))
  let found = 0
  let key = ''
  for (let length = 1; length <= longest; length++) {
    const token = tokens[end - length]!
    if (hasDigit(token.text) || token.text === '#' || token.text === '&') break
    const word = cityWord(token.text)
    key = length === 1 ? word : `${word} ${key}`
    if (known.city !== null && key === known.city && (comma > 0 || leavesStreet(tokens, end - length)))
      return length
    if (home?.city === key && leavesStreet(tokens, end - length))
      return length + directionBefore(tokens, end - length, key, home.state)
    if (
      !ended &&
      isLargeCity(key) &&
      endsStreet(tokens[end - length - 1]!) &&
      leavesStreet(tokens, end - length)
    )
      found = length
    if (ended && isCity(key, state ?? home?.state ?? null) && leavesStreet(tokens, end - length))
      found = better(tokens, end, found, length)
  }
  if (comma === 0) return found > 0 ? found : townshipLength(tokens) || (ended ? tail(tokens) : 0)
  // The words after the last comma are the city, although no list has it.
  const segment = end - comma
  if (
    segment <= 4 &&
    leavesStreet(tokens, comma) &&
    !tokens.slice(comma).some((token) => hasDigit(token.text) || token.text === '#' || token.text === '&') &&
    plausible(tokens, comma)
  )
    return segment
  return found > 0 ? found : ended ? tail(tokens) : 0
}

/**
 * Returns 1 when a direction before the city belongs to it: ', N. MIAMI, FL 33161', where the ZIP code names MIAMI.
 * Otherwise returns 0.
 */
function directionBefore(tokens: Token[], city: number, key: string, state: string): number {
  const direction = tokens[city - 1]
  const begins = direction?.word?.directional != null && !direction.comma && tokens[city - 2]?.comma === true
  if (!begins) return 0
  // 'HWY 31, W. WHITE HOUSE TN': after a number the direction belongs to the route.
  const known = isCity(`${direction.word!.directional!} ${key}`, state)
  return known || !hasDigit(tokens[city - 2]!.text) ? 1 : 0
}

/** Returns the number of words of a township at the end: 2 for 'ROUTE 590 PALMYRA TWP'; 0 without a township. */
function townshipLength(tokens: Token[]): number {
  const end = tokens.length
  if (!TOWNSHIPS.has(tokens[end - 1]!.text)) return 0
  for (let length = 2; length <= 4 && end - length > 1; length++) {
    const first = tokens[end - length]!
    if (hasDigit(first.text) || first.word?.common === true) return 0
    if (endsStreet(tokens[end - length - 1]!)) return length
  }
  return 0
}

const TOWNSHIPS = new Set(['TWP', 'TOWNSHIP', 'TWSP'])

// Returns whether the line has a place and no street: 'TAMPA, FL 33602'.
function isAllCity(tokens: Token[], state: string | null, hasZip: boolean): boolean {
  if (tokens.length > 4 || !(hasZip || tokens.at(-1)!.comma)) return false
  return isCity(cityKey(joined(tokens, 0)), state)
}

function plausible(tokens: Token[], at: number): boolean {
  const first = tokens[at]!
  if (NOTES.has(first.text) || NOTES.has(tokens.at(-1)!.text)) return false
  if (tokens.length - at === 1) {
    if (first.word?.unit != null || first.word?.directional != null || first.word?.common === true)
      return false
    if (first.text.length === 1) return false
  }
  return first.word?.unit == null || first.word.use === 'alone'
}

// First words of notes after a comma, which are not cities.
const NOTES = new Set(['BEHIND', 'NEAR', 'ACROSS', 'OPPOSITE', 'BETWEEN', 'NEXT', 'SUBDIVISION', 'SUBD', 'ADDITION', 'C/O', 'ATTN', 'ATTENTION', 'ST', 'STREET', 'AVE', 'AVENUE', 'ROAD', 'RD', 'DR', 'DRIVE', 'BLVD']) // prettier-ignore

// Returns whether the tokens before `at` are enough for a street: a number and a word, or a word that is not a
// direction.
function leavesStreet(tokens: Token[], at: number): boolean {
  if (at <= 0) return false
  const last = tokens[at - 1]!
  if (at === 1) return !hasDigit(last.text) && last.text !== '#'
  return !(at === 2 && last.word?.directional != null && hasDigit(tokens[0]!.text) && !last.comma)
}

// Returns the longer of two lengths of a city, unless only the shorter one leaves a street that ends with a suffix, a
// direction, a number or a comma.
function better(tokens: Token[], end: number, found: number, length: number): number {
  if (found === 0) return length
  const endsWell = endsStreet(tokens[end - length - 1]!)
  return endsWell || !endsStreet(tokens[end - found - 1]!) ? length : found
}

function endsStreet(token: Token): boolean {
  return (
    token.comma ||
    token.word?.common === true ||
    token.word?.directional != null ||
    (hasDigit(token.text) && !isOrdinal(token.text))
  )
}

// Returns the number of words of an unlisted city without a comma before it: the words after the last suffix and its
// unit.
function tail(tokens: Token[]): number {
  const suffix = tokens.findIndex(({ word }, i) => i > 1 && word?.common === true)
  for (let i = tokens.length - 1; i > 1; i--) {
    const token = tokens[i]!
    const unitNumber =
      hasDigit(token.text) && (tokens[i - 1]!.word?.unit != null || tokens[i - 1]!.text === '#')
    const stops =
      (token.comma && i < tokens.length - 1) ||
      unitNumber ||
      (token.word?.common === true && (token.text !== 'ST' || i === suffix))
    if (stops) return cityFrom(tokens, i + 1)
    if (hasDigit(token.text)) return 0
  }
  return 0
}

// Returns the length of a city from `at` on, without a unit word or a single letter at its beginning.
function cityFrom(tokens: Token[], at: number): number {
  let start = at
  while (start < tokens.length && (tokens[start]!.word?.unit != null || tokens[start]!.text.length === 1))
    start++
  if (start === tokens.length - 1 && tokens[start]!.word?.directional != null) return 0
  return tokens.length - start
}

function joined(tokens: Token[], from: number): string {
  let text = tokens[from]!.text
  for (let i = from + 1; i < tokens.length; i++) text += ` ${tokens[i]!.text}`
  return text
}
