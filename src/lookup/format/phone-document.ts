import { type Columns, lowerBound } from './columns.ts'
import { posting, type Store } from './store.ts'

export const PHONE_HEADER_LENGTH = 12

/** A name that a source gives for a phone, but that belongs to no known person. */
export interface UnresolvedOwner {
  readonly name: string
  /** A number from 0 to 100. */
  readonly score: number
  /** The line type of the phone. */
  readonly type: string
}

/** A person who has the phone or e-mail address, with a score from 0 to 100 for how certain that is. */
export interface PhonePerson {
  readonly person: number
  readonly score: number
}

/** Returns the number, in this snapshot, of a phone of eleven digits; −1 when the snapshot does not have it. */
export function phoneNumber({ phone_area_start: starts, phone_line: lines }: Columns, phone: string): number {
  const area = Number(phone.slice(1, 4))
  const line = Number(phone.slice(4))
  const end = starts[area + 1]
  if (end === undefined) return -1
  const number = lowerBound(lines, starts[area]!, end, line)
  return number < end && lines[number] === line ? number : -1
}

/** Yields eleven digits of every phone, ascending. */
export function* allPhones({ phone_area_start: starts, phone_line: lines }: Columns): Generator<string> {
  for (let area = 0; area + 1 < starts.length; area++) {
    for (let number = starts[area]!; number < starts[area + 1]!; number++)
      yield `1${String(area).padStart(3, '0')}${String(lines[number]).padStart(7, '0')}`
  }
}

/** Returns the people of a phone, best first, including suppressed people. */
export function phonePeople(columns: Columns, number: number): PhonePerson[] {
  const people: PhonePerson[] = []
  const end = columns.phone_person_start[number + 1]!
  for (let i = columns.phone_person_start[number]!; i < end; i++)
    people.push({ person: columns.phone_people[i]!, score: columns.phone_people_scores[i]! })
  return people
}

/** Returns the people of a normalised e-mail address, best first, including suppressed people. */
export function emailPeople({ emails }: Store, email: string): PhonePerson[] {
  const numbers = posting(emails.getBinaryFast(Buffer.from(email)))
  return Array.from({ length: numbers.length / 2 }, (_, at) => ({
    person: numbers[2 * at]!,
    score: numbers[2 * at + 1]!,
  }))
}

/** Formats a phone as documents show it: '12065550142' gives '(206) 555-0142'. */
export function nationalFormat(phone: string): string {
  return `(${phone.slice(1, 4)}) ${phone.slice(4, 7)}-${phone.slice(7)}`
}
