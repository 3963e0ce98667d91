import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ShardPlace } from './shards.ts'

/** The flag on a link between a person and an address when the address is a former one. */
export const HISTORIC = 0x8000_0000

/** Returns the person or address number of a link, without the HISTORIC flag. */
export function withoutFlag(link: number): number {
  return link >= HISTORIC ? link - HISTORIC : link
}

/**
 * Returns the position of the first number that is at least `wanted`, between `low` and `high` (exclusive) of
 * an ascending list. Returns `high` when there is none.
 */
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

/**
 * The ZIP number of a place without a ZIP. No ZIP of five digits has this number, so no query finds it; 0
 * would be the ZIP '00000'.
 */
export const NO_ZIP = 0xffff_ffff

/**
 * The parts of a name token: a word number, the role of the word, and two flags. NEW_NAME marks the first
 * token of each name, PRIMARY all tokens of a person's primary name.
 */
export const TOKEN = {
  NEW_NAME: 0x8000_0000,
  PRIMARY: 0x4000_0000,
  ROLES: 0x3000_0000,
  FIRST: 0x1000_0000,
  MIDDLE: 0x2000_0000,
  LAST: 0x3000_0000,
  WORD: 0x0fff_ffff,
} as const

/**
 * The bits of person_traits for Jr, Sr, II and so on. A bit is set when any of the person's names has the
 * suffix.
 */
export const GENERATIONS: Readonly<Record<string, number>> = { JR: 4, SR: 8, II: 16, III: 32, IV: 64, V: 128 }

/** The other bits of person_traits: whether the person has a phone, and an e-mail address. */
export const TRAIT = { PHONE: 1, EMAIL: 2, GENERATIONS: 252 } as const

const ARRAYS = { u8: Uint8Array, u32: Uint32Array, f32: Float32Array } as const

/**
 * The arrays that a search reads for many people or addresses, with the type of their entries. They are held
 * in memory. A column `…_start` has the positions of the items of each row: those of row n are at start[n] up
 * to start[n + 1] (exclusive). So it has one entry more than there are rows.
 *
 * `rows` gives the number of rows of a column, which `checkLengths` compares with its length. 'people' is the
 * number of people of the shard. The name of a column `…_start` is the last entry of that column. Any other name is the
 * length of that column.
 */
const COLUMNS = {
  /** The number of this shard, and the number of shards of the snapshot. */
  shard: ['u32'],
  /** FIPS codes of the counties with assessor rolls or deeds. */
  recorded_counties: ['u32'],
  /** FIPS codes of the counties with deed events. */
  event_counties: ['u32'],
  /** The hash table that gives the number of a person by id (person-ids.ts). */
  person_id_slots: ['u32'],
  person_birth: ['u32', 'people'],
  person_completeness: ['u8', 'people'],
  /**
   * The position of each person when the people of all shards are sorted by completeness (highest first),
   * then by id. Equal matches are shown in this order.
   */
  person_rank: ['u32', 'people'],
  /** Bits of TRAIT and GENERATIONS. */
  person_traits: ['u8', 'people'],
  /** The people with a known birth date, sorted by that date (without the DEAD flag), then by number. */
  birth_people: ['u32'],
  /** The code of the state of a person's current addresses: 0 for no state, SEVERAL_STATES for more than one. */
  person_state: ['u8', 'people'],
  person_name_start: ['u32', 'people'],
  name_tokens: ['u32', 'person_name_start'],
  person_address_start: ['u32', 'people'],
  /**
   * Address numbers, with the HISTORIC flag for former addresses. Current addresses come first; the best
   * comes first in each group.
   */
  person_addresses: ['u32', 'person_address_start'],
  /** The score from 0 to 100 of each entry of person_addresses. */
  person_address_scores: ['u8', 'person_address_start'],
  address_person_start: ['u32', 'address_place'],
  /** Person numbers, with the HISTORIC flag for former residents; sorted by person_rank within an address. */
  address_people: ['u32', 'address_person_start'],
  address_place: ['u32', 'place_address_start'],
  /** NaN when the position is unknown. */
  address_latitude: ['f32', 'address_place'],
  address_longitude: ['f32', 'address_place'],
  /**
   * Numbers of texts in the dictionaries `street_text` to `wing_text`. House, unit and wing are 0 when
   * missing, because the empty text is the first of each dictionary.
   */
  address_street: ['u32', 'address_place'],
  address_shape: ['u32', 'address_place'],
  address_house: ['u32', 'address_place'],
  address_unit: ['u32', 'address_place'],
  /** The building that the unit is in, when several buildings share a house number. */
  address_wing: ['u32', 'address_place'],
  /** The number of the building, which all its units share, in all shards. Units have neighbouring numbers. */
  address_building: ['u32', 'address_place'],
  /** The property number + 1; 0 when the address has no property. */
  address_property: ['u32', 'address_place'],
  /**
   * The position of each address among the addresses of all shards, ascending. An address of several shards
   * has one position. Empty when the snapshot has one shard, because the number is the position then.
   */
  address_rank: ['u32'],
  /** 1 for an address that is at home in this shard, 0 for a copy. Empty when the snapshot has one shard. */
  address_at_home: ['u8'],
  street_address_start: ['u32'],
  street_addresses: ['u32', 'street_address_start'],
  place_address_start: ['u32', 'place_state'],
  place_state: ['u8'],
  place_city: ['u32', 'place_state'],
  /** NO_ZIP when the ZIP is unknown. */
  place_zip: ['u32', 'place_state'],
  /** The bounding box of each place's addresses: south, north, west, east; NaN when no address has a position. */
  place_box: ['f32'],
  /** The number of people who have the word in any name. */
  word_people: ['u32'],
  /**
   * Pairs of words that occur in one name. Each pair is stored under the word that fewer people have
   * (word-pairs.ts), with the partner words ascending and the people of each pair.
   */
  word_partner_start: ['u32', 'word_people'],
  partner_words: ['u32', 'word_partner_start'],
  partner_people_start: ['u32', 'partner_words'],
  partner_people: ['u32', 'partner_people_start'],
  /** The position of each person's document in its file, in units of 16 bytes (document-file.ts). */
  person_document_start: ['u32', 'people'],
  person_document_turns: ['u32'],
  property_document_start: ['u32'],
  property_document_turns: ['u32'],
  /** The position of each phone's document. A phone without names or businesses has an empty document. */
  phone_document_start: ['u32', 'phone_line'],
  phone_document_turns: ['u32'],
  /**
   * Phones in the order of their digits. `phone_area_start` has one entry for each area code; `phone_line`
   * holds the last seven digits, ascending within an area code.
   */
  phone_area_start: ['u32'],
  phone_line: ['u32', 'phone_area_start'],
  phone_person_start: ['u32', 'phone_line'],
  /** The people of each phone, best first. */
  phone_people: ['u32', 'phone_person_start'],
  /** The score from 0 to 100 of each entry of phone_people. */
  phone_people_scores: ['u8', 'phone_person_start'],
  /**
   * The number of the phone's facts in `fact_text`: JSON members with its line type, carrier and primary
   * owner.
   */
  phone_facts: ['u32', 'phone_line'],
  fact_start: ['u32'],
  fact_text: ['u8', 'fact_start'],
  word_start: ['u32', 'word_people'],
  word_text: ['u8', 'word_start'],
  /**
   * The ids of guests, ascending. Guests are people of other shards who own a property of this shard or live
   * there. Documents of properties name guest n by the number of people + n.
   */
  guest_start: ['u32'],
  guest_text: ['u8', 'guest_start'],
  street_start: ['u32'],
  street_text: ['u8', 'street_start'],
  shape_start: ['u32'],
  shape_text: ['u8', 'shape_start'],
  house_start: ['u32'],
  house_text: ['u8', 'house_start'],
  unit_start: ['u32'],
  unit_text: ['u8', 'unit_start'],
  wing_start: ['u32'],
  wing_text: ['u8', 'wing_start'],
  city_start: ['u32'],
  city_text: ['u8', 'city_start'],
} as const satisfies Readonly<Record<string, readonly [type: keyof typeof ARRAYS, rows?: string]>>

export const SEVERAL_STATES = 255

type ColumnName = keyof typeof COLUMNS
export type Columns = {
  readonly [Name in ColumnName]: InstanceType<(typeof ARRAYS)[(typeof COLUMNS)[Name][0]]>
}

const FOLDER = 'columns'

/**
 * Writes columns as files into a snapshot's `lookup/` folder. The publisher calls this several times, with
 * different columns.
 */
export function writeColumns(lookupFolder: string, columns: Partial<Columns>): void {
  mkdirSync(join(lookupFolder, FOLDER), { recursive: true })
  for (const [name, values] of Object.entries(columns))
    writeFileSync(join(lookupFolder, FOLDER, name), values)
}

/**
 * Reads all columns from a snapshot's `lookup/` folder. With `isShared` the columns are in memory that the
 * threads of this process can share.
 */
export function readColumns(lookupFolder: string, isShared = false): Columns {
  const columns = Object.entries(COLUMNS).map(([name, [type]]) => [
    name,
    columnOf(readFileSync(join(lookupFolder, FOLDER, name)), type, isShared),
  ])
  return Object.fromEntries(columns) as Columns
}

/** Reads all columns like `readColumns`, but without blocking the event loop. */
export async function loadColumns(lookupFolder: string): Promise<Columns> {
  const columns = Object.entries(COLUMNS).map(async ([name, [type]]) => [
    name,
    columnOf(await readFile(join(lookupFolder, FOLDER, name)), type, false),
  ])
  return Object.fromEntries(await Promise.all(columns)) as Columns
}

/**
 * Compares the lengths of columns with each other. @throws when two of them do not agree, or when they are
 * those of another shard than `place`.
 */
export function checkLengths(columns: Columns, place: ShardPlace): void {
  const found = columns.shard.join(' of ')
  const expected = `${place.number} of ${place.count}`
  if (found !== expected) throw new Error(`${FOLDER}/shard says shard ${found}, not ${expected}`)
  for (const [name, [, rows]] of Object.entries(COLUMNS) as [
    ColumnName,
    readonly [string, (ColumnName | 'people')?],
  ][]) {
    // prettier-ignore
    if (rows === undefined) continue
    const count = rows === 'people' ? columns.person_birth.length : rows.endsWith('_start') ? (columns[rows].at(-1) ?? 0) : columns[rows].length // prettier-ignore
    const wanted = name.endsWith('_start') ? count + 1 : count
    const { length } = columns[name]
    if (length !== wanted && !(count === 0 && length === 0))
      throw new Error(`${FOLDER}/${name} has ${length} entries, ${wanted} belong to ${rows}`)
  }
}

function columnOf(bytes: Buffer, type: keyof typeof ARRAYS, isShared: boolean): Columns[ColumnName] {
  const ofType = ARRAYS[type]
  if (bytes.length % ofType.BYTES_PER_ELEMENT !== 0)
    throw new Error(`a column of ${type} has ${bytes.length} bytes, which are no whole entries`)
  // Node reads small files into a common block of memory. There, bytes may begin at an address that is not a
  // multiple of four, which typed arrays do not accept.
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
