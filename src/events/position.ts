import { createHash } from 'node:crypto'

/** The filter of a search. `from` and `to` are recorded dates (`YYYY-MM-DD`), both inclusive. */
export interface EventFilter {
  readonly state_code: string
  /** FIPS code of a county; null for the whole state. */
  readonly fips_code: string | null
  readonly property_id: string | null
  readonly from: string | null
  readonly to: string | null
}

/** A position in the order of events: newest recorded date first, then by id. */
export interface Position {
  readonly recorded_on: string
  readonly event_id: string
}

/** The date given to events without a recorded date. It sorts after all others and is outside every range of dates. */
export const UNDATED = '0001-01-01'
const FIRST_DATE = '0001-01-02'
const LAST_DATE = '9999-12-31'

/** Returns the first and last recorded date that a filter matches, both inclusive. */
export function datesOf({ from, to }: EventFilter): { from: string; to: string } {
  const first = to === null ? UNDATED : FIRST_DATE
  return { from: from ?? first, to: to ?? LAST_DATE }
}

/**
 * Returns a cursor: a hash of the filter and the position of the last event of a page, 28 bytes as base64url. It does not depend on
 * a snapshot, so it continues at the same position in every later snapshot.
 */
export function encodeCursor(filter: EventFilter, { recorded_on, event_id }: Position): string {
  const day = Buffer.alloc(4)
  day.writeInt32BE(Date.parse(`${recorded_on}T00:00:00Z`) / DAY_MS)
  return Buffer.concat([markOf(filter), day, Buffer.from(event_id.replaceAll('-', ''), 'hex')]).toString(
    'base64url',
  )
}

/** The form of a cursor's text. */
export const CURSOR = /^[\w-]{38}$/

/** Returns the position of a cursor; null when the text is not a cursor or belongs to another filter. */
export function decodeCursor(filter: EventFilter, cursor: string): Position | null {
  const bytes = CURSOR.test(cursor) ? Buffer.from(cursor, 'base64url') : NOTHING
  if (bytes.length !== BYTES || !bytes.subarray(0, MARK).equals(markOf(filter))) return null
  const day = bytes.readInt32BE(MARK)
  if (day < FIRST_DAY || day > LAST_DAY) return null
  const hex = bytes.toString('hex', MARK + 4)
  const event_id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { recorded_on: new Date(day * DAY_MS).toISOString().slice(0, 10), event_id }
}

const DAY_MS = 86_400_000
const FIRST_DAY = Date.parse(`${UNDATED}T00:00:00Z`) / DAY_MS
const LAST_DAY = Date.parse(`${LAST_DATE}T00:00:00Z`) / DAY_MS
const MARK = 8
const BYTES = MARK + 4 + 16
const NOTHING = Buffer.alloc(0)

function markOf({ state_code, fips_code, property_id, from, to }: EventFilter): Buffer {
  const text = JSON.stringify([state_code, fips_code, property_id, from, to])
  return createHash('sha256').update(text).digest().subarray(0, MARK)
}
