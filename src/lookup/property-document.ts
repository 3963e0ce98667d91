import type { Output } from './output.ts'

/**
 * A property's document: a header of u32 fields (little-endian), the numbers of its owners and residents, then JSON text
 * in segments. People are written between the segments from their own documents, so that a property holds none of them twice.
 *
 *     search:  SEARCH_HEAD … "person_owners":[ owners OWNERS_TEXT ],… "residents":[ residents ],"property_metadata":…}
 *     details: DETAILS_HEAD … "person_owners":[ owners OWNERS_TEXT DETAILS_MIDDLE residents DETAILS_TAIL ,"property_metadata":…}
 */
export const PROPERTY_FIELD = {
  OWNER_COUNT: 0,
  RESIDENT_COUNT: 1,
  /** Ends of segments, counted from the document's start; the first begins behind the numbers. */
  SEARCH_HEAD_END: 2,
  DETAILS_HEAD_END: 3,
  OWNERS_TEXT_END: 4,
  DETAILS_MIDDLE_END: 5,
  DETAILS_TAIL_END: 6,
} as const
export const PROPERTY_HEADER_LENGTH = 4 * 7

/** How many residents a search result shows, the surest ones; a tower without units has hundreds. Details have them all. */
export const RESIDENT_LIMIT = 15

const PROPERTY_ID_START = '{"property_id":"'.length

export interface MatchQuality {
  readonly confidence_score: number | null
  readonly match_type: 'exact' | 'best match' | null
}

/** Writes one person of a property by number, in the form of owners or residents. */
export type WriteOccupant = (
  person: number,
  metadataName: 'person_owner_metadata' | 'resident_metadata',
) => void

export function writePropertyResult(
  out: Output,
  document: Buffer,
  match: MatchQuality,
  writeOccupant: WriteOccupant,
): void {
  const text = textStart(document)
  out.copy(document, text, field(document, PROPERTY_FIELD.SEARCH_HEAD_END))
  writeOwners(out, document, writeOccupant)
  out.ascii(']},"residents":[')
  writeResidents(out, document, RESIDENT_LIMIT, writeOccupant)
  out.ascii('],')
  writeMetadata(out, document, match)
}

export function writePropertyDetails(out: Output, document: Buffer, writeOccupant: WriteOccupant): void {
  const head = field(document, PROPERTY_FIELD.SEARCH_HEAD_END)
  out.copy(document, head, field(document, PROPERTY_FIELD.DETAILS_HEAD_END))
  writeOwners(out, document, writeOccupant)
  const ownersEnd = field(document, PROPERTY_FIELD.OWNERS_TEXT_END)
  const middleEnd = field(document, PROPERTY_FIELD.DETAILS_MIDDLE_END)
  out.copy(document, ownersEnd, middleEnd)
  writeResidents(out, document, Number.POSITIVE_INFINITY, writeOccupant)
  out.copy(document, middleEnd, field(document, PROPERTY_FIELD.DETAILS_TAIL_END))
  writeMetadata(out, document, { confidence_score: null, match_type: null })
}

/** The numbers of a property's owners and residents. */
export function propertyPeople(document: Buffer): { owners: number[]; residents: number[] } {
  const ownerCount = field(document, PROPERTY_FIELD.OWNER_COUNT)
  const residentCount = field(document, PROPERTY_FIELD.RESIDENT_COUNT)
  const numbers = Array.from({ length: ownerCount + residentCount }, (_, index) =>
    document.readUInt32LE(PROPERTY_HEADER_LENGTH + index * 4),
  )
  return { owners: numbers.slice(0, ownerCount), residents: numbers.slice(ownerCount) }
}

function writeOwners(out: Output, document: Buffer, writeOccupant: WriteOccupant): void {
  const count = field(document, PROPERTY_FIELD.OWNER_COUNT)
  for (let i = 0; i < count; i++) {
    if (i > 0) out.ascii(',')
    writeOccupant(document.readUInt32LE(PROPERTY_HEADER_LENGTH + i * 4), 'person_owner_metadata')
  }
  const start = field(document, PROPERTY_FIELD.DETAILS_HEAD_END)
  const end = field(document, PROPERTY_FIELD.OWNERS_TEXT_END)
  if (count > 0 && end > start) out.ascii(',')
  out.copy(document, start, end)
}

function writeResidents(out: Output, document: Buffer, most: number, writeOccupant: WriteOccupant): void {
  const owners = field(document, PROPERTY_FIELD.OWNER_COUNT)
  const count = Math.min(most, field(document, PROPERTY_FIELD.RESIDENT_COUNT))
  for (let i = 0; i < count; i++) {
    if (i > 0) out.ascii(',')
    writeOccupant(document.readUInt32LE(PROPERTY_HEADER_LENGTH + (owners + i) * 4), 'resident_metadata')
  }
}

function writeMetadata(out: Output, document: Buffer, match: MatchQuality): void {
  const start = textStart(document) + PROPERTY_ID_START
  const id = document.toString('latin1', start, start + 11)
  const type = match.match_type === null ? 'null' : `"${match.match_type}"`
  out.ascii(
    `"property_metadata":{"confidence_score":${match.confidence_score},"match_type":${type},"details_url":"/v2/property/${id}"}}`,
  )
}

/** Where the text begins: behind the header and the numbers. */
export function textStart(document: Buffer): number {
  const people = field(document, PROPERTY_FIELD.OWNER_COUNT) + field(document, PROPERTY_FIELD.RESIDENT_COUNT)
  return PROPERTY_HEADER_LENGTH + people * 4
}

/** One of PROPERTY_FIELD. */
export function field(document: Buffer, index: number): number {
  return document.readUInt32LE(index * 4)
}
