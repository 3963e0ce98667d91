import {
  field,
  PERSON_FIELD,
  personField,
  PROPERTY_FIELD,
  propertyPeople,
} from '../format/property-document.ts'
import type { DocumentOf, PropertyWriter } from '../format/property-writer.ts'
import type { Suppressed } from '../format/suppressed.ts'
import { mayMeanSuppressed } from '../format/suppressed-names.ts'

/**
 * Returns a property's document without suppressed people: the same buffer when it contains none of them,
 * else a copy. Names without a person id (owners, trusts, estates, private lenders) are removed when they may
 * belong to a suppressed person. When an owner is removed, the mailing address is removed too, because it may
 * be that owner's home.
 */
export function withoutSuppressedPeople(
  document: Buffer,
  { people, names }: Pick<Suppressed, 'people' | 'names'>,
  writer: PropertyWriter,
  documentOf: DocumentOf,
): Buffer {
  const isNobodyOut = !hasAny(document, people)
  if (isNobodyOut && (names.size === 0 || field(document, PROPERTY_FIELD.HAS_NAMES) === 0)) return document
  const all = propertyPeople(document)
  const owners = all.owners.filter((person) => people[person] !== 1)
  const residents = all.residents.filter((person) => people[person] !== 1)
  const before = segmentsOf(document)
  const state = STATE.exec(before[SEARCH_HEAD] ?? '')?.[1] ?? null
  const after = before.map((text, segment) =>
    withoutNames(text, segment, (name) => mayMeanSuppressed(names, name, state)),
  )
  const isOwnerOut = owners.length < all.owners.length || after.some((text, at) => at !== MIDDLE && text !== before[at]) // prettier-ignore
  if (isNobodyOut && after.every((text, at) => text === before[at])) return document
  const segments = isOwnerOut ? after.map((text) => text.replace(MAILING_ADDRESS, '"mailing_address":null')) : after // prettier-ignore
  let length = 0
  const ends = segments.map((text) => (length += Buffer.byteLength(text)))
  return writer.document(Buffer.from(segments.join('')), ends, { owners, residents }, documentOf)
}

const SEGMENTS = [
  [PROPERTY_FIELD.TEXT_START, PROPERTY_FIELD.OWNERS_START],
  [PROPERTY_FIELD.SEARCH_END, PROPERTY_FIELD.DETAILS_HEAD_END],
  [PROPERTY_FIELD.UNRESOLVED_START, PROPERTY_FIELD.OWNERS_END],
  [PROPERTY_FIELD.DETAILS_HEAD_END, PROPERTY_FIELD.DETAILS_MIDDLE_END],
  [PROPERTY_FIELD.DETAILS_MIDDLE_END, PROPERTY_FIELD.DETAILS_TAIL_END],
] as const
const [SEARCH_HEAD, OWNERS_TEXT, MIDDLE] = [0, 2, 3]

// Patterns of JSON text. Quotes inside texts are escaped, so a name cannot contain such a member.
const MAILING_ADDRESS = /"mailing_address":\{(?:"(?:[^"\\]|\\.)*"|[:,])*\}/
const STATE = /"property_address":\{(?:"(?:[^"\\]|\\.)*"|[:,])*?"state":"([A-Z]{2})"/
const BUSINESSES = /"business_owners":(\[(?:\{"name":"(?:[^"\\]|\\.)*"\},?)+\])/
const LENDER = /"lender_name":("(?:[^"\\]|\\.)*")/g

/** Returns whether any owner or resident is marked in `people`. */
function hasAny(document: Buffer, people: Uint8Array): boolean {
  const count = field(document, PROPERTY_FIELD.OWNER_COUNT) + field(document, PROPERTY_FIELD.RESIDENT_COUNT)
  for (let i = 0; i < count; i++) if (people[personField(document, i, PERSON_FIELD.NUMBER)] === 1) return true
  return false
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
  return SEGMENTS.map(([start, end]) =>
    document.toString('utf8', field(document, start), field(document, end)),
  )
}
