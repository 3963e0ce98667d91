import { findBox } from './boxes.ts'
import { streetTokens, hasDigit, isNumber, isOrdinal, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { HIGHWAY_WORDS, NUMBERS_IN_WORDS, ROUTE_OWNERS, ROUTE_WORDS } from './street-words.ts'
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
    if (!tokens.some((token) => startsWithDigit(token.text))) return line
  }
  const start = lineStart(tokens)
  const leading = leadingUnits(tokens, start)
  const number = houseNumber(tokens, leading.next)
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

// A name, a firm or a building may stand before the street ('ACME INC, 12 MAIN ST'): the street begins at its number.
function lineStart(tokens: Token[]): number {
  const first = tokens[0]!
  if (startsWithDigit(first.text) || first.text === '#' || NUMBERS_IN_WORDS.has(first.text)) return 0
  if ((first.word?.use === 'range' || first.word?.use === 'building') && first.word.suffix === null) return 0
  for (let i = 1; i + 1 < tokens.length; i++) {
    const text = tokens[i]!.text
    if (!startsWithDigit(text) || isOrdinal(text)) continue
    const before = tokens[i - 1]!
    if (before.comma && !(before.word?.common === true && i + 2 === tokens.length)) return i
    if (before.word?.unit != null || before.text === '#' || ROUTE_WORDS.has(before.text)) continue
    if (before.word?.suffix != null || before.word?.directional != null) continue
    if (i + 2 < tokens.length || tokens[i + 1]!.word?.unit == null) return i
  }
  return 0
}

// 'APT 4, 123 MAIN ST': the unit before the house.
function leadingUnits(tokens: Token[], start: number): { units: Unit[]; next: number } {
  const first = tokens[start]!
  const second = tokens[start + 1]
  if (second === undefined) return { units: [], next: start }
  const designated = first.text === '#' || first.word?.use === 'range' || first.word?.use === 'building'
  const third = tokens[start + 2]
  if (
    designated &&
    third !== undefined &&
    startsWithDigit(third.text) &&
    (hasDigit(second.text) || second.text.length <= 2)
  ) {
    return { units: readUnits(tokens.slice(start, start + 2), 0), next: start + 2 }
  }
  if (second.word?.use === 'floor' && third !== undefined && startsWithDigit(third.text)) {
    return { units: readUnits(tokens.slice(start, start + 2), 0), next: start + 2 }
  }
  return { units: [], next: start }
}

// '123', '123A', '123 A', '123 1/2', '45-12', '123-125', 'N6W23001', 'ONE'.
function houseNumber(tokens: Token[], at: number): { text: string | null; next: number } {
  const token = tokens[at]
  const none = { text: null, next: at }
  if (token === undefined) return none
  const text = token.text
  const next = tokens[at + 1]
  if (!startsWithDigit(text)) {
    if (next !== undefined && NUMBERS_IN_WORDS.has(text) && next.word?.suffix == null)
      return { text, next: at + 1 }
    return isGridNumber(text) ? { text, next: at + 1 } : none
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
  }
  const after = tokens[i]
  if (after !== undefined && isFraction(after.text) && tokens[i + 1] !== undefined)
    return { text: `${number} ${after.text}`, next: i + 1 }
  if (after !== undefined && isNumberLetter(tokens, i)) return { text: `${number}${after.text}`, next: i + 1 }
  return { text: number, next: i }
}

function isFraction(text: string): boolean {
  return text.length >= 3 && text.includes('/') && startsWithDigit(text)
}

// '123 A MAIN ST', not '123 A ST', '123 N MAIN ST' or '123 J F KENNEDY BLVD'.
function isNumberLetter(tokens: Token[], i: number): boolean {
  const token = tokens[i]!
  const next = tokens[i + 1]
  if (token.text.length !== 1 || token.text < 'A' || token.text > 'H' || token.word?.directional != null)
    return false
  if (next === undefined || tokens[i + 2] === undefined || next.text.length === 1) return false
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
  if (inner > 0) return readInner(tokens, start, inner, end, rest, line)
  const post = postDirectional(tokens, start, end)
  if (post > 0) {
    line.post_directional = directionalText(tokens, end - post, post)
    end -= post
  }
  const last = tokens[end - 1]!
  if (end - 1 > start && last.word?.suffix != null && !isAvenueLetter(tokens, start, end)) {
    line.street_suffix = last.word.suffix
    end--
  }
  line.street_name = nameText(tokens, start, end)
  return rest
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
  if (tokens[start]?.word?.directional == null || to - start < 2) return 0
  const pair = isPair(tokens, start) && to - start >= 3 ? 2 : 1
  for (let count = pair; count > 0; count--) {
    const next = tokens[start + count]!
    if (next.text === 'END') continue
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
    const marked = next.text === '#' || next.text === 'NO'
    const number = marked ? tokens[i + 2] : next
    const figures = number !== undefined && startsWithDigit(number.text) && !isOrdinal(number.text)
    if (HIGHWAY_WORDS.has(text) && figures) return i + (marked ? 3 : 2)
    if (!ROUTE_WORDS.has(text)) {
      if (!ROUTE_OWNERS.has(text)) return 0
      continue
    }
    const owned = i === start || ROUTE_OWNERS.has(tokens[i - 1]!.text)
    if (owned && figures) return i + (marked ? 3 : 2)
    // 'AVENUE H', 'COUNTY ROAD B', 'HIGHWAY AA'; not 'AVENUE N' in 'AVENUE N W'.
    if (
      owned &&
      next.text.length <= 2 &&
      next.word?.suffix == null &&
      next.text !== '&' &&
      !ROUTE_WORDS.has(next.text)
    ) {
      if (next.word?.directional == null || i + 2 === to) return i + 2
    }
  }
  return 0
}

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
    if (!isBareUnit(tokens[i]!)) continue
    const before = tokens[i - 1]!
    const afterSuffix = before.word?.common === true && i - 1 > start
    const afterDirection =
      before.word?.directional != null && i - 2 > start && tokens[i - 2]!.word?.common === true
    if (afterSuffix || afterDirection) return i
    if (i > start && isNumber(tokens[i]!.text) && to - i <= 2 && tokens[i + 1]?.word?.suffix == null) return i
  }
  return to
}

/** A suffix in the middle with a place behind it ('MAIN ST SPRINGFIELD'); 0 when the line ends with its suffix. */
function innerSuffix(tokens: Token[], start: number, end: number): number {
  const post = postDirectional(tokens, start, end)
  const last = tokens[end - post - 1]!
  if (last.word?.common === true && end - post - 1 > start) return 0
  for (let i = start + 1; i < end - post - 1; i++) {
    if (tokens[i]!.word?.common !== true || tokens[i + 1]!.text === 'OF') continue
    let next = i
    while (next + 1 < end && tokens[next + 1]!.word?.suffix != null) next++
    if (next === end - 1 || next + post === end - 1) return next === i ? i : 0
    return i
  }
  return 0
}

function readInner(
  tokens: Token[],
  start: number,
  suffix: number,
  end: number,
  rest: number,
  line: StreetLine,
): number {
  line.street_suffix = tokens[suffix]!.word!.suffix
  line.street_name = nameText(tokens, start, suffix)
  const after = tokens[suffix + 1]
  if (suffix + 1 < end && after!.word?.directional != null && after!.text.length <= 2) {
    line.post_directional = directionalText(
      tokens,
      suffix + 1,
      isPair(tokens, suffix + 1) && suffix + 2 < end ? 2 : 1,
    )
  }
  return rest
}
