import { two } from './calendar.ts'
import { DEED, PARCEL, type World } from './types.ts'

/** Returns the number of a parcel as its assessor writes it. It is unique within the county. */
export function parcelNumber(world: World, parcel: number): string {
  const { parcels } = world
  const county = world.counties[parcels.county.get(parcel)]!
  if (county.borough !== undefined) {
    return bbl(county.borough.number, parcels.block.get(parcel), parcels.lot.get(parcel))
  }
  const serial = parcels.serial.get(parcel)
  if (county.pacs !== undefined) return String(100_000 + serial * 3)
  if (county.state === 'TX') return String(410_070_000_000 + serial * 17).padStart(13, '0')
  if (county.florida?.number === 16) return browardNumber(serial, parcels.kind.get(parcel))
  if (county.florida?.number === 23) {
    return `30${two(30 + (serial % 60))}${two(1 + (Math.floor(serial / 60) % 36))}${String(Math.floor(serial / 2160)).padStart(3, '0')}${String((serial % 90) * 10 + 10).padStart(4, '0')}`
  }
  const section = two(1 + (serial % 36))
  return `${section}-${1 + (serial % 9)}N-${two(20 + (serial % 12))}-${String(serial).padStart(6, '0')}-0${serial % 90}0`
}

/** Returns borough, block and lot as ten digits. */
export function bbl(borough: number, block: number, lot: number): string {
  return `${borough}${String(block).padStart(5, '0')}${String(lot).padStart(4, '0')}`
}

// Twelve characters: township, range, section, subdivision (letters for condominiums, as 494126DD0410), lot.
function browardNumber(serial: number, kind: number): string {
  const group = Math.floor(serial / 90)
  const land = `${47 + (group % 5)}${40 + (Math.floor(group / 5) % 4)}${two(1 + (Math.floor(group / 20) % 36))}`
  const sub = Math.floor(group / 720) % 26
  const letters = String.fromCharCode(65 + sub)
  return `${land}${kind === PARCEL.condo ? letters + letters : two(1 + sub)}${String((serial % 90) * 10 + 10).padStart(4, '0')}`
}

/** The number of a Florida deed: an instrument number in Broward, book and page in other counties. The other fields are empty. */
export interface ClerkNumber {
  readonly instrument: string
  readonly book: string
  readonly page: string
}

export function clerkNumber(world: World, deed: number): ClerkNumber {
  const rank = world.deeds.rank.get(deed)
  const county = world.counties[world.parcels.county.get(world.deeds.parcel.get(deed))]!
  if (county.fips === '12011') return { instrument: browardInstrument(rank, 0), book: '', page: '' }
  return { instrument: '', book: String(20_000 + Math.floor(rank / 40)), page: String(1 + (rank % 40) * 112) }
}

/** Returns an instrument number of Broward. `document`: 0 the deed, 1 its mortgage, 2 the satisfaction, 3 another document. */
export function browardInstrument(rank: number, document: number): string {
  return String(119_000_000 + rank * 4 + document)
}

/** Returns the parcels of a county, a row number of `world.counties`. */
export function parcelsIn(world: World, county: number): number[] {
  const { parcels } = world
  return Array.from({ length: parcels.kind.length }, (_, parcel) => parcel).filter(
    (parcel) => parcels.county.get(parcel) === county,
  )
}

/** Returns the parcels that a deed conveys. */
export function parcelsOf(world: World, deed: number): number[] {
  const { deeds, parcels } = world
  const first = deeds.parcel.get(deed)
  const found = [first]
  for (let parcel = first + 1; found.length < deeds.parcels.get(deed); parcel += 1) {
    if (parcels.sharedDeed.get(parcel) === deed) found.push(parcel)
  }
  return found
}

/** Returns the deeds of a parcel until a day, oldest first. */
export function deedsOf(world: World, parcel: number, day: number): number[] {
  const { deeds, parcels } = world
  const found: number[] = []
  const first = parcels.firstDeed.get(parcel)
  for (let deed = first; deed < first + parcels.deedCount.get(parcel); deed += 1) found.push(deed)
  for (const deed of [parcels.sharedDeed.get(parcel), parcels.laterDeed.get(parcel)]) {
    if (deed >= 0 && deeds.recordedOn.get(deed) <= day) found.push(deed)
  }
  return found
}

/** Returns the deed by which the parcel's owner of a day got it, or -1 when that deed is older than the records. */
export function lastDeed(world: World, parcel: number, day: number): number {
  return deedsOf(world, parcel, day).findLast((deed) => world.deeds.kind.get(deed) !== DEED.correction) ?? -1
}
