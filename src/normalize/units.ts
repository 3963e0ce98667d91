import { hasDigit, isNumber, isOrdinal, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'
import { stateCode } from './places.ts'
import { HIGHWAY_WORDS, NUMBER_MARKS, ORDINALS, ROUTE_OWNERS, ROUTE_WORDS } from './street-words.ts'

export interface Unit {
  /** The USPS abbreviation; '#' where the line has a number without a unit word. */
  type: string
  number: string | null
}

/** A unit read from a line, and the index after its last word. */
interface UnitRead {
  unit: Unit
  next: number
}

const FLOOR_WORDS = new Set([
  'MAIN',
  'GROUND',
  'LOWER',
  'UPPER',
  'TOP',
  'MEZZANINE',
  'GARDEN',
  'BASEMENT',
  'ENTIRE',
  'MIDDLE',
  'GRD',
  'GRND',
  'GR',
])

/**
 * Returns the index of the first unit word in a street line; the number of tokens when there is none. `from` is the
 * first word of the street name, which is never a unit ('123 FRONT ST', '9 LOWER RD').
 */
export function unitStart(tokens: Token[], from: number): number {
  let start = from
  while (tokens[start]?.word?.directional != null) start++
  // 'N RM 620' is a ranch road, not a room.
  const road = tokens[start]?.text === 'RM' ? start : -1
  for (let i = from + 1; i < tokens.length; i++) if (i !== road && beginsUnit(tokens, i, from)) return i
  return tokens.length
}

function beginsUnit(tokens: Token[], i: number, from: number): boolean {
  const token = tokens[i]!
  if (token.text === '#') return !marksRoute(tokens, i, from)
  if (floorFigures(tokens, i) !== null) return true
  if (token.text === 'NO') return isMarkedNumber(tokens, i)
  const next = tokens[i + 1]
  // '2ND FLOOR', 'LOWER LEVEL', 'SECOND FL': the word before the unit word belongs to the unit.
  if (next?.word?.use === 'floor' && isFloorName(token.text)) return true
  if (isTrailerPark(token, next)) return false
  const word = token.word
  // 'OAK AVE ST 1400': AVE is the suffix already, so ST is a typo of STE (suite).
  if (token.text === 'ST') return isMistypedSuite(tokens, i)
  if (word?.unit == null) return false
  switch (word.use) {
    case 'alone':
      if (next === undefined) return true
      if (token.comma) return true
      if (next.word?.suffix != null && next.word.unit === null) return false
      return followsStreet(tokens, i) || looksLikeNumber(next)
    case 'floor':
      return (
        next !== undefined && (looksLikeNumber(next) || (isFloorName(next.text) && followsStreet(tokens, i)))
      )
    case 'numbered':
      return next !== undefined && isCertainNumber(next)
    case 'building':
      return (
        next !== undefined &&
        (looksLikeNumber(next) || (followsStreet(tokens, i) && next.word?.suffix == null))
      )
    default:
      if (next === undefined) return word.suffix === null && followsStreet(tokens, i)
      if (looksLikeNumber(next) || next.word?.use === 'alone') return true
      if (isFloorName(next.text) && tokens[i + 2]?.word?.use === 'floor') return true
      return word.suffix === null && followsStreet(tokens, i) && next.word?.suffix == null
  }
}

/** Returns whether '#' marks the number of a route: 'ROUTE # A', 'COUNTY ROAD # 12'. */
function marksRoute(tokens: Token[], i: number, from: number): boolean {
  const before = tokens[i - 1]!.text
  const number = tokens[i + 1]?.text ?? ''
  if (!(startsWithDigit(number) || number.length === 1)) return false
  const isOwned = i - 2 >= from && ROUTE_OWNERS.has(tokens[i - 2]!.text)
  if (HIGHWAY_WORDS.has(before)) return isOwned || i - 1 === from
  return isOwned && ROUTE_WORDS.has(before)
}

// Returns whether NO means 'number': in 'OAK AVE NO 102', but not in 'OAK AVE NO' and 'NO 10TH ST'.
function isMarkedNumber(tokens: Token[], i: number): boolean {
  const next = tokens[i + 1]
  if (
    (HIGHWAY_WORDS.has(tokens[i - 1]!.text) && tokens[i - 1]!.text !== 'FREEWAY') ||
    (!hasDigit(tokens[i - 1]!.text) && ROUTE_OWNERS.has(tokens[i - 2]?.text ?? ''))
  )
    return false
  return next !== undefined && hasDigit(next.text) && !isOrdinal(next.text) && followsStreet(tokens, i)
}

/** Returns whether the words name a place: 'SUNNY ACRES TRAILER PARK'. TRAILER is a unit word elsewhere. */
function isTrailerPark(token: Token, next: Token | undefined): boolean {
  return token.word?.unit === 'TRLR' && (next?.word?.suffix === 'PARK' || next?.word?.suffix === 'CT')
}

function isMistypedSuite(tokens: Token[], i: number): boolean {
  const next = tokens[i + 1]
  const before = tokens[i - 1]!
  if (next === undefined || !startsWithDigit(next.text) || isOrdinal(next.text)) return false
  return before.word?.common === true || before.comma
}

// Returns whether the street has ended before `i`: with a suffix, a direction or a comma.
function followsStreet(tokens: Token[], i: number): boolean {
  const before = tokens[i - 1]!
  return (
    before.comma || before.word?.common === true || before.word?.directional != null || hasDigit(before.text)
  )
}

/** Returns whether the word names a floor before 'FLOOR': '2ND', 'SECOND', 'GROUND'. */
export function isFloorName(text: string): boolean {
  return isOrdinal(text) || ORDINALS.has(text) || FLOOR_WORDS.has(text)
}

// Returns whether a token may be a unit number: '4', '4B', 'B', 'AA', 'B-12', '#'.
function looksLikeNumber(token: Token): boolean {
  const text = token.text
  if (NUMBER_MARKS.has(text)) return true
  return hasDigit(text) ? !isOrdinal(text) : text.length <= 2 && token.word?.suffix == null && text !== '&'
}

// Returns whether a token is a unit number beyond doubt: '4', 'B-12', '#', 'B', but not the direction 'N'. Used after
// words that are mostly names ('COTTAGE', 'VILLA').
function isCertainNumber(token: Token): boolean {
  if (hasDigit(token.text)) return !isOrdinal(token.text)
  return token.text === '#' || (token.text.length === 1 && token.word === undefined && token.text !== '&')
}

function isNumbered(tokens: Token[], i: number): boolean {
  const next = tokens[i + 1]
  return !tokens[i]!.comma && next !== undefined && looksLikeNumber(next)
}

// Returns whether two letters may be a unit number: 'EE', 'LH', but no word and no state.
function isLetterPair(text: string): boolean {
  return !SMALL_WORDS.has(text) && stateCode(text) === null && !ROUTE_WORDS.has(text)
}

const SMALL_WORDS = new Set([
  'AT',
  'OF',
  'BY',
  'ON',
  'TO',
  'IN',
  'IS',
  'AN',
  'AS',
  'US',
  'LE',
  'EL',
  'DU',
  'DI',
  'DA',
  'LO',
  'RE',
])

/** Returns whether a word after a finished street is a unit without a unit word: '123 MAIN ST 4B'. */
export function isBareUnit(token: Token): boolean {
  const text = token.text
  if (startsWithDigit(text)) return !isOrdinal(text)
  if (text.length === 1) return text !== '&' && token.word?.directional == null
  if (text.length === 2 && token.word === undefined) return isLetterPair(text)
  return text.length <= 5 && hasDigit(text)
}

/** Reads all units from `at` on. Skips words that are not units (a place, a note). */
export function readUnits(tokens: Token[], at: number): Unit[] {
  const units: Unit[] = []
  let i = at
  let passedOver = false
  while (i < tokens.length) {
    // 'OAK RD, US HWY 12': the 12 belongs to a second name of the street and is not a unit.
    const read = passedOver && HIGHWAY_WORDS.has(tokens[i - 1]!.text) ? null : readUnit(tokens, i)
    // After other words, a unit word without a number is part of a building's name ('PROFESSIONAL OFFICE BUILDING').
    if (read === null || (passedOver && read.unit.number === null)) {
      passedOver = !tokens[i]!.comma
      i++
      continue
    }
    passedOver = false
    const { unit, next } = read
    // 'APT # 4' and 'UNIT 4, # 4' name one unit twice.
    const before = units.at(-1)
    if (before !== undefined && before.number === null && unit.type === '#' && before.type !== 'REAR')
      before.number = unit.number
    else if (
      !units.some((other) => other.number === unit.number && (unit.type === '#' || other.type === unit.type))
    )
      units.push(unit)
    i = next
  }
  return units.length > 1 ? units.sort((left, right) => rankOf(left) - rankOf(right)) : units
}

const RANKS = new Map([['PHASE', 0], ['BLK', 0], ['BLDG', 1], ['TWR', 1], ['WING', 2], ['FL', 3], ['LVL', 3]]) // prettier-ignore

// Returns the place of a unit in the order from outside to inside, which does not depend on the line: 'APT 12 BLDG 4'
// and 'BLDG 4 APT 12' give the same units.
function rankOf(unit: Unit): number {
  return RANKS.get(unit.type) ?? 4
}

function floorFigures(tokens: Token[], i: number): { number: string; next: number } | null {
  const { text, comma } = tokens[i]!
  if (!startsWithDigit(text)) return null
  const glued = GLUED_FLOOR.exec(text)
  if (glued !== null) return { number: glued[1]!, next: i + 1 }
  const next = tokens[i + 1]
  if (comma || next?.word?.unit !== 'FL' || next.word.use !== 'floor' || text.length > 2 || !isNumber(text))
    return null
  const behind = tokens[i + 2]
  return behind === undefined || next.comma || !looksLikeNumber(behind) ? { number: text, next: i + 2 } : null
}

const GLUED_FLOOR = /^(\d{1,2})(?:FLR?|\/F|\/FL)$/

function readUnit(tokens: Token[], i: number): UnitRead | null {
  const token = tokens[i]!
  const word = token.word
  const next = tokens[i + 1]
  // '#PH2', '# APT 4': the unit word after '#' gives the type.
  if (token.text === '#' && next?.word?.unit != null && tokens[i + 2] !== undefined)
    return readUnit(tokens, i + 1)
  if (token.text === '#' || (token.text === 'NO' && next !== undefined && hasDigit(next.text))) {
    return next === undefined ? null : withNumber('#', tokens, i + 1)
  }
  if (next?.word?.use === 'floor' && isFloorName(token.text)) {
    return { unit: { type: next.word.unit!, number: floorNumber(token.text) }, next: i + 2 }
  }
  // '7 FL', '2FL', '2/F': a floor with its number in front.
  const floor = floorFigures(tokens, i)
  if (floor !== null) return { unit: { type: 'FL', number: floor.number }, next: floor.next }
  if (token.text === 'ST' && isMistypedSuite(tokens, i)) return withNumber('STE', tokens, i + 1)
  // '400 COLONY SQUARE' after a street is a building with a number of its own, not a unit.
  if (word?.unit == null)
    return isBareUnit(token) && !beginsBuilding(tokens, i) ? withNumber('#', tokens, i) : null
  if (isTrailerPark(token, next)) return null
  if (token.comma || next === undefined) return { unit: { type: word.unit, number: null }, next: i + 1 }
  if (word.use === 'alone') {
    const letter = next.text.length === 1 && (next.word === undefined || tokens[i + 2] === undefined)
    if (hasDigit(next.text) || next.text === '#' || letter) {
      return withNumber(word.unit, tokens, i + 1)
    }
    // 'UPPER UNIT', 'REAR BLDG': the second unit word repeats the first.
    const repeated = next.word?.unit != null && next.word.use !== 'alone' && !isNumbered(tokens, i + 1)
    return { unit: { type: word.unit, number: null }, next: i + (repeated ? 2 : 1) }
  }
  if (word.use === 'numbered' && !isCertainNumber(next)) return null
  // 'FL GROUND': the name of the floor follows.
  if (word.use === 'floor' && FLOOR_WORDS.has(next.text) && tokens[i + 2]?.word?.use !== 'floor')
    return { unit: { type: word.unit, number: next.text }, next: i + 2 }
  // 'FL 3RD', 'FLOOR THIRD': the ordinal of the floor follows. In 'FL 3RD FLOOR' it belongs to the second FLOOR.
  if (word.use === 'floor' && isFloorName(next.text) && tokens[i + 2]?.word?.use !== 'floor')
    return { unit: { type: word.unit, number: floorNumber(next.text) }, next: i + 2 }
  const named = word.use === 'building' && !looksLikeNumber(next)
  // 'TOWER PLACE', 'BUILDING CENTER' after a street are names of buildings, not units.
  if (named && next.word?.suffix != null) return null
  if (
    named ||
    isFloorName(next.text) ||
    (next.word?.unit != null && next.word.use !== 'alone' && !hasDigit(next.text))
  ) {
    return { unit: { type: word.unit, number: null }, next: i + 1 }
  }
  return withNumber(word.unit, tokens, i + 1)
}

function beginsBuilding(tokens: Token[], i: number): boolean {
  const next = tokens[i + 1]
  return (
    next !== undefined &&
    !tokens[i]!.comma &&
    next.text.length > 2 &&
    next.word?.unit == null &&
    next.word?.directional == null &&
    !hasDigit(next.text)
  )
}

function withNumber(type: string, tokens: Token[], at: number): UnitRead {
  let i = at
  while (i < tokens.length - 1 && NUMBER_MARKS.has(tokens[i]!.text)) i++
  let number = tokens[i]!.text
  let comma = tokens[i]!.comma
  i++
  if (type === 'FL' && ORDINALS.has(number)) number = floorNumber(number)
  // '4 B', '12 & 14', '1 W': appends single letters and figures to the number.
  while (i < tokens.length && !comma && continuesNumber(tokens, i, number)) {
    number += ` ${tokens[i]!.text}`
    comma = tokens[i]!.comma
    i++
  }
  return { unit: { type, number: number === '#' ? null : number }, next: i }
}

function continuesNumber(tokens: Token[], i: number, number: string): boolean {
  const text = tokens[i]!.text
  if (text === '&') return tokens[i + 1] !== undefined
  if (number.endsWith('&')) return true
  if (text === '#' || tokens[i]!.word?.unit != null) return false
  if (tokens[i]!.word?.directional != null) return i + 1 === tokens.length || tokens[i]!.comma
  return (
    text.length === 1 || (startsWithDigit(text) && !isOrdinal(text) && tokens[i + 1]?.word?.use !== 'floor')
  )
}

function floorNumber(text: string): string {
  const figures = ORDINALS.get(text) ?? text
  return isOrdinal(figures) ? figures.slice(0, -2) : figures
}
