import { ageAt } from './birth.ts'
import type { Output } from './output.ts'

/**
 * The layout of a property's document: a header of u32 fields (little-endian), PERSON_FIELDS for each owner
 * and resident, then JSON text in segments. The text includes the owners and the first RESIDENT_LIMIT
 * residents in the form that answers show, so a search reads one document. Ages depend on the day: the text
 * has two placeholder digits for each, which an answer overwrites. Below, `|` marks a place where an answer
 * inserts a text:
 *
 *     search:  … "person_owners":[ owners, unresolved ]},"residents":[ residents ],"property_metadata":{"confidence_score": |
 *     details: … "person_owners":[ (owners) MIDDLE "residents":[ (all residents) TAIL
 */
export const PROPERTY_FIELD = {
  OWNER_COUNT: 0,
  RESIDENT_COUNT: 1,
  /** Offsets from the start of the document. */
  TEXT_START: 2,
  OWNERS_START: 3,
  UNRESOLVED_START: 4,
  OWNERS_END: 5,
  SEARCH_END: 6,
  DETAILS_HEAD_END: 7,
  DETAILS_MIDDLE_END: 8,
  DETAILS_TAIL_END: 9,
  /** Not an offset: 1 when the text names owners without a person, businesses or lenders, else 0. */
  HAS_NAMES: 10,
} as const
export const PROPERTY_HEADER_LENGTH = 4 * 11

/** The u32 fields of an owner or resident. Residents after the first RESIDENT_LIMIT have only NUMBER. */
export const PERSON_FIELD = {
  NUMBER: 0,
  /** The birth date as a number (`packDate` in birth.ts). */
  BIRTH: 1,
  /** The offset of AGE_DIGITS; 0 when the age is null on every day. */
  AGE_AT: 2,
  FORM_START: 3,
  FORM_END: 4,
} as const
export const PERSON_LENGTH = 4 * 5

/** The placeholder for an age. */
export const AGE_DIGITS = '00'

/**
 * How many residents a search result shows, best first. A tower without unit numbers has hundreds; details
 * show all of them.
 */
export const RESIDENT_LIMIT = 15

/** The texts between the parts of a search result. */
export const BEFORE_RESIDENTS = ']},"residents":['
export const BEFORE_SCORE = '],"property_metadata":{"confidence_score":'

const PROPERTY_ID_START = '{"property_id":"'.length

/**
 * How well a property matches a search; both are null in details and for searches without a complete
 * address.
 */
export interface MatchQuality {
  readonly confidence_score: number | null
  readonly match_type: 'exact' | 'best match' | null
}

/** The facts besides the document that are needed to write owners and residents. */
export interface Occupants {
  readonly today: number
  /** Writes the form of a resident whom the document only has as a number. */
  readonly writeResident: (person: number) => void
}

/**
 * Writes the result of a property search. Changes the ages in the document, so a copy must be passed if the
 * caller needs the document again.
 */
export function writePropertyResult(
  out: Output,
  document: Buffer,
  match: MatchQuality,
  occupants: Occupants,
): void {
  const start = field(document, PROPERTY_FIELD.TEXT_START)
  if (putAges(document, occupants.today)) {
    out.copy(document, start, field(document, PROPERTY_FIELD.SEARCH_END))
  } else {
    out.copy(document, start, field(document, PROPERTY_FIELD.OWNERS_START))
    writeOwners(out, document, occupants)
    out.ascii(BEFORE_RESIDENTS)
    writeResidents(out, document, RESIDENT_LIMIT, occupants)
    out.ascii(BEFORE_SCORE)
  }
  writeMetadata(out, document, match)
}

/** Writes the details of a property. Unlike `writePropertyResult` it does not change the document. */
export function writePropertyDetails(out: Output, document: Buffer, occupants: Occupants): void {
  const headEnd = field(document, PROPERTY_FIELD.DETAILS_HEAD_END)
  const middleEnd = field(document, PROPERTY_FIELD.DETAILS_MIDDLE_END)
  out.copy(document, field(document, PROPERTY_FIELD.SEARCH_END), headEnd)
  writeOwners(out, document, occupants)
  out.copy(document, headEnd, middleEnd)
  writeResidents(out, document, Number.POSITIVE_INFINITY, occupants)
  out.copy(document, middleEnd, field(document, PROPERTY_FIELD.DETAILS_TAIL_END))
  out.ascii('"property_metadata":{"confidence_score":')
  writeMetadata(out, document, { confidence_score: null, match_type: null })
}

/** Returns the numbers of a property's owners and residents: people of its shard, then guests. */
export function propertyPeople(document: Buffer): { owners: number[]; residents: number[] } {
  const owners = field(document, PROPERTY_FIELD.OWNER_COUNT)
  const count = owners + field(document, PROPERTY_FIELD.RESIDENT_COUNT)
  const numbers = Array.from({ length: count }, (_, index) =>
    personField(document, index, PERSON_FIELD.NUMBER),
  )
  return { owners: numbers.slice(0, owners), residents: numbers.slice(owners) }
}

/**
 * Overwrites the age digits of every form in the document. Returns false when an age does not have two
 * digits: then the caller inserts the ages while it copies.
 */
function putAges(document: Buffer, today: number): boolean {
  const count = formCount(document)
  for (let i = 0; i < count; i++) {
    const at = personField(document, i, PERSON_FIELD.AGE_AT)
    if (at === 0) continue
    const age = ageAt(personField(document, i, PERSON_FIELD.BIRTH), today)
    if (age === null || age < 10 || age > 99) return false
    document[at] = ZERO + Math.trunc(age / 10)
    document[at + 1] = ZERO + (age % 10)
  }
  return true
}

const ZERO = 48

function formCount(document: Buffer): number {
  const residents = field(document, PROPERTY_FIELD.RESIDENT_COUNT)
  return field(document, PROPERTY_FIELD.OWNER_COUNT) + Math.min(RESIDENT_LIMIT, residents)
}

function writeOwners(out: Output, document: Buffer, occupants: Occupants): void {
  const count = field(document, PROPERTY_FIELD.OWNER_COUNT)
  for (let i = 0; i < count; i++) {
    if (i > 0) out.ascii(',')
    writePerson(out, document, i, occupants)
  }
  const start = field(document, PROPERTY_FIELD.UNRESOLVED_START)
  const end = field(document, PROPERTY_FIELD.OWNERS_END)
  if (count > 0 && end > start) out.ascii(',')
  out.copy(document, start, end)
}

function writeResidents(out: Output, document: Buffer, most: number, occupants: Occupants): void {
  const owners = field(document, PROPERTY_FIELD.OWNER_COUNT)
  const count = Math.min(most, field(document, PROPERTY_FIELD.RESIDENT_COUNT))
  for (let i = 0; i < count; i++) {
    if (i > 0) out.ascii(',')
    writePerson(out, document, owners + i, occupants)
  }
}

function writePerson(
  out: Output,
  document: Buffer,
  index: number,
  { today, writeResident }: Occupants,
): void {
  const start = personField(document, index, PERSON_FIELD.FORM_START)
  const end = personField(document, index, PERSON_FIELD.FORM_END)
  const age = personField(document, index, PERSON_FIELD.AGE_AT)
  if (end === 0) {
    writeResident(personField(document, index, PERSON_FIELD.NUMBER))
  } else if (age === 0) {
    out.copy(document, start, end)
  } else {
    out.copy(document, start, age)
    out.ascii(String(ageAt(personField(document, index, PERSON_FIELD.BIRTH), today)))
    out.copy(document, age + AGE_DIGITS.length, end)
  }
}

/** Returns the property's id. */
export function idOfProperty(document: Buffer): string {
  const start = field(document, PROPERTY_FIELD.TEXT_START) + PROPERTY_ID_START
  return document.toString('latin1', start, start + 11)
}

function writeMetadata(out: Output, document: Buffer, match: MatchQuality): void {
  const id = idOfProperty(document)
  const type = match.match_type === null ? 'null' : `"${match.match_type}"`
  out.ascii(`${match.confidence_score},"match_type":${type},"details_url":"/v2/property/${id}"}}`)
}

/** Returns the PERSON_FIELD `of` of the owner or resident at a position, owners first. */
export function personField(document: Buffer, index: number, of: number): number {
  return field(document, (PROPERTY_HEADER_LENGTH + index * PERSON_LENGTH) / 4 + of)
}

export function field(document: Buffer, index: number): number {
  return document.readUInt32LE(index * 4)
}
