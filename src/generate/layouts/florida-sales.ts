import { civil, two } from '../calendar.ts'
import { clerkNumber } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { BUSINESS, DEED, OWNER, ownerKind, ownerRow, type World } from '../types.ts'
import type { RowStyle } from './record-format.ts'

const FAULTS = stream('florida rolls')

/** The Department of Revenue's files have quotes around texts and none around numbers. */
export const ROLL: RowStyle = { separator: ',', end: '\r\n', hasHeader: true, quotes: 'text' }

/** Returns the price on a deed: 0, or at least 100 dollars, because a smaller price needs no stamp. */
export function consideration(world: World, deed: number): number {
  const price = world.deeds.price.get(deed)
  return price > 0 && price < 100 ? 100 : price
}

/** Returns the tax stamps on a deed in cents: 70 for every 100 dollars or part of them. */
export function stampCents(dollars: number): number {
  return Math.ceil(dollars / 100) * 70
}

/** Returns a deed as the Department of Revenue lists a sale of a parcel. */
export function saleOf(world: World, deed: number) {
  const { instrument, book, page } = clerkNumber(world, deed)
  const signed = civil(world.deeds.signedOn.get(deed))
  const isMultiple = world.deeds.parcels.get(deed) > 1
  return {
    MULTI_PAR_SAL: isMultiple ? (instrument === '' ? 'D' : 'C') : '',
    QUAL_CD: qualification(world, deed),
    SALE_PRC: consideration(world, deed),
    SALE_YR: signed.year,
    SALE_MO: two(signed.month),
    OR_BOOK: book,
    OR_PAGE: page,
    CLERK_NO: instrument,
  }
}

function qualification(world: World, deed: number): string {
  const { deeds, businesses } = world
  const bits = mix(FAULTS, deed, 1) % 100
  if (consideration(world, deed) <= 100) return bits < 6 ? '30' : '11'
  const seller = deeds.grantor.get(deed)
  const isBank =
    ownerKind(seller) === OWNER.business && businesses.kind.get(ownerRow(seller)) === BUSINESS.bank
  if (deeds.kind.get(deed) === DEED.foreclosure || isBank) return '12'
  if (ownerKind(seller) === OWNER.government) return '18'
  if (ownerKind(seller) === OWNER.estate) return '19'
  if (deeds.parcels.get(deed) > 1) return '05'
  if (bits < 4) return '37'
  return bits < 6 ? '02' : '01'
}

/** Returns a map id of hex digits. Some look like numbers in scientific notation (`000837E2`). */
export function mapId(parcel: number): string {
  const bits = mix(FAULTS, parcel, 2)
  if (bits % 30 === 0) return `000${String(bits % 1000).padStart(3, '0')}E${bits % 9}`
  return bits.toString(16).toUpperCase().padStart(8, '0')
}

/** Returns the file name of a county's roll. It has a number within the year: 01 on day 1, 02 on day 2. */
export function rollName(kind: 'NAL' | 'SDF', county: number, isSecondDay: boolean): string {
  return `${kind}${county}F2025${isSecondDay ? '02' : '01'}.csv`
}
