import { addressLine, placeOf } from '../addresses.ts'
import { businessName } from '../businesses.ts'
import { DAY_2 } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { ownerTexts } from '../owners.ts'
import { bbl } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { BUSINESS, PARCEL, type World } from '../types.ts'
import { type Lot, lotOf } from './lots.ts'
import { parcelCode } from './parcel-codes.ts'
import { CSV, RecordFormat, type Values } from './record-format.ts'

const SOURCE = 'us/ny/nyc.pluto'
const FORMAT = new RecordFormat('pluto', 'pluto', CSV)
const FAULTS = stream('pluto')

/**
 * Writes the tax lots of the boroughs on day 1. A condominium is one lot, 7501, which its association owns. This file has
 * no units of condominiums. It is issued quarterly, so day 2 has none.
 */
export function writePluto(world: World, delivery: Delivery): void {
  if (delivery.day === DAY_2) return
  const file = delivery.table(SOURCE, 'pluto_25v2.csv', 'utf8', FORMAT)
  for (let parcel = 0; parcel < world.parcels.kind.length; parcel += 1) {
    const lot = lotOf(world, delivery, parcel)
    if (lot.county.borough === undefined) continue
    if (lot.kind !== PARCEL.condo) {
      const { text, people } = ownerTexts(world, lot.owner, delivery.day, 'index', parcel)[0]!
      file.row({ ...taxLot(lot, lot.lot, lot.units), ownername: text })
      delivery.namesAll(`${SOURCE}/pluto/${lot.number}`, people)
    } else if (lot.lot === 1001)
      file.row({ ...taxLot(lot, 7501, unitsOfCondominium(lot)), ownername: associationOf(lot) })
  }
}

function associationOf({ world, parcel }: Lot): string {
  const { kind } = world.businesses
  const start = mix(FAULTS, parcel, 1) % kind.length
  for (let i = 0; i < kind.length; i += 1) {
    const business = (start + i) % kind.length
    if (kind.get(business) === BUSINESS.condoAssociation) return businessName(world, business)
  }
  return 'UNAVAILABLE OWNER'
}

/** Returns a tax lot of parcels with `units` homes. The parcels of a condominium have the size and value of `parcel` each. */
function taxLot({ world, parcel, ...row }: Lot, lot: number, units: number): Values {
  const { number } = row.county.borough!
  const { latitude, longitude } = placeOf(world, row.address)
  const bits = mix(FAULTS, parcel, 2)
  const parcels = row.kind === PARCEL.condo ? units : 1
  const isVacant = row.kind === PARCEL.vacant
  return {
    block: row.block,
    lot,
    zipcode: row.zip,
    address: addressLine(world, row.address, { words: 'full', ordinals: false, unit: '' }),
    bldgclass: parcelCode('plutoClass', row.kind),
    landuse: parcelCode('plutoUse', row.kind),
    lotarea: row.land || 5000,
    bldgarea: row.living * parcels,
    numfloors: isVacant ? '0.00' : `${Math.max(1, Math.ceil(units / 4)) + (bits % 2)}.00`,
    unitstotal: isVacant ? 0 : units,
    bsmtcode: bits % 6,
    assesstot: Math.round(row.value * parcels * 0.06),
    yearbuilt: row.yearBuilt,
    borocode: number,
    // The published file has decimals here: `2022860024.00000000`.
    bbl: `${bbl(number, row.block, lot)}.00000000`,
    latitude: (latitude + (bits % 1600) / 100_000 - 0.008).toFixed(7),
    longitude: (longitude + (mix(FAULTS, parcel, 3) % 1600) / 100_000 - 0.008).toFixed(7),
  }
}

function unitsOfCondominium({ world, parcel, block }: Lot): number {
  let past = parcel + 1
  while (past < world.parcels.kind.length && world.parcels.block.get(past) === block) past += 1
  return past - parcel
}
