import { findBox } from './boxes.ts'
import type { Box } from './boxes.ts'
import { directionalText, isPair } from './directions.ts'
import { houseNumber, leadingUnits, lineStart, passedUnits, readDesk, unitBeside } from './line-start.ts'
import { findMileMarker } from './mile-markers.ts'
import { readRoute, routeEnd } from './routes.ts'
import { hasDigit, isNumber, nameText, startsWithDigit, streetTokens } from './street-tokens.ts'
import type { StreetLine } from './street-parts.ts'
import type { Token } from './street-tokens.ts'
import { HIGHWAY_WORDS, ROUTE_OWNERS, ROUTE_WORDS } from './street-words.ts'
import { isBareUnit, readUnits, unitStart } from './units.ts'
import type { Unit } from './units.ts'

/** Reads a street line, whole or partial ('123 N Main St Apt 4', 'Main St', '123 Main'). Never throws. */
export function parseStreetLine(text: string): StreetLine {
  return parseStreetTokens(streetTokens(text))
}

/** Reads a street line from its tokens. Changes the array, so callers must not use it afterwards. */
export function parseStreetTokens(all: Token[]): StreetLine {
  const marker = findMileMarker(all)
  if (marker === null) return parseTokens(all)
  const rest = all.toSpliced(marker.start, marker.next - marker.start)
  const line = parseTokens(rest)
  if (line.street_name === null) return parseTokens(all)
  // A mile marker replaces the house number only where the line has none.
  line.house_number ??= `MM ${marker.number}`
  return line
}

function parseTokens(all: Token[]): StreetLine {
  const line = emptyLine()
  let tokens = all
  if (tokens.length === 0) return line
  const box = findBox(tokens)
  if (box?.kind === 'rural_route' && isBehindStreet(tokens, box)) return readBoxedStreet(tokens, box)
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
  const start = lineStart(tokens, leading.next)
  leading.units.push(...passedUnits(tokens, leading.next, start))
  const number = houseNumber(tokens, start)
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
  const cross = crossing(tokens, from, number.text !== null)
  if (cross > 0) return readCorner(tokens, from, cross, line)
  readStreet(tokens, sideStart(tokens, from), line, leading.units)
  takeTrailingNumber(line)
  return line
}

// Reads a house on a street with a rural route behind it: '104 S WALNUT RR 1 BOX 297'. The route goes into `building`.
function readBoxedStreet(tokens: Token[], box: Box): StreetLine {
  const line = parseStreetTokens(tokens.slice(0, box.start))
  setUnits(line, [
    { type: box.route!.split(' ')[0]!, number: box.route!.split(' ')[1] ?? null },
    { type: 'BOX', number: box.number },
  ])
  return line
}

function isBehindStreet(tokens: Token[], box: Box): boolean {
  if (box.start < 2 || box.number === null || !startsWithDigit(tokens[0]!.text)) return false
  return tokens.slice(1, box.start).some(({ text, word }) => !hasDigit(text) && word?.unit == null)
}

// Takes the house number from the end of the line: 'MAIN ST 2418', 'CALLE LUNA 150'.
function takeTrailingNumber(line: StreetLine): void {
  const { street_name, street_suffix, unit_type, unit_number, house_number } = line
  if (house_number !== null || unit_type !== '#' || unit_number === null || line.building !== null) return
  if (!isNumber(unit_number) || street_name === null || unit_number.length > 5) return
  if (street_suffix === null && !/^(CALLE|AVENIDA|CAMINO|PASEO) /.test(street_name)) return
  line.house_number = unit_number
  line.unit_type = null
  line.unit_number = null
}

// Returns the index after words for a side of the street: 'E SIDE OAK ST', 'W SIDE OF MAIN ST'.
function sideStart(tokens: Token[], from: number): number {
  if (tokens[from]?.word?.directional == null || tokens[from + 1]?.text !== 'SIDE') return from
  const next = tokens[from + 2]?.text === 'OF' ? from + 3 : from + 2
  const suffixed = tokens.slice(next + 1).some(({ word }) => word?.common === true)
  return suffixed && tokens[from + 2]!.word?.common !== true ? next : from
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

// Returns the index of the word that joins the two streets of a corner ('&', 'AT'); 0 without one. After a house number
// the first street must have ended: '12 OAK ST AT ELM ST' is a corner, '12 SALT & PEPPER LN' is not.
function crossing(tokens: Token[], from: number, hasNumber: boolean): number {
  for (let i = from + 1; i + 1 < tokens.length; i++) {
    const text = tokens[i]!.text
    const joins =
      text === '&' || text === '@' || ((text === 'AND' || text === 'AT') && tokens[i + 1]!.text !== 'AND')
    if (joins) return !hasNumber || hasEnded(tokens, from, i) ? i : 0
    if (hasNumber && tokens[i]!.word?.unit != null) return 0
  }
  return 0
}

function hasEnded(tokens: Token[], from: number, cross: number): boolean {
  const first = tokens.slice(from, cross)
  const other = tokens.slice(cross + 1)
  const start = first.length > 1 && first[0]!.word?.directional != null ? 1 : 0
  const isNumbered = routeEnd(first, start, first.length) === first.length
  if (isNumbered) return isNumber(other[0]!.text) || routeEnd(other, 0, other.length) > 0
  if (first.length < 2 || first[0]!.text === 'THE' || first.at(-1)!.word?.common !== true) return false
  return other.length > 1 && other.some(({ word }) => word?.common === true)
}

function readCorner(tokens: Token[], from: number, cross: number, line: StreetLine): StreetLine {
  let start = from
  if (tokens[start]!.word?.directional != null && CORNER_WORDS.has(tokens[start + 1]!.text)) start++
  while (start < cross - 1 && CORNER_WORDS.has(tokens[start]!.text)) start++
  readStreet(tokens.slice(start, cross), 0, line, [])
  const other = emptyLine()
  readStreet(tokens.slice(cross + 1), 0, other, [])
  const parts = [other.pre_directional, other.street_name, other.street_suffix, other.post_directional]
  line.cross_street = parts.filter((part) => part !== null).join(' ')
  return line
}

const CORNER_WORDS = new Set([
  'CORNER',
  'COR',
  'OF',
  'INTERSECTION',
  'NEC',
  'NWC',
  'SEC',
  'SWC',
  'THE',
  'JCT',
  'JUNCTION',
])

function readStreet(tokens: Token[], from: number, line: StreetLine, units: Unit[]): void {
  const streetEnd = Math.min(unitStart(tokens, from), commaEnd(tokens, from))
  const also = otherNameStart(tokens, from, streetEnd)
  const nameEnd = readName(tokens, from, also, line)
  const rest = also < streetEnd ? streetEnd : nameEnd
  setUnits(line, [...units, ...readUnits(tokens, rest)])
}

/** Returns the index of a route that is a second name of the street: 'ENGLEWOOD ROAD ROUTE 776'; `to` without one. */
function otherNameStart(tokens: Token[], from: number, to: number): number {
  for (let i = from + 2; i + 1 < to; i++) {
    const { text: suffix, word } = tokens[i - 1]!
    if (word?.common !== true || !PLAIN_SUFFIXES.has(word.suffix!)) continue
    const { text } = tokens[i]!
    if (!HIGHWAY_WORDS.has(text) && !ROUTE_OWNERS.has(text)) continue
    // 'E ST HWY 29' is a state highway and 'COUNTY RD HWY 12' is one road, so the suffix does not end the street.
    if ((suffix === 'ST' && HIGHWAY_WORDS.has(text)) || (i === from + 2 && ROUTE_OWNERS.has(tokens[from]!.text))) continue // prettier-ignore
    if (routeEnd(tokens, i, to) === to) return i
  }
  return to
}

// Returns the index after the comma that ends the street. A suffix or a direction may follow a comma: '12 MAIN, ST'.
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

// Reads directions, name and suffix between `from` and `to`. Returns the index from which units are read.
function readName(tokens: Token[], from: number, to: number, line: StreetLine): number {
  let start = from
  const pre = preDirectional(tokens, start, to)
  if (pre > 0) {
    line.pre_directional = directionalText(tokens, start, pre)
    start += pre
  }
  const route = routeEnd(tokens, start, to)
  if (route > 0) return readRoute(tokens, start, route, to, line)
  const service = serviceRoadEnd(tokens, start, to)
  if (service > 0) {
    line.street_name = nameText(tokens, start, service)
    return service
  }
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
    // 'THE ESPLANADE': the suffix word is the name.
    if (end - start === 1 && tokens[start]!.text === 'THE' && !last.word.common) {
      line.street_suffix = null
      end++
    }
    // 'WASHINGTON NE PL': an abbreviated direction between name and suffix becomes the post-direction.
    if (line.post_directional === null && last.word.common && isInnerDirection(tokens, start, end)) {
      line.post_directional = directionalText(tokens, end - 1, 1)
      end--
    }
  }
  line.street_name = nameText(tokens, start, end)
  return rest
}

// Returns the end of the name of a service road in New York, a street beside the expressway: 'THROGS NECK EXPWY SR'; 0
// for other streets.
function serviceRoadEnd(tokens: Token[], start: number, to: number): number {
  for (let i = start + 2; i < to; i++) {
    const isService = tokens[i]!.text === 'SR' && EXPRESSWAYS.has(tokens[i - 1]!.word?.suffix ?? '')
    if (isService && !startsWithDigit(tokens[i + 1]?.text ?? '')) return i + 1
  }
  return 0
}

const EXPRESSWAYS = new Set(['EXPY', 'PKWY', 'HWY', 'FWY', 'BLVD', 'TPKE', 'DR'])

// Returns whether the last word is a direction after the name: 'WASHINGTON NE'. A direction that is spelled out, or
// that follows a number or a suffix, belongs to the name: 'NINE NORTH DR', '2900 E RD'.
function isInnerDirection(tokens: Token[], start: number, end: number): boolean {
  if (end - 1 <= start || tokens[end - 1]!.word?.directional == null) return false
  const before = tokens[end - 2]!
  if (hasDigit(before.text) || before.word?.common === true) return false
  return tokens[end - 1]!.text.length <= 2
}

function isAvenueLetter(tokens: Token[], start: number, end: number): boolean {
  return end - start === 2 && tokens[end - 1]!.text.length === 1 && ROUTE_WORDS.has(tokens[start]!.text)
}

/**
 * Returns the number of tokens from `start` that are a direction before the name; 0 when the direction is the name
 * ('NORTH AVE').
 */
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

// Returns whether two opposite directions are the name: 'EAST WEST HWY', 'NORTH SOUTH RD'.
function isCompass(tokens: Token[], start: number, to: number): boolean {
  const pair = `${tokens[start]!.word!.directional!}${tokens[start + 1]!.word?.directional ?? ''}`
  const opposite = pair === 'EW' || pair === 'WE' || pair === 'NS' || pair === 'SN'
  return opposite && start + 3 === to && tokens[start + 2]!.word?.common === true
}

function postDirectional(tokens: Token[], start: number, end: number): number {
  if (end - start < 2 || tokens[end - 1]!.word?.directional == null) return 0
  if (isAvenueLetter(tokens, start, end)) return 0
  return end - start >= 3 && isPair(tokens, end - 2) ? 2 : 1
}

/** Returns where a unit without a unit word begins ('MAIN ST 4B', 'MAIN ST N 405'); `to` when there is none. */
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

// Returns whether the word ends a street. A word that is name and suffix ('PARK') ends it only before digits.
function endsStreetName(token: Token, figures: boolean): boolean {
  return token.word?.common === true || (figures && token.word?.suffix != null)
}

/**
 * Returns the index of a suffix that is followed by a place ('MAIN ST SPRINGFIELD'); 0 when the line ends with its
 * suffix.
 */
function innerSuffix(tokens: Token[], start: number, end: number): number {
  const post = postDirectional(tokens, start, end)
  const last = end - post - 1
  const ended = tokens[last]!.word?.common === true && last > start
  // 'RIVER RD LIBERTY GROVE RD': the last word is the suffix, although the name contains another one.
  if (ended && PLAIN_SUFFIXES.has(tokens[last]!.word!.suffix!)) return 0
  for (let i = start + 1; i < last; i++) {
    const { text, word } = tokens[i]!
    if (word?.common !== true || tokens[i + 1]!.text === 'OF') continue
    // If the line ends with a suffix too, only a plain suffix other than ST ends the street before it: 'OAK RD
    // MIDDLETON CV', but not 'MT ST HELENS WAY'.
    if (ended && (!PLAIN_SUFFIXES.has(word.suffix!) || text === 'ST')) continue
    let next = i
    while (next + 1 < end && tokens[next + 1]!.word?.suffix != null) next++
    // 'PINE RD LAKE VILLAGE', 'OAK AVE GARDEN COURT': the words after the first suffix name a housing complex, although
    // each could be a suffix.
    if (next >= last)
      return next === i || (last - i > 1 && PLAIN_SUFFIXES.has(word.suffix!) && text !== 'ST') ? i : 0
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
