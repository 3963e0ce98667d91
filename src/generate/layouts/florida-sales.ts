import { civil, two } from '../calendar.ts'
import { clerkNumber } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { BUSINESS, DEED, OWNER, ownerKind, ownerRow, type World } from '../types.ts'

const FAULTS = stream('florida rolls')

/** A deed in the Department of Revenue's list of sales of a parcel. */
export interface Sale {
  readonly instrument: string
  readonly book: string
  readonly page: string
  readonly qualification: string
  readonly year: number
  readonly month: string
  readonly price: number
  readonly multiple: string
}

/** Returns the price on a deed. A nominal price is 100 dollars, the least that has a stamp. */
export function consideration(world: World, deed: number): number {
  const price = world.deeds.price.get(deed)
  return price > 0 && price < 100 ? 100 : price
}

/** Returns the tax stamps on a deed in cents: 70 for every 100 dollars or part of them. */
export function stampCents(dollars: number): number {
  return Math.ceil(dollars / 100) * 70
}

export function saleOf(world: World, deed: number): Sale {
  const { deeds } = world
  const { instrument, book, page } = clerkNumber(world, deed)
  const signed = civil(deeds.signedOn.get(deed))
  const isMultiple = deeds.parcels.get(deed) > 1
  return {
    instrument,
    book,
    page,
    qualification: qualification(world, deed),
    year: signed.year,
    month: two(signed.month),
    price: consideration(world, deed),
    multiple: isMultiple ? (instrument === '' ? 'D' : 'C') : '',
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

export function statePaperId(world: World, parcel: number): string {
  const { number } = world.counties[world.parcels.county.get(parcel)]!.florida!
  const serial = world.parcels.serial.get(parcel)
  return `C${number}-${String(Math.floor(serial / 10_000) + 1).padStart(3, '0')}-${String(Math.floor(serial / 1000) % 1000).padStart(3, '0')}-${String(serial % 10_000).padStart(4, '0')}-${serial % 10}`
}

/** Returns the file name of a county's roll. It has a number within the year: 01 on day 1, 02 on day 2. */
export function rollName(kind: 'NAL' | 'SDF', county: number, isSecondDay: boolean): string {
  return `${kind}${county}F2025${isSecondDay ? '02' : '01'}.csv`
}
