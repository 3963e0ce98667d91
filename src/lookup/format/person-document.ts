import { ageAt } from './birth.ts'
import type { Output } from './output.ts'

/**
 * The layout of a person's document: a header of u32 fields (little-endian), then JSON text. The text leaves
 * out what depends on the day or the query: age, score and `matched_by`. It holds every list completely, best
 * first, so every form of a person is made by copying ranges of one document. Below, `|` marks a range that a
 * field points to, and ‹…› a text that is inserted for each answer:
 *
 *     {"id":…,"name":… | ,"aliases":…,"is_dead":…,"age": | ‹age› | ,"date_of_birth":…,"linkedin_url":… |
 *     ,"company_name":…,"job_title":… | ‹score› | ,"phones":[ … ],"emails":[ … ],"current_addresses":[ … ],
 *     "historic_addresses":[ … ],"owned_properties":[ … ],"relatives":[…] | ,"result_metadata":{…}}
 *
 * A field is an offset from the start of the document unless its comment says otherwise. A field `…_CAP` is
 * the end of the list's part that a search result shows.
 */
export const FIELD = {
  /** The birth date as a number (`packDate` in birth.ts), not an offset. */
  BIRTH: 0,
  /** A number from 0 to 100, not an offset. */
  COMPLETENESS: 1,
  NAME_END: 2,
  HEAD_END: 3,
  LINK_END: 4,
  JOB_END: 5,
  PHONES_START: 6,
  PHONES_CAP: 7,
  PHONES_END: 8,
  EMAILS_START: 9,
  EMAILS_CAP: 10,
  EMAILS_END: 11,
  CURRENT_START: 12,
  CURRENT_END: 13,
  HISTORIC_START: 14,
  HISTORIC_CAP: 15,
  HISTORIC_END: 16,
  OWNED_START: 17,
  OWNED_CAP: 18,
  OWNED_END: 19,
  RELATIVES_END: 20,
  METADATA_END: 21,
  /** The lengths of three lists, not offsets. */
  PHONE_COUNT: 22,
  EMAIL_COUNT: 23,
  OWNED_COUNT: 24,
  /** Not an offset: 1 when no list is longer than its cap, else 0. */
  IS_WHOLE: 25,
} as const
export const HEADER_LENGTH = 4 * 26

/** How many items of each list a search result shows. */
export const CAPS = { phones: 4, emails: 3, historic_addresses: 5, owned_properties: 5 } as const

const NAME_BYTES_BEFORE_ID = '{"id":"'.length
const ID_LENGTH = 11
/** The offset of the name as JSON text, which ends at NAME_END. */
export const NAME_START = HEADER_LENGTH + NAME_BYTES_BEFORE_ID + ID_LENGTH + '","name":'.length

/** The parts of a search result that depend on the query. */
export interface SearchResult {
  readonly match_score: number
  /** JSON text of an array. */
  readonly matched_by: string
  /** A phone in national format, which is shown first; null for the usual order. */
  readonly pinned_phone: string | null
  readonly pinned_email: string | null
}

/** Returns the person's id. */
export function personId(document: Buffer): string {
  const start = HEADER_LENGTH + NAME_BYTES_BEFORE_ID
  return document.toString('latin1', start, start + ID_LENGTH)
}

/** Returns JSON text that contains the person's name and aliases. */
export function namesOf(document: Buffer): string {
  return document.toString('utf8', HEADER_LENGTH, field(document, FIELD.HEAD_END))
}

const RELATIVES_OPENING = '],"relatives":['.length

/**
 * Returns the document without the relatives whose ids are in `ids`: the same buffer when it has none of
 * them, else a copy.
 */
export function withoutRelatives(document: Buffer, ids: ReadonlySet<string>): Buffer {
  const start = field(document, FIELD.OWNED_END) + RELATIVES_OPENING
  const end = field(document, FIELD.RELATIVES_END) - 1
  if (start === end) return document
  const relatives = JSON.parse(`[${document.toString('utf8', start, end)}]`) as { id: string }[]
  const kept = relatives.filter(({ id }) => !ids.has(id))
  if (kept.length === relatives.length) return document
  const list = Buffer.from(JSON.stringify(kept).slice(1, -1))
  const documentEnd = field(document, FIELD.METADATA_END)
  const shorter = Buffer.concat([document.subarray(0, start), list, document.subarray(end, documentEnd)])
  shorter.writeUInt32LE(start + list.length + 1, FIELD.RELATIVES_END * 4)
  shorter.writeUInt32LE(shorter.length, FIELD.METADATA_END * 4)
  return shorter
}

/** Writes the form of `GET /v2/person/{id}`. */
export function writeDetails(out: Output, document: Buffer, today: number): void {
  writeHead(out, document, today)
  out.copy(document, field(document, FIELD.HEAD_END), field(document, FIELD.RELATIVES_END))
  out.ascii('}')
}

/** Writes the form of a search result, which a phone's people have too. */
export function writeSearchResult(out: Output, document: Buffer, today: number, result: SearchResult): void {
  writeHead(out, document, today)
  const jobEnd = field(document, FIELD.JOB_END)
  out.copy(document, field(document, FIELD.HEAD_END), jobEnd)
  out.ascii(`,"match_score":${result.match_score},"matched_by":${result.matched_by}`)
  const { pinned_phone, pinned_email } = result
  const isAsItStands =
    (pinned_phone === null || isFirstPhone(document, pinned_phone)) && pinned_email === null
  if (isAsItStands && field(document, FIELD.IS_WHOLE) === 1) {
    out.copy(document, jobEnd, field(document, FIELD.METADATA_END))
    return
  }
  out.copy(document, jobEnd, field(document, FIELD.PHONES_START))
  writePhones(out, document, pinned_phone, CAPS.phones)
  out.copy(document, field(document, FIELD.PHONES_END), field(document, FIELD.EMAILS_START))
  writeEmails(out, document, pinned_email)
  out.copy(document, field(document, FIELD.EMAILS_END), field(document, FIELD.HISTORIC_CAP))
  out.copy(document, field(document, FIELD.HISTORIC_END), field(document, FIELD.OWNED_CAP))
  out.copy(document, field(document, FIELD.OWNED_END), field(document, FIELD.METADATA_END))
}

/**
 * Writes the form of a property's owner or resident. `metadataName` is the member that counts the items that
 * are not shown.
 */
export function writeOccupant(
  out: Output,
  document: Buffer,
  today: number,
  metadataName: 'person_owner_metadata' | 'resident_metadata',
): void {
  writeOccupantForm(out, document, String(age(document, today)), metadataName)
}

/** The text between the name and the age of an owner or resident. */
export const BEFORE_AGE = ',"age":'

/** Writes the same form as `writeOccupant` with any text as the age. */
export function writeOccupantForm(
  out: Output,
  document: Buffer,
  ageText: string,
  metadataName: 'person_owner_metadata' | 'resident_metadata',
): void {
  out.copy(document, HEADER_LENGTH, field(document, FIELD.NAME_END))
  out.ascii(`${BEFORE_AGE}${ageText},"current_addresses":[`)
  out.copy(document, field(document, FIELD.CURRENT_START), field(document, FIELD.CURRENT_END))
  out.ascii('],"phones":[')
  out.copy(document, field(document, FIELD.PHONES_START), field(document, FIELD.PHONES_CAP))
  out.ascii('],"emails":[')
  out.copy(document, field(document, FIELD.EMAILS_START), field(document, FIELD.EMAILS_CAP))
  out.ascii(']')
  out.copy(document, field(document, FIELD.LINK_END), field(document, FIELD.JOB_END))
  const phones = shown(field(document, FIELD.PHONE_COUNT), CAPS.phones)
  const emails = shown(field(document, FIELD.EMAIL_COUNT), CAPS.emails)
  // This form never shows properties, so all of them count as additional.
  const owned = shown(field(document, FIELD.OWNED_COUNT), 0)
  out.ascii(
    `,"${metadataName}":{"details_url":"/v2/person/${personId(document)}","phones":${phones},"emails":${emails},"owned_properties":${owned}}}`,
  )
}

/**
 * Returns JSON text that counts the shown and the hidden items of a list of `count` items, of which at most
 * `cap` are shown.
 */
export function shown(count: number, cap: number): string {
  const displayed = Math.min(count, cap)
  return `{"displayed":${displayed},"additional":${count - displayed}}`
}

export function field(document: Buffer, index: number): number {
  return document.readUInt32LE(index * 4)
}

function age(document: Buffer, today: number): number | null {
  return ageAt(field(document, FIELD.BIRTH), today)
}

function writeHead(out: Output, document: Buffer, today: number): void {
  out.copy(document, HEADER_LENGTH, field(document, FIELD.HEAD_END))
  out.ascii(String(age(document, today)))
}

/** Writes the first `cap` phones. A pinned phone (in national format) comes first. */
export function writePhones(out: Output, document: Buffer, pinned: string | null, cap: number): void {
  const start = field(document, FIELD.PHONES_START)
  const end = field(document, FIELD.PHONES_END)
  if (pinned !== null && !isFirstPhone(document, pinned)) {
    if (writePinned(out, document.subarray(start, end), '{"number":', `"${pinned}"`, cap)) return
  }
  out.copy(document, start, cap === CAPS.phones ? field(document, FIELD.PHONES_CAP) : end)
}

const NUMBER_START = '{"number":"'.length

// The phone that a query pins is usually the person's best phone, so it is first already.
function isFirstPhone(document: Buffer, national: string): boolean {
  const start = field(document, FIELD.PHONES_START) + NUMBER_START
  return document.toString('latin1', start, start + national.length) === national
}

function writeEmails(out: Output, document: Buffer, pinned: string | null): void {
  const start = field(document, FIELD.EMAILS_START)
  const end = field(document, FIELD.EMAILS_END)
  if (pinned !== null) {
    if (writePinned(out, document.subarray(start, end), '{"email":', JSON.stringify(pinned), CAPS.emails))
      return
  }
  out.copy(document, start, field(document, FIELD.EMAILS_CAP))
}

/**
 * Writes the item of `list` that begins with `opening` and `value`, then the other items, `cap` items in
 * total. Returns false, and writes nothing, when the list has no such item.
 */
function writePinned(out: Output, list: Buffer, opening: string, value: string, cap: number): boolean {
  const pinnedStart = list.indexOf(opening + value)
  if (pinnedStart < 0) return false
  const pinnedEnd = itemEnd(list, pinnedStart, opening)
  out.copy(list, pinnedStart, pinnedEnd)
  let written = 1
  for (let start = 0; start < list.length && written < cap;) {
    const end = itemEnd(list, start, opening)
    if (start !== pinnedStart) {
      out.ascii(',')
      out.copy(list, start, end)
      written++
    }
    start = end + 1
  }
  return true
}

// Quotes inside a value are escaped, so no value contains the text that separates two items.
function itemEnd(list: Buffer, start: number, opening: string): number {
  const next = list.indexOf(`,${opening}`, start + opening.length)
  return next < 0 ? list.length : next
}
