import {
  PHONE_HEADER_LENGTH,
  phoneNumber,
  type PhonePerson,
  type UnresolvedOwner,
} from '../format/phone-document.ts'
import { homeOf, type Snapshot } from '../snapshot/snapshot.ts'
import { peopleOfPhone } from './people-of-contact.ts'

/**
 * The data of a phone. All of it except the people is in the phone's home shard. People and facts come from columns. A phone has a document only if it has names or
 * businesses. The document begins with three u32 numbers: the count of businesses, the end of the names and
 * the end of the businesses, both counted from the start of the document. The names follow as a JSON array of
 * UnresolvedOwner, or as no bytes at all, and then the businesses as items of a JSON array.
 */
export interface Phone {
  /** Eleven digits. */
  readonly phone: string
  /** JSON members with its line type, carrier and primary owner. */
  readonly facts: string
  /** People who are not suppressed, best first, by number in the snapshot. */
  readonly people: readonly PhonePerson[]
  /** Owners without a person id, best first. */
  readonly unresolved: readonly UnresolvedOwner[]
  readonly businessCount: number
  /** JSON text: the items of an array. */
  readonly businesses: string
  /** Whether suppressed people were removed. Then names without a person id are not shown either. */
  readonly hasSuppressed: boolean
}

/**
 * Returns the data of a phone without suppressed people; null when the snapshot does not have the phone. If
 * any person is removed, the names without a person id are removed too, because one of them may be that
 * person's.
 */
export function readPhone(snapshot: Snapshot, phone: string): Phone | null {
  const { suppressed } = snapshot
  const { columns, files, facts } = homeOf(snapshot, phone).index
  const number = phoneNumber(columns, phone)
  if (number < 0) return null
  const all = peopleOfPhone(snapshot, phone)
  const people = suppressed === null ? all : all.filter(({ person }) => suppressed.people[person] !== 1)
  const hasSuppressed = people.length < all.length || suppressed?.phones.has(phone) === true
  const known = { phone, facts: facts.text(columns.phone_facts[number]!), people, hasSuppressed }
  if (!files.phones.has(number)) return { ...known, unresolved: NO_OWNERS, businessCount: 0, businesses: '' }
  const document = files.phones.read(number)
  const businessCount = document.readUInt32LE(0)
  const namesEnd = document.readUInt32LE(4)
  const names =
    namesEnd === PHONE_HEADER_LENGTH
      ? NO_OWNERS
      : (JSON.parse(document.toString('utf8', PHONE_HEADER_LENGTH, namesEnd)) as UnresolvedOwner[])
  return {
    ...known,
    unresolved: hasSuppressed ? NO_OWNERS : names,
    businessCount,
    businesses: document.toString('utf8', namesEnd, document.readUInt32LE(8)),
  }
}

const NO_OWNERS: readonly UnresolvedOwner[] = []
