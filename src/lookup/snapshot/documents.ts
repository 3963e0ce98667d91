import { withoutRelatives, writeOccupant } from '../format/person-document.ts'
import type { Occupants } from '../format/property-document.ts'
import { withoutSuppressedPeople } from './property-without-suppressed.ts'
import type { Index } from './snapshot-index.ts'
import type { Snapshot } from './snapshot.ts'

// Reads the documents of people and properties, from which lookups make their results. phone/read-phone.ts reads
// the documents of phones.

/**
 * Returns a person's document without suppressed relatives. The bytes are valid until the next person is
 * read.
 */
export function personDocument({ index: { files }, suppressed }: Snapshot, person: number): Buffer {
  const document = files.people.read(person)
  return suppressed === null ? document : withoutRelatives(document, suppressed.ids)
}

/** Returns a person's document for the enrichment of input files, which never shows relatives. */
export function listedDocument({ files }: Index, person: number): Buffer {
  return files.people.read(person)
}

/**
 * Returns a property's document without suppressed people. The bytes are valid until the next property is
 * read.
 */
export function propertyDocument(
  { index: { files }, workspace: { propertyWriter }, suppressed }: Snapshot,
  property: number,
): Buffer {
  const document = files.properties.read(property)
  return suppressed === null ? document : withoutSuppressedPeople(document, suppressed, propertyWriter)
}

/**
 * Returns what is needed to write the owners and residents of a property. `today` is the day for which ages are
 * computed. `writeResident` writes a resident who is in the property's document only as a number.
 */
export function occupantsOf({ index: { files }, workspace: { out } }: Snapshot, today: number): Occupants {
  return {
    today,
    writeResident: (person) => writeOccupant(out, files.people.read(person), today, 'resident_metadata'),
  }
}
