import { withoutRelatives } from './person-document.ts'
import { type PhoneDocument, readPhoneDocument, withoutSuppressed } from './phone-document.ts'
import { withoutPeople } from './property-document.ts'
import type { Snapshot } from './snapshot.ts'

// The documents that answers are made of, without whoever is suppressed. Nothing that goes out is read in another way.

/** Bytes that are only valid until the next read of the store. */
export function personDocument({ store, suppressed }: Snapshot, person: number): Buffer {
  const document = store.people.getBinaryFast(person)!
  return suppressed === null ? document : withoutRelatives(document, suppressed.ids)
}

/** The same, in a buffer of its own. */
export function ownPersonDocument({ store, suppressed }: Snapshot, person: number): Buffer {
  const document = Buffer.from(store.people.getBinary(person)!)
  return suppressed === null ? document : withoutRelatives(document, suppressed.ids)
}

/** Bytes that are valid until the next property or phone is read, whatever else is. */
export function propertyDocument({ store, suppressed, held }: Snapshot, property: number): Buffer {
  const document = held.hold(store.properties.getBinaryFast(property)!)
  return suppressed === null ? document : withoutPeople(document, suppressed.people)
}

/** `bytes` are those of the store for `phone`, eleven digits. */
export function phoneDocument({ suppressed }: Snapshot, bytes: Buffer, phone: string): PhoneDocument {
  const document = readPhoneDocument(bytes)
  return suppressed === null ? document : withoutSuppressed(document, phone, suppressed)
}
