import type { TextPool } from './texts.ts'

/**
 * Offset of each field in the row of a record (`Records.rows`). Names and attributes are text ids. The fields of LIST_SLOTS are places in
 * `Records.lists`, 0 for an empty list. `birth` is a packed date: year * 512 + month * 32 + day. `source` is a source number.
 */
export const SLOT = {
  source: 0,
  first: 1,
  middle: 2,
  last: 3,
  suffix: 4,
  birth: 5,
  others: 6,
  addresses: 7,
  phones: 8,
  emails: 9,
  /** The lower KNOWN_BITS bits: one bit per attribute that the record has. The upper bits: Bloom signature of its addresses (`signatures.ts`). */
  known: 10,
  /** Bloom signature of its phones, e-mails and identifiers (`signatures.ts`). */
  contacts: 11,
  attributes: 12,
} as const

/** Number of bits of `SLOT.known` that belong to attributes. */
export const KNOWN_BITS = 16

/** Row lengths are multiples of a cache line: 16 integers of 4 bytes. A row with at most four attributes then fits in one line. */
const ROW_LINE = 16

/** Returns the length of a record's row, in integers. `attributes` is the number of attributes that are compared. */
export function widthFor(attributes: number): number {
  return Math.ceil((SLOT.attributes + attributes) / ROW_LINE) * ROW_LINE
}

/** Fields that hold lists, in the order of `LIST` in `coding.ts`. */
export const LIST_SLOTS = [SLOT.others, SLOT.addresses, SLOT.phones, SLOT.emails] as const

/** Offset of each part in the row of an address (`Records.addresses`). Each part is a text id. */
export const PART = {
  unit_key: 0,
  building: 1,
  house: 2,
  street: 3,
  unit: 4,
  city: 5,
  state: 6,
  zip: 7,
} as const
export const ADDRESS_WIDTH = 8

/** Returns whether placeholders in this part of an address count as no value. Other parts keep any text. */
export function ignoresPlaceholders(part: number): boolean {
  return part === PART.city || part === PART.zip
}

/** A kind of trait or identifier, such as `npi` or `occupation`. Each kind is a comparison of its own. */
export interface Attribute {
  readonly kind: string
  readonly isIdentifier: boolean
}

/** All records of a run as integers, in arrays that the worker threads share. */
export interface Records {
  readonly count: number
  /** Length of a row in `rows`. */
  readonly width: number
  /** The row of record i begins at `i * width`; SLOT has the offsets of its fields. */
  readonly rows: Int32Array
  /**
   * A number per record that depends only on its record id. It breaks ties and draws samples, so that results do not depend on the order
   * of the records. −1 marks a removed record.
   */
  readonly ranks: Float64Array
  /** All lists. A list at place p has length `lists[p]`, and its items follow from `p + 1`. Place 0 is the empty list. */
  readonly lists: Int32Array
  /** ADDRESS_WIDTH text ids per distinct address; PART has the offsets. Address 0 means "none". */
  readonly addresses: Int32Array
  /** By the text id of an e-mail: the text id of its part before the @. */
  readonly emailNames: Int32Array
  readonly texts: TextPool
  readonly attributes: readonly Attribute[]
  /** Flags of each source, by source number: DUPLICATE_FREE and HOUSEHOLD_LIKE. */
  readonly sources: Uint8Array
}

const REMOVED = -1

/** Marks records as removed. A removed record keeps its number, but has no blocking keys and no edges. */
export function markRemoved({ ranks }: Pick<Records, 'ranks'>, removed: Int32Array): void {
  for (const record of removed) ranks[record] = REMOVED
}

/** Returns whether `markRemoved` has marked a record. */
export function isRemoved({ ranks }: Pick<Records, 'ranks'>, record: number): boolean {
  return REMOVED === ranks[record]
}

/** Flag of a source that has each person at most once. */
export const DUPLICATE_FREE = 1
/** Flag of a source that lists households, so many of its records share an address. */
export const HOUSEHOLD_LIKE = 2

/** Returns whether two records are of one duplicate-free source. */
export function areOfFreeSource(
  { rows, width, sources }: Pick<Records, 'rows' | 'width' | 'sources'>,
  i: number,
  j: number,
): boolean {
  const source = rows[i * width + SLOT.source]!
  return (sources[source]! & DUPLICATE_FREE) !== 0 && source === rows[j * width + SLOT.source]
}
