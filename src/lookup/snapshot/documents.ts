import { withoutRelatives, writeOccupant } from '../format/person-document.ts'
import type { Occupants } from '../format/property-document.ts'
import { withoutSuppressedPeople } from './property-without-suppressed.ts'
import type { Index } from './snapshot-index.ts'
import type { Snapshot } from './snapshot.ts'

// The documents that answers are made of, without whoever is suppressed. Nothing that goes out is read in another way,
// but for phones, which phone-document.ts reads.

/** Bytes that are only valid until the next person is read. */
export function personDocument({ index: { files }, suppressed }: Snapshot, person: number): Buffer {
  const document = files.people.read(person)
  return suppressed === null ? document : withoutRelatives(document, suppressed.ids)
}

/** As `personDocument`, for rows of lists, which are told nothing of relatives. */
export function listedDocument({ files }: Index, person: number): Buffer {
  return files.people.read(person)
}

/** Bytes that are valid until the next property is read, whatever else is. */
export function propertyDocument(
  { index: { files }, workspace: { propertyWriter }, suppressed }: Snapshot,
  property: number,
): Buffer {
  const document = files.properties.read(property)
  return suppressed === null ? document : withoutSuppressedPeople(document, suppressed, propertyWriter)
}

/** What the people of a property's document are written with. */
export function occupantsOf({ index: { files }, workspace: { out } }: Snapshot, today: number): Occupants {
  return {
    today,
    writeResident: (person) => writeOccupant(out, files.people.read(person), today, 'resident_metadata'),
  }
}
