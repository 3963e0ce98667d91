import { routeEnd } from './routes.ts'
import { hasDigit, isNumber, isOrdinal, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { NUMBER_MARKS, NUMBERS_IN_WORDS, ROUTE_WORDS } from './street-words.ts'
import { readUnits } from './units.ts'
import type { Unit } from './units.ts'

// Words for a mail stop within a large company, before its box: 'DEPT 696', 'FILE 30580'.
const DESKS = new Set(['DEPT', 'DEPARTMENT', 'DPT', 'FILE', 'LOCKBOX', 'DRAWER', 'BIN', 'MSC', 'REF', 'CODE', 'STOP', 'STE', 'SUITE', 'UNIT', 'APT']) // prettier-ignore

export function readDesk(tokens: Token[]): Unit | null {
  for (let i = 0; i + 1 < tokens.length; i++) {
    if (!DESKS.has(tokens[i]!.text)) continue
    let at = i + 1
    while (at + 1 < tokens.length && NUMBER_MARKS.has(tokens[at]!.text)) at++
    const { text } = tokens[at]!
    if (!startsWithDigit(text)) continue
    // 'STE 5 12 MAIN ST': a street follows, so STE is a suite of that street.
    if (at + 2 < tokens.length && startsWithDigit(tokens[at + 1]!.text)) return null
    const more = tokens[at + 1]?.text ?? ''
    return {
      type: tokens[i]!.word?.unit ?? tokens[i]!.text,
      number: isNumber(more) ? `${text} ${more}` : text,
    }
  }
  return null
}

// Returns the index of the house number. Names, companies and buildings may come before it: 'ACME INC, 12 MAIN ST'.
export function lineStart(tokens: Token[], from: number): number {
  const first = tokens[from]
  if (first === undefined) return from
  if (first.text === '#' && tokens[from + 2] !== undefined && startsWithDigit(tokens[from + 1]!.text))
    return from + 1
  if (startsWithDigit(first.text) && !isOrdinal(first.text)) return buildingEnd(tokens, from)
  if (first.text === '#') return from
  const inWords = NUMBERS_IN_WORDS.has(first.text)
  for (let i = from + 1; i + 1 < tokens.length; i++) {
    const text = tokens[i]!.text
    if (NUMBERS_IN_WORDS.has(text) && !tokens[i]!.comma && !inWords && isStreetFrom(tokens, i + 1)) return i
    if (!startsWithDigit(text) || isOrdinal(text)) continue
    const before = tokens[i - 1]!
    const after = tokens[i + 1]!
    // 'PORTOFINO N 507 2600 N FLAGLER DR': the first number is a flat in the building before the street.
    if (startsWithDigit(after.text) && !isOrdinal(after.text) && isStreetFrom(tokens, i + 2) && !isRange(tokens, i)) continue // prettier-ignore
    if (after.text === '&' || after.text === 'AND' || after.word?.use === 'floor') continue
    if (before.comma && !(before.word?.common === true && i + 2 === tokens.length)) return i
    if (before.word?.unit === 'TWR' && isStreetFrom(tokens, i + 1)) return i
    if (inWords || before.word?.unit != null || before.text === '#' || before.text === '&') continue
    if (ROUTE_WORDS.has(before.text) && before.word?.common !== true) continue
    const named = before.word?.suffix != null || before.word?.directional != null
    if (named ? isStreetFrom(tokens, i + 1) : i + 2 < tokens.length || after.word?.unit == null) return i
  }
  return from
}

// Returns the index after a building's own address: '1 LINCOLN CTR 5400 OAK FWY', '30 ALLEN PLAZA, STE 700, 30 OAK
// BLVD'; `from` without one.
function buildingEnd(tokens: Token[], from: number): number {
  for (let i = from + 1; i + 2 < tokens.length; i++) {
    const { text, word } = tokens[i]!
    if (word?.common === true || ROUTE_WORDS.has(text)) return from
    if (!isNumber(text)) continue
    const before = tokens[i - 1]!
    if (before.word?.suffix != null || before.comma) return isStreetFrom(tokens, i + 1) ? i : from
  }
  return from
}

/** Returns whether a whole street begins at `at`: a direction and a name, or a name and its suffix. */
export function isStreetFrom(tokens: Token[], at: number): boolean {
  const first = tokens[at]
  if (first === undefined || first.comma || first.word?.unit != null || at + 1 >= tokens.length) return false
  if (first.word?.directional != null) return !startsWithDigit(tokens[at + 1]!.text)
  for (let i = at + 1; i < tokens.length && i < at + 4; i++) {
    if (tokens[i]!.word?.common === true) return true
    if (tokens[i]!.comma) return false
  }
  return false
}

// Reads units before the house number: 'APT 4, 123 MAIN ST', 'STE 200 BLDG 17 7000 OAK RD', '4TH FLOOR 300 E OAK ST'.
// `next` is the index after them.
export function leadingUnits(tokens: Token[]): { units: Unit[]; next: number } {
  let next = 0
  while (tokens[next] !== undefined && ATTENTION.has(tokens[next]!.text)) next++
  const start = next
  for (;;) {
    const first = tokens[next]
    const second = tokens[next + 1]
    const third = tokens[next + 2]
    if (first === undefined || second === undefined || third === undefined) break
    if (second.word?.use === 'floor' && isOrdinal(first.text)) {
      next += 2
      continue
    }
    const designated = first.text === '#' || first.word?.use === 'range' || first.word?.use === 'building'
    const marked = designated && second.text === '#' && startsWithDigit(third.text)
    const number = marked ? third : second
    if (!designated || !(hasDigit(number.text) || number.text.length <= 2)) break
    let end = next + (marked ? 3 : 2)
    // 'DEPT 96 0430, 3545 NW 58TH': both numbers are one unit number.
    if (isNumber(tokens[end]?.text ?? '') && tokens[end]!.comma && startsWithDigit(tokens[end + 1]?.text ?? '')) end++ // prettier-ignore
    const after = tokens[end]
    if (
      after === undefined ||
      !(startsWithDigit(after.text) || after.word?.use === 'building' || after.word?.use === 'range')
    )
      break
    next = end
  }
  return next === start ? { units: [], next } : { units: readUnits(tokens.slice(start, next), 0), next }
}

/**
 * Returns the numbered units in the words before the house number: 'HARBOR MALL SPC 14, 55 OAK ST', 'SUITE 700, HARBOR
 * TOWER, 55 OAK ST'.
 */
export function passedUnits(tokens: Token[], from: number, to: number): Unit[] {
  const units: Unit[] = []
  for (let i = from; i + 1 < to; i++) {
    const { use } = tokens[i]!.word ?? {}
    const designated = use === 'range' || use === 'numbered' || use === 'building'
    if (!designated || tokens[i]!.text === 'BOX' || tokens[i]!.comma || !hasDigit(tokens[i + 1]!.text))
      continue
    units.push(...readUnits(tokens.slice(i, i + 2), 0))
  }
  return units
}

// Reads a unit between house number and street: '6910 # G OAK CIR', '12 APT 4 MAIN ST'; null without one.
export function unitBeside(tokens: Token[], at: number): { units: Unit[]; next: number } | null {
  const first = tokens[at]
  const second = tokens[at + 1]
  if (first === undefined || second === undefined || tokens[at + 2] === undefined) return null
  // '123 REAR OAK CT' has a unit, '123 REAR LN' does not.
  if (first.text === 'REAR' && tokens[at + 2] !== undefined && second.word?.common !== true)
    return { units: [{ type: 'REAR', number: null }], next: at + 1 }
  const designated =
    first.text === '#' ||
    first.word?.unit === 'APT' ||
    first.word?.unit === 'STE' ||
    first.word?.unit === 'UNIT'
  if (!designated || !(hasDigit(second.text) || second.text.length === 1)) return null
  return { units: readUnits(tokens.slice(at, at + 2), 0), next: at + 2 }
}

const ATTENTION = new Set(['ATTN', 'ATTENTION'])

// Reads '123', '123A', '123 A', '123 1/2', '45-12', '123-125', 'N6W23001', 'ONE'. `text` is null without a house
// number; `next` is the token after it.
export function houseNumber(tokens: Token[], at: number): { text: string | null; next: number } {
  const token = tokens[at]
  const none = { text: null, next: at }
  if (token === undefined) return none
  const text = token.text
  const next = tokens[at + 1]
  if (!startsWithDigit(text)) {
    const inWords =
      next !== undefined && NUMBERS_IN_WORDS.has(text) && next.word?.common !== true && !next.comma
    if (inWords && (tokens[at + 2] !== undefined || next.word === undefined)) return { text, next: at + 1 }
    if (!isGridNumber(text)) return at === 0 && isLetteredNumber(tokens) ? { text, next: 1 } : none
    return next !== undefined && isGridNumber(next.text)
      ? { text: text + next.text, next: at + 2 }
      : { text, next: at + 1 }
  }
  if (isOrdinal(text) && !(next !== undefined && tokens[at + 2] !== undefined && isOrdinal(next.text)))
    return none
  if (next === undefined) return { text, next: at + 1 }
  const joined = text.includes('/') ? JOINED_FRACTION.exec(text) : null
  if (joined !== null) return { text: `${joined[1]!} ${joined[2]!}`, next: at + 1 }
  let number = text
  let i = at + 1
  if (
    next.text === '&' &&
    tokens[i + 1] !== undefined &&
    isNumber(tokens[i + 1]!.text) &&
    tokens[i + 2] !== undefined
  ) {
    number += `-${tokens[i + 1]!.text}`
    i += 2
  } else if (next.text === 'TO' && isNumber(tokens[i + 1]?.text ?? '') && tokens[i + 2] !== undefined) {
    number += `-${tokens[i + 1]!.text}`
    i += 2
  } else if (isRange(tokens, at)) {
    number += `-${next.text}`
    i++
  }
  const after = tokens[i]
  if (after !== undefined && isFraction(after.text) && tokens[i + 1] !== undefined)
    return { text: `${number} ${after.text}`, next: i + 1 }
  if (after !== undefined && isNumberLetter(tokens, i)) return { text: `${number}${after.text}`, next: i + 1 }
  return { text: number, next: i }
}

// '12-1/2' is read as '12 1/2'.
const JOINED_FRACTION = /^(\d+)-(\d\/\d)$/

// Returns whether two numbers are a range: '358 370 E 71ST ST'. They rise, have equal length, and a direction or a name
// follows.
function isRange(tokens: Token[], at: number): boolean {
  const low = tokens[at]!.text
  const high = tokens[at + 1]!.text
  const after = tokens[at + 2]
  if (tokens[at]!.comma) return false
  if (after === undefined || low.length !== high.length || !isNumber(low) || !isNumber(high) || high <= low)
    return false
  if (after.word?.directional != null)
    return tokens[at + 3] !== undefined && tokens[at + 3]!.word?.unit == null
  return after.word === undefined && !startsWithDigit(after.text)
}

function isFraction(text: string): boolean {
  return text.length >= 3 && text.includes('/') && startsWithDigit(text)
}

// Returns whether a letter belongs to the house number: '123 A MAIN ST' has number '123A'. '123 A ST', '123 N MAIN ST'
// and '123 J F KENNEDY BLVD' have number '123'.
function isNumberLetter(tokens: Token[], i: number): boolean {
  const token = tokens[i]!
  const next = tokens[i + 1]
  if (token.text.length !== 1 || token.text < 'A' || token.text > 'Z' || token.word?.directional != null)
    return false
  if (next === undefined || next.text.length === 1 || next.text === 'AND') return false
  if (tokens[i + 2] === undefined) return next.word === undefined && next.text.length > 3
  if (token.text > 'H') return false
  return next.word?.common !== true && !(next.word?.unit != null && next.word.suffix === null)
}

// Returns whether the line begins with a number of Ohio's address grid: 'T703 COUNTY ROAD 5', 'H123 MAPLE RD'. Letters
// of routes are excluded before other streets: 'I95 SERVICE RD'.
function isLetteredNumber(tokens: Token[]): boolean {
  const { text, comma } = tokens[0]!
  if (comma || tokens.length < 3 || !LETTERED_NUMBER.test(text)) return false
  if (routeEnd(tokens, 1, tokens.length) > 0) return true
  return !'IUMKF'.includes(text[0]!) && isStreetFrom(tokens, 1)
}

const LETTERED_NUMBER = /^[A-Z]-?\d{1,5}$/

// Returns whether the text is a number of Wisconsin's address grid: 'N6W23001', 'W156N8480'.
function isGridNumber(text: string): boolean {
  return text.length >= 4 && GRID.test(text)
}
const GRID = /^[NSEW]\d+[NSEW]?\d*$/
