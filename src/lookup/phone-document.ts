import { parsePhone } from '../normalize/phone.ts'
import type { Output } from './output.ts'
import type { Suppressed } from './suppressed.ts'

/**
 * A phone's document: u32 count of people, then (u32 person, u32 score 0–100) for each, best first, u32 length of the
 * head, u32 length of head and names, the head (JSON text up to and with `"people":[`), the names (a JSON array of
 * UnresolvedOwner; nothing where there is none) and the tail (from `],"businesses":[`).
 */
export interface PhoneDocument {
  readonly people: readonly PhonePerson[]
  readonly bytes: Buffer
  readonly headStart: number
  readonly headEnd: number
  readonly namesEnd: number
  /** Whether somebody was taken out: then it names nobody who isn't a person either. */
  readonly isScreened: boolean
}

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

/** Reads a document; its bytes are only valid until the next read of the store. */
export function readPhoneDocument(bytes: Buffer): PhoneDocument {
  const count = bytes.readUInt32LE(0)
  const headStart = 4 + count * 8 + 8
  return {
    people: scoredPeople(bytes, 4, count),
    bytes,
    headStart,
    headEnd: headStart + bytes.readUInt32LE(headStart - 8),
    namesEnd: headStart + bytes.readUInt32LE(headStart - 4),
    isScreened: false,
  }
}

/** A phone's document without who is suppressed. A name beside somebody suppressed may be theirs, and goes as well. */
export function withoutSuppressed(
  document: PhoneDocument,
  phone: string,
  { people, phones }: Suppressed,
): PhoneDocument {
  const kept = document.people.filter(({ person }) => people[person] !== 1)
  if (kept.length === document.people.length && !phones.has(phone)) return document
  return { ...document, people: kept, isScreened: true }
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

/** The owners of a phone whom nothing resolves to a person, surest first. */
export function unresolvedOwners({
  bytes,
  headEnd,
  namesEnd,
  isScreened,
}: PhoneDocument): readonly UnresolvedOwner[] {
  if (headEnd === namesEnd || isScreened) return NO_OWNERS
  return JSON.parse(bytes.toString('utf8', headEnd, namesEnd)) as UnresolvedOwner[]
}

const NO_OWNERS: readonly UnresolvedOwner[] = []

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
