import { type Columns, lowerBound } from './columns.ts'

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

/** (u32 person, u32 score) pairs, as phones and e-mails hold them. */
export function scoredPeople(bytes: Buffer, start: number, count: number): PhonePerson[] {
  const people: PhonePerson[] = []
  for (let i = 0; i < count; i++) {
    const at = start + i * 8
    people.push({ person: bytes.readUInt32LE(at), score: bytes.readUInt32LE(at + 4) })
  }
  return people
}

/** '12065550142' → '(206) 555-0142': what documents show numbers as. */
export function nationalFormat(phone: string): string {
  return `(${phone.slice(1, 4)}) ${phone.slice(4, 7)}-${phone.slice(7)}`
}
