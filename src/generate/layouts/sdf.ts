import { Layout } from '../../layouts.ts'
import { DAY_2, dayNumber } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { parcelNumber, parcelsOf } from '../parcel-numbers.ts'
import { PARCEL, type World } from '../types.ts'
import { mapId, rollName, saleOf, statePaperId } from './florida-sales.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat } from './record-format.ts'

export const SOURCE = 'us/fl/statewide.sdf'

const FORMAT = new RecordFormat(new Layout('sdf'), 'sdf', { separator: ',', end: '\r\n', quotes: 'text' })

/** The first day whose deeds are in the file of the 2025 roll. */
const SINCE = dayNumber(2024, 1, 1)

/** Writes a row for each sale and parcel, with the clerk's numbers of the deeds and without names. */
export function writeSdf(world: World, delivery: Delivery): void {
  world.counties.forEach((county, row) => {
    if (county.florida === undefined) return
    const { number } = county.florida
    const name = rollName('SDF', number, delivery.day === DAY_2)
    const sink = delivery.file(SOURCE, name, 'latin1', FORMAT.header)
    for (const deed of world.deedsInOrder[row]!) {
      const recordedOn = world.deeds.recordedOn.get(deed)
      if (recordedOn < SINCE || recordedOn > delivery.day) continue
      for (const parcel of parcelsOf(world, deed)) sink.write(line(world, number, deed, parcel))
    }
    sink.close()
  })
}

function line(world: World, county: number, deed: number, parcel: number): string {
  const sale = saleOf(world, deed)
  const kind = world.parcels.kind.get(parcel)
  const id =
    sale.instrument === ''
      ? `${sale.book.padStart(6, '0')}${sale.page.padStart(6, '0')}`
      : `99000${sale.instrument}`
  return FORMAT.line({
    CO_NO: county,
    PARCEL_ID: parcelNumber(world, parcel),
    ATV_STRT: kind === PARCEL.government ? '' : 1,
    GRP_NO: kind === PARCEL.government ? '' : 1 + (parcel % 4),
    DOR_UC: parcelCode('florida', kind),
    NBRHD_CD: 660_000 + (world.parcels.serial.get(parcel) % 900) * 10,
    MKT_AR: 1 + (parcel % 9),
    SALE_ID_CD: id,
    SAL_CHG_CD: parcel % 900 === 0 ? 8 : '',
    VI_CD: kind === PARCEL.vacant ? 'V' : 'I',
    OR_BOOK: sale.book,
    OR_PAGE: sale.page,
    CLERK_NO: sale.instrument,
    QUAL_CD: sale.qualification,
    SALE_YR: sale.year,
    SALE_MO: sale.month,
    SALE_PRC: sale.price,
    MULTI_PAR_SAL: sale.multiple,
    MP_ID: mapId(parcel),
    STATE_PARCEL_ID: statePaperId(world, parcel),
  })
}
