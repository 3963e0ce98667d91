import { DAY_2, dayNumber } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { parcelNumber, parcelsOf } from '../parcel-numbers.ts'
import { PARCEL, type World } from '../types.ts'
import { LAND_USES, mapId, quoted, rollName, saleOf, statePaperId } from './florida-sales.ts'

export const SOURCE = 'us/fl/statewide.sdf'

export const HEADER =
  'CO_NO,PARCEL_ID,ASMNT_YR,ATV_STRT,GRP_NO,DOR_UC,NBRHD_CD,MKT_AR,CENSUS_BK,SALE_ID_CD,SAL_CHG_CD,VI_CD,OR_BOOK,OR_PAGE,CLERK_NO,QUAL_CD,SALE_YR,SALE_MO,SALE_PRC,MULTI_PAR_SAL,RS_ID,MP_ID,STATE_PARCEL_ID'

/** Deeds recorded since are in the file of the 2025 roll. */
const SINCE = dayNumber(2024, 1, 1)

/** One row per sale and parcel, with the instruments that the clerk has and no names. */
export function writeSdf(world: World, delivery: Delivery): void {
  world.counties.forEach((county, row) => {
    if (county.florida === undefined) return
    const { number } = county.florida
    const name = rollName('SDF', number, delivery.day === DAY_2)
    const sink = delivery.file(SOURCE, name, 'latin1', `${HEADER}\r\n`)
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
  const values = [
    county,
    quoted(parcelNumber(world, parcel)),
    2025,
    kind === PARCEL.government ? '' : 1,
    kind === PARCEL.government ? '' : 1 + (parcel % 4),
    quoted(LAND_USES[kind]!),
    quoted(String(660_000 + (world.parcels.serial.get(parcel) % 900) * 10)),
    quoted(String(1 + (parcel % 9))),
    '',
    quoted(id),
    parcel % 900 === 0 ? quoted('8') : '',
    quoted(kind === PARCEL.vacant ? 'V' : 'I'),
    quoted(sale.book),
    quoted(sale.page),
    quoted(sale.instrument),
    quoted(sale.qualification),
    sale.year,
    quoted(sale.month),
    sale.price,
    sale.multiple,
    quoted('2B6D'),
    quoted(mapId(parcel)),
    quoted(statePaperId(world, parcel)),
  ]
  return `${values.join(',')}\r\n`
}
