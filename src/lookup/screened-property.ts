import {
  field,
  PROPERTY_FIELD,
  PROPERTY_HEADER_LENGTH,
  propertyPeople,
  textStart,
} from './property-document.ts'
import type { Suppressed } from './suppressed.ts'
import { mayMeanSuppressed } from './suppressed-names.ts'

/**
 * A property's document without who is suppressed: itself when it has nobody of them, else a copy. What only names them goes as
 * well: owners without a person, trusts and estates, private lenders. Without an owner it has no mailing address either: that is
 * where they live.
 */
export function withoutSuppressedPeople(document: Buffer, { people, names }: ScreenedBy): Buffer {
  const all = propertyPeople(document)
  const owners = all.owners.filter((person) => people[person] !== 1)
  const residents = all.residents.filter((person) => people[person] !== 1)
  const isNobodyOut = owners.length === all.owners.length && residents.length === all.residents.length
  if (isNobodyOut && (names.size === 0 || !hasNames(document))) return document
  const before = segmentsOf(document)
  const state = STATE.exec(before[SEARCH_HEAD] ?? '')?.[1] ?? null
  const after = before.map((text, segment) =>
    withoutNames(text, segment, (name) => mayMeanSuppressed(names, name, state)),
  )
  const isOwnerOut = owners.length < all.owners.length || after.some((text, at) => at !== MIDDLE && text !== before[at]) // prettier-ignore
  if (isNobodyOut && after.every((text, at) => text === before[at])) return document
  return documentOf(
    { owners, residents },
    isOwnerOut ? after.map((text) => text.replace(MAILING_ADDRESS, '"mailing_address":null')) : after,
  )
}

type ScreenedBy = Pick<Suppressed, 'people' | 'names'>

const SEGMENTS = [
  PROPERTY_FIELD.SEARCH_HEAD_END,
  PROPERTY_FIELD.DETAILS_HEAD_END,
  PROPERTY_FIELD.OWNERS_TEXT_END,
  PROPERTY_FIELD.DETAILS_MIDDLE_END,
  PROPERTY_FIELD.DETAILS_TAIL_END,
]
const [SEARCH_HEAD, OWNERS_TEXT, MIDDLE] = [0, 2, 3]

// Texts of JSON; a quote inside a text is escaped.
const MAILING_ADDRESS = /"mailing_address":\{(?:"(?:[^"\\]|\\.)*"|[:,])*\}/
const STATE = /"property_address":\{(?:"(?:[^"\\]|\\.)*"|[:,])*?"state":"([A-Z]{2})"/
const BUSINESSES = /"business_owners":(\[(?:\{"name":"(?:[^"\\]|\\.)*"\},?)+\])/
const LENDER = /"lender_name":("(?:[^"\\]|\\.)*")/g

/** Whether anybody is named besides the people whose numbers the document has. */
function hasNames(document: Buffer): boolean {
  const hasOwnersText =
    field(document, PROPERTY_FIELD.OWNERS_TEXT_END) > field(document, PROPERTY_FIELD.DETAILS_HEAD_END)
  return hasOwnersText || document.includes('"business_owners":[{') || document.includes('"lender_name":"')
}

function withoutNames(text: string, segment: number, isMeant: (name: string) => boolean): string {
  if (segment === OWNERS_TEXT) {
    const owners = JSON.parse(`[${text}]`) as { readonly name: string }[]
    const kept = owners.filter(({ name }) => !isMeant(name))
    return kept.length === owners.length ? text : JSON.stringify(kept).slice(1, -1)
  }
  if (segment === MIDDLE) {
    return text.replaceAll(LENDER, (all, name: string) =>
      isMeant(JSON.parse(name) as string) ? '"lender_name":null' : all,
    )
  }
  return text.replace(BUSINESSES, (all, list: string) => {
    const businesses = JSON.parse(list) as { readonly name: string }[]
    const kept = businesses.filter(({ name }) => !isMeant(name))
    return kept.length === businesses.length ? all : `"business_owners":${JSON.stringify(kept)}`
  })
}

function segmentsOf(document: Buffer): string[] {
  let start = textStart(document)
  return SEGMENTS.map((segment) => {
    const end = field(document, segment)
    const text = document.toString('utf8', start, end)
    start = end
    return text
  })
}

function documentOf(
  { owners, residents }: { readonly owners: number[]; readonly residents: number[] },
  segments: readonly string[],
): Buffer {
  const head = Buffer.alloc(PROPERTY_HEADER_LENGTH + (owners.length + residents.length) * 4)
  head.writeUInt32LE(owners.length, PROPERTY_FIELD.OWNER_COUNT * 4)
  head.writeUInt32LE(residents.length, PROPERTY_FIELD.RESIDENT_COUNT * 4)
  for (const [index, person] of [...owners, ...residents].entries())
    head.writeUInt32LE(person, PROPERTY_HEADER_LENGTH + index * 4)
  const parts = [head]
  let length = head.length
  for (const [index, text] of segments.entries()) {
    const part = Buffer.from(text)
    parts.push(part)
    length += part.length
    head.writeUInt32LE(length, SEGMENTS[index]! * 4)
  }
  return Buffer.concat(parts)
}
