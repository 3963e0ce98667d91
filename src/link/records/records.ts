import type { TextPool } from './texts.ts'

/** Where each part of a record stands in its row of `Records.rows`. A list is a place in `Records.lists`, 0 where it has nothing. */
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
  /** Which attributes it has, a bit each in the lower KNOWN_BITS; above them, signs of its places: see `reach.ts`. */
  known: 10,
  /** Signs of its telephones, e-mails and identifiers. */
  contacts: 11,
  attributes: 12,
} as const

export const KNOWN_BITS = 16

/** Rows begin where a line of memory does: with four attributes and less, each is one line. */
const ROW_LINE = 16

/** Integers in the row of a record that has so many attributes. */
export function widthFor(attributes: number): number {
  return Math.ceil((SLOT.attributes + attributes) / ROW_LINE) * ROW_LINE
}

/** The slots of lists. */
export const LIST_SLOTS = [SLOT.others, SLOT.addresses, SLOT.phones, SLOT.emails] as const

/** Where each part of an address stands in its row of `Records.addresses`, texts all. */
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

/** Whether a part of an address is a value, of which a placeholder is none; the others are texts as they stand. */
export function isNamedPart(part: number): boolean {
  return part === PART.city || part === PART.zip
}

/** A trait or identifier by which records are compared; each kind is a comparison of its own. */
export interface Attribute {
  readonly kind: string
  readonly isIdentifier: boolean
}

/** Person records as integers, in arrays that threads share. */
export interface Records {
  readonly count: number
  readonly width: number
  readonly rows: Int32Array
  /**
   * A number per record that only its record id gives: what settles ties and draws samples, so that neither depends on
   * the order of arrival. -1 for a removed record.
   */
  readonly ranks: Float64Array
  /** At the place of a list how many items it has, and behind that the items. At 0 stands the list that has none. */
  readonly lists: Int32Array
  /** ADDRESS_WIDTH integers per distinct address; the first stands for none. */
  readonly addresses: Int32Array
  /** Text of an e-mail → text of what stands before its @. */
  readonly emailNames: Int32Array
  readonly texts: TextPool
  readonly attributes: readonly Attribute[]
  /** Per source number: bit 1 duplicate-free, bit 2 household-like. */
  readonly sources: Uint8Array
}

const REMOVED = -1

/** Marks records as removed: they keep their numbers, and have no blocking keys and no edges any more. */
export function markRemoved({ ranks }: Pick<Records, 'ranks'>, removed: Int32Array): void {
  for (const record of removed) ranks[record] = REMOVED
}

/** Returns whether a record was removed since its number was given. */
export function isRemoved({ ranks }: Pick<Records, 'ranks'>, record: number): boolean {
  return REMOVED === ranks[record]
}

export const DUPLICATE_FREE = 1
export const HOUSEHOLD_LIKE = 2
