import { directionalText, isPair } from './directions.ts'
import type { StreetLine } from './street-parts.ts'
import { stateCode } from './places.ts'
import { isNumber, isOrdinal, nameText, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { COUNTIES, HIGHWAY_WORDS, ROUTE_ENDINGS, ROUTE_OWNERS, ROUTE_WORDS } from './street-words.ts'

/**
 * Returns the index after a route's number ('US HWY 290', 'COUNTY ROAD 12', 'AVENUE H', 'FM 1960'); 0 when no route
 * begins at `start`.
 */
export function routeEnd(tokens: Token[], start: number, to: number): number {
  const first = tokens[start]!
  if (isStateRoute(tokens, start, to)) return start + 2
  if (to - start === 1) return isRouteWord(first.text) ? to : 0
  if (isRouteWord(first.text)) return start + 1
  for (let i = start; i < to - 1 && i < start + 4; i++) {
    const text = tokens[i]!.text
    const next = tokens[i + 1]!
    const isRoute =
      ROUTE_WORDS.has(text) ||
      (text === 'MARKET' && i > start && isOwner(tokens, i)) ||
      (TRUNKS.has(text) && i > start && !ROUTE_WORDS.has(next.text) && isOwner(tokens, i))
    if (!isRoute) {
      if (i - start >= 2 && !isOwner(tokens, i)) return 0
      continue
    }
    const marked = next.text === '#' || next.text === 'NO'
    const number = marked ? tokens[i + 2] : next
    const owned = i === start || text === 'MARKET' || isOwner(tokens, i - 1)
    if ((!owned && !LONG_HIGHWAYS.has(text)) || number === undefined) continue
    if (startsWithDigit(number.text) && !isOrdinal(number.text))
      return routeTail(tokens, i + (marked ? 3 : 2), to)
    // 'STATE ROAD A1A', 'HIGHWAY M28': route numbers that begin with a letter.
    if (owned && LETTERED.test(number.text) && (HIGHWAY_WORDS.has(text) || i > start))
      return routeTail(tokens, i + (marked ? 3 : 2), to)
    // 'AVENUE H', 'COUNTY ROAD B', 'HIGHWAY AA' are routes. 'AVENUE N W' is not.
    const after = i + (marked ? 3 : 2)
    const ofCounty = isCountyRoad(tokens, start, i)
    const letter =
      isRoadLetter(number.text, ofCounty) ||
      (ofCounty && after === to && number.word == null && THREE_LETTERS.test(number.text))
    if (owned && letter && (number.word?.directional == null || after === to)) return after
  }
  return 0
}

const TRUNKS = new Set(['TRUNK', 'TRK'])

/** Returns whether the route word at `i` belongs to a county: 'COUNTY ROAD', 'CTY TRUNK HWY', 'CTH'. */
function isCountyRoad(tokens: Token[], start: number, i: number): boolean {
  const text = tokens[i]!.text
  if (text === 'CTH' || text === 'CR') return true
  const owner = i > start && TRUNKS.has(tokens[i - 1]!.text) ? i - 2 : i - 1
  return owner >= start && COUNTIES.has(tokens[owner]!.text)
}

/** Returns whether letters number a road: 'A' and 'AA' on any road, 'JK' and 'ZZZ' on a county's road. */
function isRoadLetter(text: string, ofCounty: boolean): boolean {
  if (text.length === 1) return text >= 'A' && text <= 'Z'
  if (text.length === 2) return ofCounty ? LETTER_PAIR.test(text) : text[0] === text[1]
  return ofCounty && LETTERS_ALIKE.test(text)
}

const LETTER_PAIR = /^[A-Z]{2}$/
/** Three different letters ('COUNTY ROAD PDZ') may also be a word, so they count only at the end of the line. */
const THREE_LETTERS = /^[A-Z]{3}$/
const LETTERS_ALIKE = /^([A-Z])\1\1$/

// Returns whether a state route begins at `start`: 'KY 89', 'M 28', 'TX 71 W'. At most a direction may follow the
// number.
function isStateRoute(tokens: Token[], start: number, to: number): boolean {
  const { text, word } = tokens[start]!
  const number = tokens[start + 1]
  if (start + 1 >= to || number === undefined || !isNumber(number.text) || number.text.length > 4)
    return false
  const end = start + 2
  if (end < to && (end + 1 < to || tokens[end]!.word?.directional == null)) return false
  if (text.length === 1) return 'MFK'.includes(text)
  if (word?.common === true || word?.directional != null) return false
  return text.length === 2 && !ROUTE_WORDS.has(text) && stateCode(text) === text
}

const LETTERED = /^[A-Z]\d{1,3}[A-Z]?$/

// Returns whether the word at `i` owns a route, like COUNTY in 'COUNTY ROAD'. MARKET and SERVICE need the words before
// them: 'FARM TO MARKET ROAD', 'FOREST SERVICE ROAD'.
function isOwner(tokens: Token[], i: number): boolean {
  const { text } = tokens[i]!
  if (ROUTE_OWNERS.has(text)) return true
  const before = tokens[i - 1]?.text
  return (
    (TRUNKS.has(text) && (COUNTIES.has(before ?? '') || before === 'STATE')) ||
    (text === 'MARKET' && before === 'TO') ||
    (text === 'SERVICE' && before === 'FOREST') ||
    text === 'BIA'
  )
}

// After any word, these words and a number are a route: 'SCENIC HWY 98', 'IL RTE 2'.
const LONG_HIGHWAYS = new Set(['HIGHWAY', 'HWY', 'HIWAY', 'HGWY', 'ROUTE', 'RTE', 'INTERSTATE'])

// Returns the index after the words that follow the number and belong to the name: 'HIGHWAY 71 BUSINESS', 'I 49 S
// SERVICE RD'.
function routeTail(tokens: Token[], end: number, to: number): number {
  if (end < to && ROUTE_ENDINGS.has(tokens[end]!.text)) return end + 1
  const at = end < to && tokens[end]!.word?.directional != null ? end + 1 : end
  const service = at + 1 < to && SERVICE_WORDS.has(tokens[at]!.text) && tokens[at + 1]!.word?.common === true
  return service ? at + 1 : end
}

const SERVICE_WORDS = new Set(['SERVICE', 'FRONTAGE', 'ACCESS', 'FEEDER'])

// Returns whether a hyphen joins route word and number: 'I-95', 'US-290', 'SR-7'.
function isRouteWord(text: string): boolean {
  const hyphen = text.indexOf('-')
  return (
    hyphen > 0 &&
    hyphen < 5 &&
    startsWithDigit(text.slice(hyphen + 1)) &&
    ROUTE_WORDS.has(text.slice(0, hyphen))
  )
}

export function readRoute(tokens: Token[], start: number, end: number, to: number, line: StreetLine): number {
  line.street_name = nameText(tokens, start, end)
  for (let i = start; i < end; i++) {
    const text = tokens[i]!.text
    if (HIGHWAY_WORDS.has(text) || isRouteWord(text)) line.kind = 'highway'
    else if (i === start && i + 2 === end && isStateRoute(tokens, start, end)) line.kind = 'highway'
    else if (ROUTE_OWNERS.has(text) && i + 1 < end && ROUTE_WORDS.has(tokens[i + 1]!.text))
      line.kind = 'highway'
  }
  let i = end
  if (i < to && tokens[i]!.word?.common === true) line.street_suffix = tokens[i++]!.word!.suffix
  if (i < to && tokens[i]!.word?.directional != null) {
    const count = i + 1 < to && isPair(tokens, i) ? 2 : 1
    line.post_directional = directionalText(tokens, i, count)
    i += count
  }
  return i
}
