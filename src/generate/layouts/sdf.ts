import { DAY_2, dayNumber } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { parcelNumber, parcelsOf } from '../parcel-numbers.ts'
import { PARCEL, type World } from '../types.ts'
import { mapId, ROLL, rollName, saleOf } from './florida-sales.ts'
import { RecordFormat } from './record-format.ts'

const SOURCE = 'us/fl/statewide.sdf'
const FORMAT = new RecordFormat('sdf', 'sdf', ROLL)

/** The first day whose deeds are in the file of the 2025 roll. */
const SINCE = dayNumber(2024, 1, 1)

/** Writes a row for each sale and parcel, with the clerk's numbers of the deeds and without names. */
export function writeSdf(world: World, delivery: Delivery): void {
  world.counties.forEach((county, row) => {
    if (county.florida === undefined) return
    const { number } = county.florida
    const file = delivery.table(SOURCE, rollName('SDF', number, delivery.day === DAY_2), 'latin1', FORMAT)
    for (const deed of world.deedsInOrder[row]!) {
      const recordedOn = world.deeds.recordedOn.get(deed)
      if (recordedOn < SINCE || recordedOn > delivery.day) continue
      const sale = saleOf(world, deed)
      for (const parcel of parcelsOf(world, deed)) {
        file.row({
          CO_NO: number,
          PARCEL_ID: parcelNumber(world, parcel),
          // A county without instrument numbers identifies a sale by book and page.
          SALE_ID_CD: sale.CLERK_NO
            ? `99000${sale.CLERK_NO}`
            : sale.OR_BOOK.padStart(6, '0') + sale.OR_PAGE.padStart(6, '0'),
          VI_CD: world.parcels.kind.get(parcel) === PARCEL.vacant ? 'V' : 'I',
          ...sale,
          MP_ID: mapId(parcel),
        })
      }
    }
  })
}
