import { createRequire } from 'node:module'
import type zipcodes from 'zipcodes'
import { referenceWords } from './reference.ts'
import { streetWord } from './street-words.ts'

interface ZipPlace {
  city: string
  state: string
}

const STATE_NAMES = `
AL ALABAMA|ALA; AK ALASKA; AZ ARIZONA|ARIZ; AR ARKANSAS|ARK; CA CALIFORNIA|CALIF|CAL; CO COLORADO|COLO; CT CONNECTICUT|CONN;
DE DELAWARE|DEL; DC DISTRICT OF COLUMBIA|D C; FL FLORIDA|FLA; GA GEORGIA; HI HAWAII; ID IDAHO; IL ILLINOIS|ILL; IN INDIANA|IND; IA IOWA;
KS KANSAS|KANS|KAN; KY KENTUCKY; LA LOUISIANA; ME MAINE; MD MARYLAND; MA MASSACHUSETTS|MASS; MI MICHIGAN|MICH; MN MINNESOTA|MINN;
MS MISSISSIPPI|MISS; MO MISSOURI; MT MONTANA|MONT; NE NEBRASKA|NEBR|NEB; NV NEVADA|NEV; NH NEW HAMPSHIRE|N H; NJ NEW JERSEY|N J;
NM NEW MEXICO|N MEX|N M; NY NEW YORK|N Y; NC NORTH CAROLINA|N CAROLINA|N C; ND NORTH DAKOTA|N DAKOTA|N D; OH OHIO; OK OKLAHOMA|OKLA;
OR OREGON|OREG|ORE; PA PENNSYLVANIA|PENNA|PENN; RI RHODE ISLAND|R I; SC SOUTH CAROLINA|S CAROLINA|S C; SD SOUTH DAKOTA|S DAKOTA|S D;
TN TENNESSEE|TENN; TX TEXAS|TEX; UT UTAH; VT VERMONT; VA VIRGINIA; WA WASHINGTON|WASH; WV WEST VIRGINIA|W VIRGINIA|W VA; WI WISCONSIN|WISC|WIS;
WY WYOMING|WYO; PR PUERTO RICO; VI VIRGIN ISLANDS|U S VIRGIN ISLANDS; GU GUAM; AS AMERICAN SAMOA; MP NORTHERN MARIANA ISLANDS;
AA ARMED FORCES AMERICAS; AE ARMED FORCES EUROPE; AP ARMED FORCES PACIFIC`

const STATES = new Map<string, string>()
for (const line of STATE_NAMES.split(';')) {
  const text = line.trim()
  const code = text.slice(0, 2)
  STATES.set(code, code)
  for (const name of text.slice(3).split('|')) STATES.set(name, code)
}

const CITY_WORDS = new Map([
  ['SAINT', 'ST'],
  ['SAINTE', 'STE'],
  ['TOWNSHIP', 'TWP'],
  ['CITY', 'CTY'],
])

interface Places {
  readonly zips: ReadonlyMap<string, ZipPlace>
  /** By state. */
  readonly cities: ReadonlyMap<string, ReadonlySet<string>>
  readonly allCities: ReadonlySet<string>
}

let places: Places | undefined

// Loads the 41,000 ZIP codes on first use, so that commands and threads which read no addresses start without them.
function loadPlaces(): Places {
  const { codes } = createRequire(import.meta.url)('zipcodes') as typeof zipcodes
  const zips = new Map<string, ZipPlace>()
  const cities = new Map<string, Set<string>>()
  const keys = new Map<string, string>()
  for (const { zip, city, state, country } of Object.values(codes)) {
    if (country !== 'US') continue
    let key = keys.get(city)
    if (key === undefined) keys.set(city, (key = cityKey(city.toUpperCase())))
    zips.set(zip, { city: key, state })
    let ofState = cities.get(state)
    if (ofState === undefined) cities.set(state, (ofState = new Set()))
    ofState.add(key)
  }
  return { zips, cities, allCities: new Set(keys.values()) }
}

const LARGE_CITIES = new Set(referenceWords('large-cities.txt').map(cityKey))

/** Returns whether the city (as `cityKey`) is so large that it is recognised without a state. */
export function isLargeCity(key: string): boolean {
  return LARGE_CITIES.has(key)
}

/**
 * Returns the postal code of a state for its code, name or old abbreviation (upper case, without full stops); null for
 * other texts.
 */
export function stateCode(text: string): string | null {
  return STATES.get(text) ?? null
}

/** Returns the city (as `cityKey`) and state of a ZIP code. */
export function zipPlace(zip: string): ZipPlace | undefined {
  places ??= loadPlaces()
  return places.zips.get(zip)
}

/** Returns whether the state has such a city (as `cityKey`). With state null, any state counts. */
export function isCity(key: string, state: string | null): boolean {
  places ??= loadPlaces()
  return state === null ? places.allCities.has(key) : (places.cities.get(state)?.has(key) ?? false)
}

/** Returns one spelling for a city: 'SAINT JOSEPH' and 'ST JOSEPH', 'FORT WORTH' and 'FT WORTH'. */
export function cityKey(city: string): string {
  if (!city.includes(' ')) return cityWord(city)
  return city.split(' ').map(cityWord).join(' ')
}

/**
 * Returns one spelling for a word of a city: 'WINSTON-SALEM' gives 'WINSTON SALEM', "O'FALLON" 'O FALLON', "MARY'S"
 * 'MARYS'.
 */
export function cityWord(word: string): string {
  const known = streetWord(word)
  if (known !== undefined) return known.directional ?? known.suffix ?? CITY_WORDS.get(word) ?? word
  if (!word.includes('-') && !word.includes("'")) return CITY_WORDS.get(word) ?? word
  const words = word.replace(/'S$/, 'S').split(/[-']/)
  return words.map((part) => CITY_WORDS.get(part) ?? part).join(' ')
}
