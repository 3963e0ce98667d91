import { cityWord, isCity, stateCode, zipPlace } from './places.ts'
import { hasDigit, isNumber, isOrdinal } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { ROUTE_WORDS } from './street-words.ts'

/** What stands behind the street in a one-field address. */
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
 * Takes ZIP code, state and city off the end of `tokens` (which is shortened). `known` is what other fields say;
 * the line's own place is believed where they are silent.
 */
export function takePlace(tokens: Token[], known: Known): Place {
  const place: Place = { city: null, state: null, zip: null, plus4: null }
  takeCountry(tokens)
  takeZip(tokens, place)
  if (place.zip !== null) takeCountry(tokens)
  takeState(tokens, place, known)
  // 'AUSTIN 78701 TX' and '78701 AUSTIN' happen: a ZIP code before the state.
  if (place.zip === null && place.state !== null) takeZip(tokens, place)
  takeCity(tokens, place, known)
  return place
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
  else if (last.text === 'A' && before?.text === 'S' && tokens.at(-3)?.text === 'U') tokens.splice(-3)
}

function endsPlace(token: Token): boolean {
  return token.comma || token.text === 'STATES' || isZip(token.text) || stateCode(token.text) !== null
}

function isZip(text: string): boolean {
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
  if (!isZip(text)) {
    takeBrokenZip(tokens, text, before, place)
    return
  }
  if (
    before.text === '#' ||
    before.text === 'BOX' ||
    before.word?.use === 'range' ||
    (text.length === 5 && ROUTE_WORDS.has(before.text) && !before.comma)
  ) {
    if (stateCode(before.text) === null) return
  }
  setZip(place, text)
  tokens.pop()
}

// Behind a state stands a ZIP code, even when a spreadsheet took its leading zero ('MA 1241') or a digit is missing.
function takeBrokenZip(tokens: Token[], text: string, before: Token, place: Place): void {
  const state = stateCode(before.text)
  if (state === null || !isNumber(text) || tokens.length < 4) return
  const cityStands = tokens.at(-3)!.comma || cityBefore(tokens, tokens.length - 2, state)
  if (!cityStands) return
  if (text.length === 4 && zipPlace(`0${text}`)?.state === state) setZip(place, `0${text}`)
  tokens.pop()
}

function setZip(place: Place, text: string): void {
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
    // '12 ELM CT 06101': with no suffix and no city before it, CT is the court.
    if (text === 'CT' && !before.comma && at <= 2) return false
    if (home !== undefined) return home.state === code || (before.comma && text.length === 2)
    return true
  }
  if (before.comma && text !== 'NE') return true
  if (known.zip !== null && zipPlace(known.zip)?.state !== code) return false
  return cityBefore(tokens, at, code)
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
  place.city = joined(tokens, tokens.length - length)
  tokens.length -= length
}

function cityLength(
  tokens: Token[],
  state: string | null,
  zip: string | null,
  known: Known,
  ended: boolean,
): number {
  const end = tokens.length
  let comma = end - 1
  while (comma > 0 && !tokens[comma - 1]!.comma) comma--
  const home = zip === null ? undefined : zipPlace(zip)
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
    if (home?.city === key && leavesStreet(tokens, end - length)) return length
    if (ended && isCity(key, state ?? home?.state ?? null) && leavesStreet(tokens, end - length))
      found = better(tokens, end, found, length)
  }
  if (comma === 0) return found > 0 ? found : ended ? tail(tokens) : 0
  // A whole segment without figures behind a comma is the city even when nobody has heard of it.
  const segment = end - comma
  if (
    segment <= 4 &&
    !tokens.slice(comma).some((token) => hasDigit(token.text) || token.text === '#' || token.text === '&') &&
    plausible(tokens, comma)
  )
    return segment
  return found > 0 ? found : ended ? tail(tokens) : 0
}

function plausible(tokens: Token[], at: number): boolean {
  const first = tokens[at]!
  if (tokens.length - at === 1) {
    if (first.word?.unit != null || first.word?.directional != null || first.word?.common === true)
      return false
    if (first.text.length === 1) return false
  }
  return first.word?.unit == null || first.word.use === 'alone'
}

// At least a number and a word, or a word that is no direction, must be left for the street.
function leavesStreet(tokens: Token[], at: number): boolean {
  if (at <= 0) return false
  const last = tokens[at - 1]!
  if (at === 1) return !hasDigit(last.text)
  return !(at === 2 && last.word?.directional != null && hasDigit(tokens[0]!.text) && !last.comma)
}

// The longer of two city names, unless only the shorter leaves a street that ends as streets do.
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

// No city of that name is known and no comma helps: what stands behind the last suffix (and its unit) is the city.
function tail(tokens: Token[]): number {
  for (let i = tokens.length - 1; i > 1; i--) {
    const token = tokens[i]!
    const unitNumber =
      hasDigit(token.text) && (tokens[i - 1]!.word?.unit != null || tokens[i - 1]!.text === '#')
    const stops = token.comma || unitNumber || (token.word?.common === true && token.text !== 'ST')
    if (stops) return cityFrom(tokens, i + 1)
    if (hasDigit(token.text)) return 0
  }
  return 0
}

// A unit word or a single letter in front is not the city's.
function cityFrom(tokens: Token[], at: number): number {
  let start = at
  while (start < tokens.length && (tokens[start]!.word?.unit != null || tokens[start]!.text.length === 1))
    start++
  return tokens.length - start
}

function joined(tokens: Token[], from: number): string {
  let text = tokens[from]!.text
  for (let i = from + 1; i < tokens.length; i++) text += ` ${tokens[i]!.text}`
  return text
}
