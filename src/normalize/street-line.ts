import { findBox } from './boxes.ts'
import { streetTokens, hasDigit, isNumber, isOrdinal, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { HIGHWAY_WORDS, NUMBERS_IN_WORDS, ROUTE_ENDINGS, ROUTE_OWNERS, ROUTE_WORDS } from './street-words.ts'
import { isBareUnit, readUnits, unitStart } from './units.ts'
import type { Unit } from './units.ts'

export type AddressKind = 'street' | 'po_box' | 'rural_route' | 'military' | 'highway' | 'unknown'

/** The parts of a street line, upper case. Directions, suffixes and unit types are USPS abbreviations. */
export interface StreetLine {
  kind: AddressKind
  house_number: string | null
  pre_directional: string | null
  street_name: string | null
  street_suffix: string | null
  post_directional: string | null
  /** The innermost unit: 'APT', '#' where the line doesn't say what the number is; 'BOX' on a rural route. */
  unit_type: string | null
  unit_number: string | null
  /** The units around the innermost one, outermost first: 'BLDG C', 'BLDG C FL 3'. */
  building: string | null
  po_box: string | null
  /** The other street of a corner. */
  cross_street: string | null
}

/** Reads a street line in whole or in part ('123 N Main St Apt 4', 'Main St', '123 Main'). Never throws. */
export function parseStreetLine(text: string): StreetLine {
  return parseStreetTokens(streetTokens(text))
}

/** The same from tokens; takes the array for itself. */
export function parseStreetTokens(all: Token[]): StreetLine {
  const line = emptyLine()
  let tokens = all
  if (tokens.length === 0) return line
  const box = findBox(tokens)
  if (box !== null) {
    line.kind = box.kind
    if (box.kind === 'po_box') line.po_box = box.number
    else {
      line.street_name = box.route
      if (box.number !== null) {
        line.unit_type = 'BOX'
        line.unit_number = box.number
      }
    }
    if (box.kind !== 'po_box') return line
    tokens = tokens.toSpliced(box.start, box.next - box.start)
    const desk = tokens.length > 0 && startsWithDigit(tokens[0]!.text) ? null : readDesk(tokens)
    if (desk !== null) setUnits(line, [desk])
    if (desk !== null || !tokens.some((token) => startsWithDigit(token.text))) return line
  }
  const leading = leadingUnits(tokens)
  const number = houseNumber(tokens, lineStart(tokens, leading.next))
  const beside = number.text === null ? null : unitBeside(tokens, number.next)
  if (beside !== null) {
    leading.units.push(...beside.units)
    number.next = beside.next
  }
  line.house_number = number.text
  const from = number.next
  if (box !== null && (number.text === null || from >= tokens.length)) return { ...line, house_number: null }
  if (from >= tokens.length) {
    setUnits(line, leading.units)
    return line
  }
  line.kind = 'street'
  if (number.text === null) {
    const cross = crossing(tokens, from)
    if (cross > 0) return readCorner(tokens, from, cross, line)
  }
  readStreet(tokens, from, line, leading.units)
  return line
}

function emptyLine(): StreetLine {
  return {
    kind: 'unknown',
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
  }
}

// Large receivers sort a box's mail by 'DEPT 696' or 'FILE 30580'.
const DESKS = new Set(['DEPT', 'DEPARTMENT', 'DPT', 'FILE', 'LOCKBOX', 'DRAWER', 'BIN', 'MSC', 'REF', 'CODE', 'STOP', 'STE', 'SUITE', 'UNIT', 'APT']) // prettier-ignore
const NUMBER_MARKS = new Set(['#', 'NO', 'NUM', 'NUMBER'])

function readDesk(tokens: Token[]): Unit | null {
  for (let i = 0; i + 1 < tokens.length; i++) {
    if (!DESKS.has(tokens[i]!.text)) continue
    let at = i + 1
    while (at + 1 < tokens.length && NUMBER_MARKS.has(tokens[at]!.text)) at++
    const { text } = tokens[at]!
    if (!startsWithDigit(text)) continue
    // 'STE 5 12 MAIN ST' goes on with a street.
    if (at + 2 < tokens.length && startsWithDigit(tokens[at + 1]!.text)) return null
    return { type: tokens[i]!.word?.unit ?? tokens[i]!.text, number: text }
  }
  return null
}

// A name, a firm or a building may stand before the street ('ACME INC, 12 MAIN ST'): the street begins at its number.
function lineStart(tokens: Token[], from: number): number {
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

// '1 LINCOLN CTR 5400 OAK FWY', '30 ALLEN PLAZA, STE 700, 30 OAK BLVD': a building's own address, then the street's.
function buildingEnd(tokens: Token[], from: number): number {
  for (let i = from + 2; i + 2 < tokens.length; i++) {
    const { text, word } = tokens[i]!
    if (word?.common === true || ROUTE_WORDS.has(text)) return from
    if (!isNumber(text)) continue
    const before = tokens[i - 1]!
    if (before.word?.suffix != null || before.comma) return isStreetFrom(tokens, i + 1) ? i : from
  }
  return from
}

// Whether a whole street stands there: a direction and a name, or a name and its suffix.
function isStreetFrom(tokens: Token[], at: number): boolean {
  const first = tokens[at]!
  if (first.comma || first.word?.unit != null || at + 1 >= tokens.length) return false
  if (first.word?.directional != null) return !startsWithDigit(tokens[at + 1]!.text)
  for (let i = at + 1; i < tokens.length && i < at + 4; i++) {
    if (tokens[i]!.word?.common === true) return true
    if (tokens[i]!.comma) return false
  }
  return false
}

// 'APT 4, 123 MAIN ST', 'STE 200 BLDG 17 7000 OAK RD', '4TH FLOOR 300 E OAK ST': units before the house.
function leadingUnits(tokens: Token[]): { units: Unit[]; next: number } {
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
    const after = tokens[next + (marked ? 3 : 2)]
    if (
      after === undefined ||
      !(startsWithDigit(after.text) || after.word?.use === 'building' || after.word?.use === 'range')
    )
      break
    next += marked ? 3 : 2
  }
  return next === start ? { units: [], next } : { units: readUnits(tokens.slice(start, next), 0), next }
}

// '6910 # G OAK CIR', '12 APT 4 MAIN ST': the unit between number and street.
function unitBeside(tokens: Token[], at: number): { units: Unit[]; next: number } | null {
  const first = tokens[at]
  const second = tokens[at + 1]
  if (first === undefined || second === undefined || tokens[at + 2] === undefined) return null
  const designated =
    first.text === '#' ||
    first.word?.unit === 'APT' ||
    first.word?.unit === 'STE' ||
    first.word?.unit === 'UNIT'
  if (!designated || !(hasDigit(second.text) || second.text.length === 1)) return null
  return { units: readUnits(tokens.slice(at, at + 2), 0), next: at + 2 }
}

const ATTENTION = new Set(['ATTN', 'ATTENTION'])

// '123', '123A', '123 A', '123 1/2', '45-12', '123-125', 'N6W23001', 'ONE'.
function houseNumber(tokens: Token[], at: number): { text: string | null; next: number } {
  const token = tokens[at]
  const none = { text: null, next: at }
  if (token === undefined) return none
  const text = token.text
  const next = tokens[at + 1]
  if (!startsWithDigit(text)) {
    const inWords =
      next !== undefined && NUMBERS_IN_WORDS.has(text) && next.word?.common !== true && !next.comma
    if (inWords && (tokens[at + 2] !== undefined || next.word === undefined)) return { text, next: at + 1 }
    if (!isGridNumber(text)) return none
    return next !== undefined && isGridNumber(next.text)
      ? { text: text + next.text, next: at + 2 }
      : { text, next: at + 1 }
  }
  if (isOrdinal(text) && !(next !== undefined && tokens[at + 2] !== undefined && isOrdinal(next.text)))
    return none
  if (next === undefined) return { text, next: at + 1 }
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

// '358 370 E 71ST ST': two numbers of one length, rising, with a direction or a name behind them.
function isRange(tokens: Token[], at: number): boolean {
  const low = tokens[at]!.text
  const high = tokens[at + 1]!.text
  const after = tokens[at + 2]
  if (after === undefined || low.length !== high.length || !isNumber(low) || !isNumber(high) || high <= low)
    return false
  if (after.word?.directional != null)
    return tokens[at + 3] !== undefined && tokens[at + 3]!.word?.unit == null
  return after.word === undefined && !startsWithDigit(after.text)
}

function isFraction(text: string): boolean {
  return text.length >= 3 && text.includes('/') && startsWithDigit(text)
}

// '123 A MAIN ST', not '123 A ST', '123 N MAIN ST' or '123 J F KENNEDY BLVD'.
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

// Wisconsin's grid: 'N6W23001', 'W156N8480'.
function isGridNumber(text: string): boolean {
  return text.length >= 4 && GRID.test(text)
}
const GRID = /^[NSEW]\d+[NSEW]?\d*$/

function crossing(tokens: Token[], from: number): number {
  for (let i = from + 1; i + 1 < tokens.length; i++) {
    const text = tokens[i]!.text
    if (text === '&' || text === '@') return i
    if ((text === 'AND' || text === 'AT') && tokens[i + 1]!.text !== 'AND') return i
  }
  return 0
}

function readCorner(tokens: Token[], from: number, cross: number, line: StreetLine): StreetLine {
  let start = from
  while (start < cross - 1 && CORNER_WORDS.has(tokens[start]!.text)) start++
  readStreet(tokens.slice(start, cross), 0, line, [])
  const other = emptyLine()
  readStreet(tokens.slice(cross + 1), 0, other, [])
  const parts = [other.pre_directional, other.street_name, other.street_suffix, other.post_directional]
  line.cross_street = parts.filter((part) => part !== null).join(' ')
  return line
}

const CORNER_WORDS = new Set(['CORNER', 'COR', 'OF', 'INTERSECTION', 'NEC', 'NWC', 'SEC', 'SWC', 'THE'])

function readStreet(tokens: Token[], from: number, line: StreetLine, units: Unit[]): void {
  const streetEnd = Math.min(unitStart(tokens, from), commaEnd(tokens, from))
  const rest = readName(tokens, from, streetEnd, line)
  setUnits(line, [...units, ...readUnits(tokens, rest)])
}

// A comma ends the street unless a suffix or a direction follows it ('12 MAIN, ST').
function commaEnd(tokens: Token[], from: number): number {
  for (let i = from; i < tokens.length - 1; i++) {
    if (!tokens[i]!.comma) continue
    const word = tokens[i + 1]!.word
    const goesOn = (word?.common === true && tokens[i]!.word?.common !== true) || word?.directional != null
    if (!goesOn) return i + 1
  }
  return tokens.length
}

function setUnits(line: StreetLine, units: Unit[]): void {
  const inner = units.at(-1)
  if (inner === undefined) return
  line.unit_type = inner.type
  line.unit_number = inner.number
  if (units.length > 1) line.building = units.slice(0, -1).map(unitText).join(' ')
}

function unitText(unit: Unit): string {
  return unit.number === null ? unit.type : `${unit.type} ${unit.number}`
}

// Reads directions, name and suffix between `from` and `to`; returns where the units may begin.
function readName(tokens: Token[], from: number, to: number, line: StreetLine): number {
  let start = from
  const pre = preDirectional(tokens, start, to)
  if (pre > 0) {
    line.pre_directional = directionalText(tokens, start, pre)
    start += pre
  }
  const route = routeEnd(tokens, start, to)
  if (route > 0) return readRoute(tokens, start, route, to, line)
  let end = to
  const bare = bareUnitStart(tokens, start, end)
  const rest = bare
  end = bare
  const inner = innerSuffix(tokens, start, end)
  if (inner > 0) return readInner(tokens, start, inner, end, line)
  const post = postDirectional(tokens, start, end)
  if (post > 0) {
    line.post_directional = directionalText(tokens, end - post, post)
    end -= post
  }
  const last = tokens[end - 1]!
  if (end - 1 > start && last.word?.suffix != null && !isAvenueLetter(tokens, start, end)) {
    line.street_suffix = last.word.suffix
    end--
    // 'WASHINGTON NE PL': an abbreviated direction between name and suffix stands for one behind.
    if (line.post_directional === null && last.word.common && isInnerDirection(tokens, start, end)) {
      line.post_directional = directionalText(tokens, end - 1, 1)
      end--
    }
  }
  line.street_name = nameText(tokens, start, end)
  return rest
}

// Spelled out, or behind a figure or another suffix, the direction is the name's ('NINE NORTH DR', '2900 E RD').
function isInnerDirection(tokens: Token[], start: number, end: number): boolean {
  if (end - 1 <= start || tokens[end - 1]!.word?.directional == null) return false
  const before = tokens[end - 2]!
  if (hasDigit(before.text) || before.word?.common === true) return false
  return tokens[end - 1]!.text.length <= 2
}

function nameText(tokens: Token[], start: number, end: number): string | null {
  if (end - start === 1 && MARKS.has(tokens[start]!.text)) return null
  let name = tokens[start]!.text
  for (let i = start + 1; i < end; i++) name += ` ${tokens[i]!.text}`
  return name
}

const MARKS = new Set(['#', '&', '@', '-'])

function isAvenueLetter(tokens: Token[], start: number, end: number): boolean {
  return end - start === 2 && tokens[end - 1]!.text.length === 1 && ROUTE_WORDS.has(tokens[start]!.text)
}

/** How many tokens from `start` are a direction before the name; 0 when the direction is the name ('NORTH AVE'). */
function preDirectional(tokens: Token[], start: number, to: number): number {
  if (tokens[start]?.word?.directional == null || to - start < 2 || isCompass(tokens, start, to)) return 0
  const pair = isPair(tokens, start) && to - start >= 3 ? 2 : 1
  for (let count = pair; count > 0; count--) {
    const next = tokens[start + count]!
    if (next.text === 'END' || next.text === 'SIDE' || next.text === 'AND' || next.text === '&') continue
    let i = start + count
    if (next.word?.common === true && next.text !== 'AVENUE') {
      i++
      while (i < to && tokens[i]!.word?.directional != null) i++
      if (i >= to) continue
    }
    return count
  }
  return 0
}

// 'EAST WEST HWY', 'NORTH SOUTH RD': opposite directions are the name.
function isCompass(tokens: Token[], start: number, to: number): boolean {
  const pair = `${tokens[start]!.word!.directional!}${tokens[start + 1]!.word?.directional ?? ''}`
  const opposite = pair === 'EW' || pair === 'WE' || pair === 'NS' || pair === 'SN'
  return opposite && start + 3 === to && tokens[start + 2]!.word?.common === true
}

// 'S E', 'NORTH WEST': two words, one direction.
function isPair(tokens: Token[], at: number): boolean {
  const first = tokens[at]?.word?.directional
  const second = tokens[at + 1]?.word?.directional
  return (first === 'N' || first === 'S') && (second === 'E' || second === 'W')
}

function directionalText(tokens: Token[], at: number, count: number): string {
  return count === 1
    ? tokens[at]!.word!.directional!
    : `${tokens[at]!.word!.directional!}${tokens[at + 1]!.word!.directional!}`
}

function postDirectional(tokens: Token[], start: number, end: number): number {
  if (end - start < 2 || tokens[end - 1]!.word?.directional == null) return 0
  if (isAvenueLetter(tokens, start, end)) return 0
  return end - start >= 3 && isPair(tokens, end - 2) ? 2 : 1
}

/** The index behind a route's number ('US HWY 290', 'COUNTY ROAD 12', 'AVENUE H', 'FM 1960'); 0 when it is no route. */
function routeEnd(tokens: Token[], start: number, to: number): number {
  const first = tokens[start]!
  if (to - start === 1) return isRouteWord(first.text) ? to : 0
  if (isRouteWord(first.text)) return start + 1
  for (let i = start; i < to - 1 && i < start + 4; i++) {
    const text = tokens[i]!.text
    const next = tokens[i + 1]!
    const isRoute = ROUTE_WORDS.has(text)
    if (!isRoute) {
      if (i - start >= 2 && !ROUTE_OWNERS.has(text)) return 0
      continue
    }
    const marked = next.text === '#' || next.text === 'NO'
    const number = marked ? tokens[i + 2] : next
    const owned = i === start || ROUTE_OWNERS.has(tokens[i - 1]!.text)
    if ((!owned && !LONG_HIGHWAYS.has(text)) || number === undefined) continue
    if (startsWithDigit(number.text) && !isOrdinal(number.text))
      return routeTail(tokens, i + (marked ? 3 : 2), to)
    // 'AVENUE H', 'COUNTY ROAD B', 'HIGHWAY AA'; not 'AVENUE N' in 'AVENUE N W'.
    const county = i > start && tokens[i - 1]!.text === 'COUNTY'
    const letter =
      next.text.length === 1 || (next.text.length === 2 && (county || next.text[0] === next.text[1]))
    if (owned && letter && next.text !== '&' && (next.word?.directional == null || i + 2 === to)) return i + 2
  }
  return 0
}

// Words that make a route of whatever stands before them ('SCENIC HWY 98', 'IL RTE 2').
const LONG_HIGHWAYS = new Set(['HIGHWAY', 'HWY', 'HIWAY', 'HGWY', 'ROUTE', 'RTE', 'INTERSTATE'])

// 'HIGHWAY 71 BUSINESS', 'I 49 S SERVICE RD': what follows the number and still is the name.
function routeTail(tokens: Token[], end: number, to: number): number {
  if (end < to && ROUTE_ENDINGS.has(tokens[end]!.text)) return end + 1
  const at = end < to && tokens[end]!.word?.directional != null ? end + 1 : end
  const service = at + 1 < to && SERVICE_WORDS.has(tokens[at]!.text) && tokens[at + 1]!.word?.common === true
  return service ? at + 1 : end
}

const SERVICE_WORDS = new Set(['SERVICE', 'FRONTAGE', 'ACCESS', 'FEEDER'])

// 'I-95', 'US-290', 'SR-7': the word and the number in one.
function isRouteWord(text: string): boolean {
  const hyphen = text.indexOf('-')
  return (
    hyphen > 0 &&
    hyphen < 5 &&
    startsWithDigit(text.slice(hyphen + 1)) &&
    ROUTE_WORDS.has(text.slice(0, hyphen))
  )
}

function readRoute(tokens: Token[], start: number, end: number, to: number, line: StreetLine): number {
  line.street_name = nameText(tokens, start, end)
  for (let i = start; i < end; i++) {
    const text = tokens[i]!.text
    if (HIGHWAY_WORDS.has(text) || isRouteWord(text)) line.kind = 'highway'
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

/** Where an identifier without designator begins ('MAIN ST 4B', 'MAIN ST N 405'); `to` when there is none. */
function bareUnitStart(tokens: Token[], start: number, to: number): number {
  for (let i = start + 1; i < to; i++) {
    const before = tokens[i - 1]!
    if (!isBareUnit(tokens[i]!)) {
      continue
    }
    const figures = startsWithDigit(tokens[i]!.text)
    const afterSuffix = endsStreetName(before, figures) && i - 1 > start
    const afterDirection =
      before.word?.directional != null && i - 2 > start && endsStreetName(tokens[i - 2]!, figures)
    if (afterSuffix || afterDirection) return i
    const plain = isNumber(tokens[i]!.text) || (figures && i === to - 1 && before.word === undefined)
    if (plain && to - i <= 2 && tokens[i + 1]?.word?.suffix == null) return i
  }
  return to
}

// A word of names that can be a suffix ('PARK') is one only before figures.
function endsStreetName(token: Token, figures: boolean): boolean {
  return token.word?.common === true || (figures && token.word?.suffix != null)
}

/** A suffix in the middle with a place behind it ('MAIN ST SPRINGFIELD'); 0 when the line ends with its suffix. */
function innerSuffix(tokens: Token[], start: number, end: number): number {
  const post = postDirectional(tokens, start, end)
  const last = end - post - 1
  const ended = tokens[last]!.word?.common === true && last > start
  // 'RIVER RD LIBERTY GROVE RD': a plain suffix at the end is the suffix, whatever stands inside.
  if (ended && PLAIN_SUFFIXES.has(tokens[last]!.word!.suffix!)) return 0
  for (let i = start + 1; i < last; i++) {
    const { text, word } = tokens[i]!
    if (word?.common !== true || tokens[i + 1]!.text === 'OF') continue
    // Before another suffix only the plainest ends a street ('OAK RD MIDDLETON CV', but 'MT ST HELENS WAY').
    if (ended && (!PLAIN_SUFFIXES.has(word.suffix!) || text === 'ST')) continue
    let next = i
    while (next + 1 < end && tokens[next + 1]!.word?.suffix != null) next++
    if (next >= last) return next === i ? i : 0
    if (!ended || next === i) return i
  }
  return 0
}

const PLAIN_SUFFIXES = new Set(['ST', 'AVE', 'RD', 'BLVD', 'DR', 'LN'])

function readInner(tokens: Token[], start: number, suffix: number, end: number, line: StreetLine): number {
  line.street_suffix = tokens[suffix]!.word!.suffix
  line.street_name = nameText(tokens, start, suffix)
  const after = tokens[suffix + 1]
  if (suffix + 1 >= end || after!.word?.directional == null || after!.text.length > 2) return suffix + 1
  const count = isPair(tokens, suffix + 1) && suffix + 2 < end ? 2 : 1
  line.post_directional = directionalText(tokens, suffix + 1, count)
  return suffix + 1 + count
}
