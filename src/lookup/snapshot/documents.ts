import { withoutRelatives, writeOccupant } from '../format/person-document.ts'
import type { Occupants } from '../format/property-document.ts'
import { withoutSuppressedPeople } from './property-without-suppressed.ts'
import { numberOfOccupant, type Shard, shardOfPerson, type Snapshot } from './snapshot.ts'

// Reads the documents of people and properties, from which lookups make their results. phone/read-phone.ts reads
// the documents of phones.

/**
 * Returns a person's document without suppressed relatives. The bytes are valid until the next person is
 * read.
 */
export function personDocument(snapshot: Snapshot, person: number): Buffer {
  const document = listedDocument(snapshot, person)
  return snapshot.suppressed === null ? document : withoutRelatives(document, snapshot.suppressed.ids)
}

/** Returns a person's document for the enrichment of input files, which never shows relatives. */
export function listedDocument(snapshot: Snapshot, person: number): Buffer {
  const { index, firstPerson } = shardOfPerson(snapshot, person)
  return index.files.people.read(person - firstPerson)
}

/**
 * Returns a property's document without suppressed people. The bytes are valid until the next property is
 * read.
 */
export function propertyDocument(snapshot: Snapshot, shard: Shard, property: number): Buffer {
  const document = shard.index.files.properties.read(property)
  const { suppressed } = snapshot
  if (suppressed === null) return document
  return withoutSuppressedPeople(
    document,
    { people: shard.hidden!, names: suppressed.names },
    snapshot.propertyWriter,
    (occupant) => occupantDocument(snapshot, shard, occupant),
  )
}

/**
 * Returns what is needed to write the owners and residents of a property of the shard. `today` is the day for
 * which ages are computed. `writeResident` writes a resident who is in the property's document only as a
 * number.
 */
export function occupantsOf(snapshot: Snapshot, shard: Shard, today: number): Occupants {
  return {
    today,
    writeResident: (occupant) =>
      writeOccupant(snapshot.out, occupantDocument(snapshot, shard, occupant), today, 'resident_metadata'),
  }
}

function occupantDocument(snapshot: Snapshot, shard: Shard, occupant: number): Buffer {
  return listedDocument(snapshot, numberOfOccupant(snapshot, shard, occupant))
}
