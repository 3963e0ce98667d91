import { referenceRows } from './reference.ts'

/** The roles that a word can have in a street line. Each word has one object, which is looked up once per token. */
export interface StreetWord {
  /** The USPS abbreviation if the word can be a street suffix, else null. */
  suffix: string | null
  /** True for words that are nearly always a suffix ('AVE'), false for words that also occur in names ('LAKE'). */
  common: boolean
  directional: string | null
  unit: string | null
  /** How a unit word is used; data/reference/README.md explains the values. */
  use: 'range' | 'numbered' | 'alone' | 'floor' | 'building' | null
}

const WORDS = new Map<string, StreetWord>()

for (const [name, abbreviation, use] of referenceRows('street-suffixes.csv')) {
  const word = entry(name!)
  word.suffix = abbreviation!
  word.common = use === 'common'
}
for (const [name, abbreviation] of referenceRows('directionals.csv')) entry(name!).directional = abbreviation!
for (const [name, abbreviation, use] of referenceRows('unit-designators.csv')) {
  const word = entry(name!)
  word.unit = abbreviation!
  word.use = use as StreetWord['use']
}

function entry(name: string): StreetWord {
  let word = WORDS.get(name)
  if (word === undefined) {
    word = { suffix: null, common: false, directional: null, unit: null, use: null }
    WORDS.set(name, word)
  }
  return word
}

/** Returns what an upper-case word can be; undefined for words that occur only in names. */
export function streetWord(text: string): StreetWord | undefined {
  return WORDS.get(text)
}

/** Words before the number or letter of a route: 'HIGHWAY 50', 'COUNTY ROAD 12', 'AVENUE H'. */
export const ROUTE_WORDS = new Set(['RR', 
  'AVE', 'AVENUE', 'AVENIDA', 'BYPASS', 'CALLE', 'FREEWAY', 'HIGHWAY', 'HIWAY', 'HWY', 'INTERSTATE', 'LOOP', 'LP', 'PARKWAY', 'RD', 'ROAD',
  'ROUTE', 'RT', 'RTE', 'SPUR', 'TRAIL', 'TURNPIKE', 'STREET', 'FM', 'RM', 'CR', 'SR', 'SH', 'TR', 'TWP', 'US', 'I', 'IH', 'CTH', 'STH', 'CO', 'FR', 'PR',
  'USHWY', 'US-HWY', 'EXPRESSWAY', 'BUS', 'BUSINESS', 'ALT', 'HW', 'HIGWAY', 'HGWY', 'BELTWAY', 'LANE', 'RTS', 'HWYS',
]) // prettier-ignore

/** The route words that make a street a highway. */
export const HIGHWAY_WORDS = new Set(['RR', 
  'FREEWAY', 'HIGHWAY', 'HIWAY', 'HWY', 'INTERSTATE', 'ROUTE', 'RT', 'RTE', 'FM', 'RM', 'CR', 'SR', 'SH', 'US', 'I', 'IH', 'CTH', 'STH', 'FR', 'USHWY', 'US-HWY', 'HW', 'HIGWAY', 'HGWY', 'BELTWAY', 'RTS', 'HWYS',
]) // prettier-ignore

/** Words before 'ROAD', 'HIGHWAY' or 'ROUTE' that belong to the route's name. */
export const ROUTE_OWNERS = new Set([
  'COUNTY', 'COUNTRY', 'CNTY', 'CTY', 'CO', 'STATE', 'ST', 'US', 'U.S', 'TOWNSHIP', 'TOWN', 'TWP', 'FARM', 'RANCH', 'FOREST', 'PRIVATE', 'OLD', 'BUSINESS', 'BUS', 'INTERSTATE',
]) // prettier-ignore

/** Words for a county before its roads. */
export const COUNTIES = new Set(['COUNTY', 'COUNTRY', 'CNTY', 'CTY', 'CO'])

/** Ordinals in words ('FIRST') and their figures ('1ST'), which keys use. */
export const ORDINALS = new Map<string, string>()
const UNITS_IN_WORDS = ['FIRST', 'SECOND', 'THIRD', 'FOURTH', 'FIFTH', 'SIXTH', 'SEVENTH', 'EIGHTH', 'NINTH']
const TEENS = ['TENTH', 'ELEVENTH', 'TWELFTH', 'THIRTEENTH', 'FOURTEENTH', 'FIFTEENTH', 'SIXTEENTH', 'SEVENTEENTH', 'EIGHTEENTH', 'NINETEENTH'] // prettier-ignore
const TENS = ['TWENT', 'THIRT', 'FORT', 'FIFT', 'SIXT', 'SEVENT', 'EIGHT', 'NINET']
UNITS_IN_WORDS.forEach((word, i) => ORDINALS.set(word, ordinal(i + 1)))
TEENS.forEach((word, i) => ORDINALS.set(word, ordinal(i + 10)))
TENS.forEach((stem, i) => {
  ORDINALS.set(`${stem}IETH`, ordinal((i + 2) * 10))
  UNITS_IN_WORDS.forEach((word, j) => {
    for (const joint of [' ', '-']) ORDINALS.set(`${stem}Y${joint}${word}`, ordinal((i + 2) * 10 + j + 1))
  })
})

/** Returns the ordinal of a number: 1 → '1ST', 12 → '12TH', 22 → '22ND'. */
export function ordinal(number: number): string {
  const teen = number % 100 >= 11 && number % 100 <= 13
  const end = teen ? 'TH' : ({ 1: 'ST', 2: 'ND', 3: 'RD' }[number % 10] ?? 'TH')
  return `${number}${end}`
}

/** House numbers in words ('One Financial Place'). */
export const NUMBERS_IN_WORDS = new Set([
  'ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT', 'NINE', 'TEN', 'ELEVEN', 'TWELVE', 'FIFTEEN', 'TWENTY', 'THIRTY', 'FORTY', 'FIFTY', 'SIXTY',
]) // prettier-ignore

/** Words after a route's number that belong to the route ('HIGHWAY 71 BUSINESS'). */
export const ROUTE_ENDINGS = new Set([
  'BUSINESS',
  'BUS',
  'BYPASS',
  'BYP',
  'ALT',
  'ALTERNATE',
  'SPUR',
  'LOOP',
  'TRUCK',
])

/** Words and marks before a number that add nothing to it. */
export const NUMBER_MARKS = new Set(['#', 'NO', 'NUM', 'NUMBER'])
