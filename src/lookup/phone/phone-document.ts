import { parsePhone } from '../../normalize/phone.ts'
import { type Columns, lowerBound } from '../format/columns.ts'
import type { Output } from '../format/output.ts'
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

export const PHONE_HEADER_LENGTH = 12

/** A name on a phone that is no person known. */
export interface UnresolvedOwner {
  readonly name: string
  /** 0–100 */
  readonly score: number
  /** The line type of the phone. */
  readonly type: string
}

export interface PhonePerson {
  readonly person: number
  readonly score: number
}

/** How many people a phone's body shows. */
export const PEOPLE_LIMIT = 10

/** The number of a phone of eleven digits in the snapshot; −1 when nothing is known of it. */
export function phoneNumber({ phone_area_start: starts, phone_line: lines }: Columns, phone: string): number {
  const area = Number(phone.slice(1, 4))
  const line = Number(phone.slice(4))
  const end = starts[area + 1]
  if (end === undefined) return -1
  const number = lowerBound(lines, starts[area]!, end, line)
  return number < end && lines[number] === line ? number : -1
}

/** Eleven digits of every phone, ascending. */
export function* allPhones({ phone_area_start: starts, phone_line: lines }: Columns): Generator<string> {
  for (let area = 0; area + 1 < starts.length; area++) {
    for (let number = starts[area]!; number < starts[area + 1]!; number++)
      yield `1${String(area).padStart(3, '0')}${String(lines[number]).padStart(7, '0')}`
  }
}

/** People who have the phone, best first, also those who are suppressed. */
export function phonePeople(columns: Columns, number: number): PhonePerson[] {
  const people: PhonePerson[] = []
  const end = columns.phone_person_start[number + 1]!
  for (let i = columns.phone_person_start[number]!; i < end; i++)
    people.push({ person: columns.phone_people[i]!, score: columns.phone_people_scores[i]! })
  return people
}

/** What is known of a phone, without who is suppressed; null when it is nothing. A name beside somebody suppressed may be theirs, and goes as well. */
export function readPhone({ columns, files, suppressed }: Snapshot, phone: string): Phone | null {
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

/** The body up to the people. Of whom is suppressed it still counts all: `correctedBody` mends that. */
export function writePhoneHead(
  out: Output,
  { columns, facts }: Snapshot,
  { phone, number, businessCount, nameCount }: Phone,
): void {
  const linked = columns.phone_person_start[number + 1]! - columns.phone_person_start[number]! + nameCount
  out.ascii(`{"phone":{"e164":"+${phone}","national_format":"${nationalFormat(phone)}",`)
  facts.write(out, columns.phone_facts[number]!)
  out.ascii(
    `,"returned_people":${Math.min(linked, PEOPLE_LIMIT)},"people_limit":${PEOPLE_LIMIT},"people_truncated":${linked > PEOPLE_LIMIT},"returned_businesses":${businessCount}},"people":[`,
  )
}

/** The body of a phone of which somebody was taken out, with facts that agree with who is left of `peopleCount`. */
export function correctedBody(body: Buffer, peopleCount: number): Buffer {
  const { phone, people, businesses } = JSON.parse(body.toString()) as {
    phone: Record<string, unknown>
    people: unknown[]
    businesses: unknown[]
  }
  const primary_owner = peopleCount > 0 ? phone['primary_owner'] : businesses.length > 0 ? 'business' : 'unknown' // prettier-ignore
  const facts = {
    ...phone,
    primary_owner,
    returned_people: people.length,
    people_truncated: peopleCount > PEOPLE_LIMIT,
  }
  return Buffer.from(JSON.stringify({ phone: facts, people, businesses }))
}

/** The record of an owner whom nothing resolves to a person: no id, and lists without caps. Without `result` in the form of version 1. */
export function unresolvedRecord(
  { name, score, type }: UnresolvedOwner,
  phone: string,
  result: { readonly match_score: number; readonly matched_by: readonly string[] } | null,
): string {
  return JSON.stringify({
    id: null,
    name,
    aliases: [],
    is_dead: false,
    ...(result === null ? {} : { age: null }),
    date_of_birth: null,
    linkedin_url: null,
    company_name: null,
    job_title: null,
    ...result,
    phones: [{ number: nationalFormat(phone), type, score }],
    emails: [],
    current_addresses: [],
    historic_addresses: [],
    owned_properties: [],
    relatives: [],
    ...(result === null ? {} : { result_metadata: ONE_PHONE }),
  })
}

const NOTHING = { displayed: 0, additional: 0 }
const ONE_PHONE = {
  details_url: null,
  phones: { displayed: 1, additional: 0 },
  emails: NOTHING,
  historic_addresses: NOTHING,
  owned_properties: NOTHING,
}

/** (u32 person, u32 score) pairs, as phones and e-mails hold them. */
export function scoredPeople(bytes: Buffer, start: number, count: number): PhonePerson[] {
  const people: PhonePerson[] = []
  for (let i = 0; i < count; i++) {
    const at = start + i * 8
    people.push({ person: bytes.readUInt32LE(at), score: bytes.readUInt32LE(at + 4) })
  }
  return people
}

/** The body for a number of which nothing is known. */
export function writeUnknownPhone(out: Output, phone: string): void {
  const isTollFree = parsePhone(phone)?.is_toll_free === true
  const facts = {
    e164: `+${phone}`,
    national_format: nationalFormat(phone),
    line_type: isTollFree ? 'tollfree' : 'unknown',
    carrier: null,
    primary_owner: 'unknown',
    returned_people: 0,
    people_limit: PEOPLE_LIMIT,
    people_truncated: false,
    returned_businesses: 0,
  }
  out.ascii(JSON.stringify({ phone: facts, people: [], businesses: [] }))
}

/** '12065550142' → '(206) 555-0142': what documents show numbers as. */
export function nationalFormat(phone: string): string {
  return `(${phone.slice(1, 4)}) ${phone.slice(4, 7)}-${phone.slice(7)}`
}
