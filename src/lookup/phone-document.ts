import { parsePhone } from '../normalize/phone.ts'
import type { Output } from './output.ts'

/**
 * A phone's document: u32 count of people, then (u32 person, u32 score 0–100) for each, best first, u32 length of the
 * head, the head (JSON text up to and with `"people":[`) and the tail (from `],"businesses":[`).
 */
export interface PhoneDocument {
  readonly people: readonly PhonePerson[]
  readonly bytes: Buffer
  readonly headStart: number
  readonly headEnd: number
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
  const headStart = 4 + count * 8 + 4
  return {
    people: scoredPeople(bytes, 4, count),
    bytes,
    headStart,
    headEnd: headStart + bytes.readUInt32LE(headStart - 4),
  }
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
