import {
  PHONE_HEADER_LENGTH,
  phoneNumber,
  phonePeople,
  type PhonePerson,
  type UnresolvedOwner,
} from '../format/phone-document.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

/**
 * What is known of a phone. Its people and facts are in columns. A document is there only where they don't say all:
 * u32 count of businesses, u32 ends of names and businesses counted from its start, the names (a JSON array of
 * UnresolvedOwner; nothing where there is none) and the businesses (items of a JSON array).
 */
export interface Phone {
  /** Eleven digits. */
  readonly phone: string
  /** Its number in the snapshot. */
  readonly number: number
  /** Best first. */
  readonly people: readonly PhonePerson[]
  /** Owners whom nothing resolves to a person, surest first. */
  readonly unresolved: readonly UnresolvedOwner[]
  /** How many names its document has, also where they are not shown. */
  readonly nameCount: number
  readonly businessCount: number
  /** JSON text, the items of an array. */
  readonly businesses: string
  /** Whether somebody was taken out: then it names nobody who isn't a person either. */
  readonly isScreened: boolean
}

/** What is known of a phone, without who is suppressed; null when it is nothing. A name beside somebody suppressed may be theirs, and goes as well. */
export function readPhone({ index: { columns, files }, suppressed }: Snapshot, phone: string): Phone | null {
  const number = phoneNumber(columns, phone)
  if (number < 0) return null
  const all = phonePeople(columns, number)
  const people = suppressed === null ? all : all.filter(({ person }) => suppressed.people[person] !== 1)
  const isScreened = people.length < all.length || suppressed?.phones.has(phone) === true
  const known = { phone, number, people, isScreened }
  if (!files.phones.has(number))
    return { ...known, unresolved: NO_OWNERS, nameCount: 0, businessCount: 0, businesses: '' }
  const document = files.phones.read(number)
  const businessCount = document.readUInt32LE(0)
  const namesEnd = document.readUInt32LE(4)
  const names =
    namesEnd === PHONE_HEADER_LENGTH
      ? NO_OWNERS
      : (JSON.parse(document.toString('utf8', PHONE_HEADER_LENGTH, namesEnd)) as UnresolvedOwner[])
  return {
    ...known,
    unresolved: isScreened ? NO_OWNERS : names,
    nameCount: names.length,
    businessCount,
    businesses: document.toString('utf8', namesEnd, document.readUInt32LE(8)),
  }
}

const NO_OWNERS: readonly UnresolvedOwner[] = []
