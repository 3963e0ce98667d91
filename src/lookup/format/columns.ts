import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Marks a link between a person and an address as one of the past. */
export const HISTORIC = 0x8000_0000

/** Whom or what a link is to, of the past or not. */
export function withoutFlag(link: number): number {
  return link >= HISTORIC ? link - HISTORIC : link
}

/** Where the first number of at least `wanted` stands between `low` and `high` of an ascending list. */
export function lowerBound(list: Uint32Array, low: number, high: number, wanted: number): number {
  let from = low
  let to = high
  while (from < to) {
    const middle = (from + to) >>> 1
    if (list[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return from
}

/** The ZIP of a place that has none. No five digits are this number, so no query finds it: '00000' is the number 0. */
export const NO_ZIP = 0xffff_ffff

/** The first token of a name carries NEW_NAME; tokens of a person's primary name carry PRIMARY; the role is in ROLES. */
export const TOKEN = {
  NEW_NAME: 0x8000_0000,
  PRIMARY: 0x4000_0000,
  ROLES: 0x3000_0000,
  FIRST: 0x1000_0000,
  MIDDLE: 0x2000_0000,
  LAST: 0x3000_0000,
  WORD: 0x0fff_ffff,
} as const

/** Jr, Sr, II … of any of a person's names: bits of person_traits. */
export const GENERATIONS: Readonly<Record<string, number>> = { JR: 4, SR: 8, II: 16, III: 32, IV: 64, V: 128 }

/** The other bits of person_traits: whether any phone, any e-mail of the person is known. */
export const TRAIT = { PHONE: 1, EMAIL: 2, GENERATIONS: 252 } as const

/**
 * What is checked of many people or addresses per query, in columns that are held in memory.
 * `…_start` has one entry more than there are rows: row n's items stand from start[n] up to start[n + 1].
 */
const TYPES = {
  /** FIPS codes of counties with rolls or deeds */
  recorded_counties: 'u32',
  /** FIPS codes of counties with deed events */
  event_counties: 'u32',
  /** who has an id (person-ids.ts) */
  person_id_slots: 'u32',
  person_birth: 'u32',
  person_completeness: 'u8',
  /** their place by completeness, most complete first, then by id: the order of equal matches */
  person_rank: 'u32',
  /** TRAIT */
  person_traits: 'u8',
  /** everyone whose birth date is known, by that date (without DEAD), then number */
  birth_people: 'u32',
  /** Code of the only state of a person's current addresses; 0 none, SEVERAL_STATES more than one. */
  person_state: 'u8',
  person_name_start: 'u32',
  name_tokens: 'u32',
  person_address_start: 'u32',
  /** address number, HISTORIC set for one of the past; current ones first, best first */
  person_addresses: 'u32',
  /** 0–100, of each of person_addresses */
  person_address_scores: 'u8',
  address_person_start: 'u32',
  /** person number, HISTORIC set for one of the past; by rank within an address */
  address_people: 'u32',
  address_place: 'u32',
  /** NaN where not known */
  address_latitude: 'f32',
  address_longitude: 'f32',
  /** numbers in the dictionaries below; house, unit and wing 0 where there is none ('' stands first) */
  address_street: 'u32',
  address_shape: 'u32',
  address_house: 'u32',
  address_unit: 'u32',
  /** which of several buildings at one number the unit is in */
  address_wing: 'u32',
  /** equal for the units of one building, which are neighbours */
  address_building: 'u32',
  /** property number + 1; 0 none */
  address_property: 'u32',
  street_address_start: 'u32',
  street_addresses: 'u32',
  place_address_start: 'u32',
  place_state: 'u8',
  place_city: 'u32',
  /** NO_ZIP where not known */
  place_zip: 'u32',
  /** south, north, west, east of each place's located addresses; NaN without any */
  place_box: 'f32',
  /** how many people have the word */
  word_people: 'u32',
  /** pairs of words in one name, each with the word that fewer people have (word-pairs.ts): partners ascending, people of each */
  word_partner_start: 'u32',
  partner_words: 'u32',
  partner_people_start: 'u32',
  partner_people: 'u32',
  /** where each document begins (document-file.ts) */
  person_document_start: 'u32',
  property_document_start: 'u32',
  /** of phones that more is known of than the columns hold; empty for the others */
  phone_document_start: 'u32',
  /** phones (phones.ts): by the three digits of the area where its phones begin; the last seven digits, ascending within an area */
  phone_area_start: 'u32',
  phone_line: 'u32',
  phone_person_start: 'u32',
  /** best first */
  phone_people: 'u32',
  /** 0–100, of each of phone_people */
  phone_people_scores: 'u8',
  /** number in the dictionary of facts below: JSON text of line type, carrier and primary owner */
  phone_facts: 'u32',
  fact_start: 'u32',
  fact_text: 'u8',
  word_start: 'u32',
  word_text: 'u8',
  street_start: 'u32',
  street_text: 'u8',
  shape_start: 'u32',
  shape_text: 'u8',
  house_start: 'u32',
  house_text: 'u8',
  unit_start: 'u32',
  unit_text: 'u8',
  wing_start: 'u32',
  wing_text: 'u8',
  city_start: 'u32',
  city_text: 'u8',
} as const

export const SEVERAL_STATES = 255

const ARRAYS = { u8: Uint8Array, u32: Uint32Array, f32: Float32Array } as const
export type ColumnName = keyof typeof TYPES
export type Columns = { readonly [Name in ColumnName]: InstanceType<(typeof ARRAYS)[(typeof TYPES)[Name]]> }

const FOLDER = 'columns'

export function writeColumns(lookupFolder: string, columns: Partial<Columns>): void {
  mkdirSync(join(lookupFolder, FOLDER), { recursive: true })
  for (const [name, values] of Object.entries(columns))
    writeFileSync(join(lookupFolder, FOLDER, name), values)
}

/** Reads all columns. `isShared`: into memory that threads of one process may share. */
export function readColumns(lookupFolder: string, isShared = false): Columns {
  const columns = Object.entries(TYPES).map(([name, type]) => [
    name,
    columnOf(readFileSync(join(lookupFolder, FOLDER, name)), type, isShared),
  ])
  return Object.fromEntries(columns) as Columns
}

/** As `readColumns`, beside whatever else the process does. */
export async function loadColumns(lookupFolder: string): Promise<Columns> {
  const columns = Object.entries(TYPES).map(async ([name, type]) => [
    name,
    columnOf(await readFile(join(lookupFolder, FOLDER, name)), type, false),
  ])
  return Object.fromEntries(await Promise.all(columns)) as Columns
}

// Each first column tells where the items of a row begin in the columns after it; its last entry is their number.
const STARTS: readonly (readonly [start: ColumnName, ...items: ColumnName[]])[] = [
  ['person_name_start', 'name_tokens'],
  ['person_address_start', 'person_addresses', 'person_address_scores'],
  ['address_person_start', 'address_people'],
  ['street_address_start', 'street_addresses'],
  ['place_address_start', 'address_place'],
  ['word_partner_start', 'partner_words'],
  ['partner_people_start', 'partner_people'],
  ['phone_area_start', 'phone_line'],
  ['phone_person_start', 'phone_people', 'phone_people_scores'],
  ['fact_start', 'fact_text'],
  ['word_start', 'word_text'],
  ['street_start', 'street_text'],
  ['shape_start', 'shape_text'],
  ['house_start', 'house_text'],
  ['unit_start', 'unit_text'],
  ['wing_start', 'wing_text'],
  ['city_start', 'city_text'],
]

// Columns with one entry a row: by what the rows are, and how many more entries a column of starts has.
const ROWS: Readonly<Record<string, readonly (readonly [name: ColumnName, more?: 1])[]>> = {
  people: [
    ['person_birth'],
    ['person_completeness'],
    ['person_rank'],
    ['person_traits'],
    ['person_state'],
    ['person_name_start', 1],
    ['person_address_start', 1],
    ['person_document_start', 1],
  ],
  addresses: [
    ['address_place'],
    ['address_latitude'],
    ['address_longitude'],
    ['address_street'],
    ['address_shape'],
    ['address_house'],
    ['address_unit'],
    ['address_wing'],
    ['address_building'],
    ['address_property'],
    ['address_person_start', 1],
  ],
  places: [['place_state'], ['place_city'], ['place_zip'], ['place_address_start', 1]],
  words: [['word_people'], ['word_start', 1], ['word_partner_start', 1]],
  partners: [['partner_words'], ['partner_people_start', 1]],
  phones: [['phone_line'], ['phone_facts'], ['phone_person_start', 1], ['phone_document_start', 1]],
}

/** Throws when columns are not as long as each other, or as their own starts, say. `people`: how many there are. */
export function checkLengths(columns: Columns, people: number): void {
  for (const [start, ...items] of STARTS) {
    const starts = columns[start]
    const wanted = starts.at(-1) ?? 0
    for (const name of items) {
      if (columns[name].length !== wanted)
        throw new Error(`${FOLDER}/${name} has ${columns[name].length} entries, ${start} ends at ${wanted}`)
    }
  }
  for (const [rows, all] of Object.entries(ROWS)) {
    const [[first]] = all as [readonly [ColumnName]]
    const count = rows === 'people' ? people : columns[first].length
    for (const [name, more = 0] of all) {
      if (count === 0 && columns[name].length <= more) continue
      if (columns[name].length !== count + more)
        throw new Error(`${FOLDER}/${name} has ${columns[name].length} entries, ${count + more} belong to ${count} ${rows}`) // prettier-ignore
    }
  }
}

function columnOf(bytes: Buffer, type: keyof typeof ARRAYS, isShared: boolean): Columns[ColumnName] {
  const ofType = ARRAYS[type]
  if (bytes.length % ofType.BYTES_PER_ELEMENT !== 0)
    throw new Error(`a column of ${type} has ${bytes.length} bytes, which are no whole entries`)
  // A small file comes out of a shared pool, where it need not stand on a multiple of four.
  const isAligned = !isShared && bytes.byteOffset % 4 === 0
  const aligned = isAligned ? bytes : copyOf(bytes, isShared)
  return new ofType(
    aligned.buffer as ArrayBuffer,
    aligned.byteOffset,
    aligned.length / ofType.BYTES_PER_ELEMENT,
  )
}

function copyOf(bytes: Uint8Array, isShared: boolean): Uint8Array {
  const copy = new Uint8Array(isShared ? new SharedArrayBuffer(bytes.length) : new ArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}
