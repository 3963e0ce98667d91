import { addressLine, SHORT } from '../addresses.ts'
import { DAY_2 } from '../calendar.ts'
import { RATES } from '../errors.ts'
import type { Delivery } from '../output.ts'
import { ownerTexts } from '../owners.ts'
import { deedsOf, parcelsIn } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { PARCEL, type World } from '../types.ts'
import { mapId, ROLL, rollName, saleOf } from './florida-sales.ts'
import { latin } from './latin.ts'
import { isHomestead, type Lot, lotOf, mailOf, nameOwners } from './lots.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, type Values } from './record-format.ts'

const SOURCE = 'us/fl/statewide.nal'
const FORMAT = new RecordFormat('nal', 'nal', ROLL)
const FAULTS = stream('nal')
const NAME_WIDTH = 50
const LINE_WIDTH = 40

/** Writes the roll of every Florida county: a row for each parcel, with the owner of the day. */
export function writeNal(world: World, delivery: Delivery): void {
  world.counties.forEach(({ florida }, county) => {
    if (florida === undefined) return
    const name = rollName('NAL', florida.number, delivery.day === DAY_2)
    const file = delivery.table(SOURCE, name, 'latin1', FORMAT)
    for (const parcel of parcelsIn(world, county)) {
      const lot = lotOf(world, delivery, parcel)
      file.row({
        CO_NO: florida.number,
        PARCEL_ID: lot.number,
        DOR_UC: parcelCode('florida', lot.kind),
        ...values(lot),
        ...building(lot),
        ...sales(lot),
        ...ownerFields(lot, florida.number),
        ...situs(lot),
        MP_ID: mapId(parcel),
      })
    }
  })
}

function values(lot: Lot): Values {
  const { value, parcel } = lot
  if (!isHomestead(lot) || parcel % 10 === 0) return { JV: value, AV_NSD: Math.round(value * 0.93) }
  return { JV: value, AV_NSD: Math.round(value * 0.71), JV_HMSTD: value, EXMPT_01: 25_000 }
}

function building({ kind, living, yearBuilt, parcel, units, land }: Lot): Values {
  return {
    ...(kind === PARCEL.condo ? {} : { LND_SQFOOT: land }),
    ...(living === 0
      ? {}
      : {
          EFF_YR_BLT: Math.min(2024, yearBuilt + (parcel % 3) * 8),
          ACT_YR_BLT: yearBuilt,
          TOT_LVG_AREA: living,
          NO_RES_UNTS: kind === PARCEL.commercial ? 0 : units,
        }),
  }
}

/** Returns at most two sales, in one case of twenty not the latest. */
function sales({ world, parcel, day }: Lot): Values {
  const deeds = deedsOf(world, parcel, day)
  const listed = mix(FAULTS, parcel, 1) % 20 === 0 ? deeds : deeds.toReversed()
  const numbered = listed.slice(0, 2).flatMap((deed, at) => {
    const sale = { ...saleOf(world, deed), VI_CD: 'I' }
    return Object.entries(sale).map(([column, value]) => [`${column}${at + 1}`, value] as const)
  })
  return Object.fromEntries(numbered)
}

function ownerFields(lot: Lot, county: number): Values {
  const { world, owner, day, parcel } = lot
  if (mix(FAULTS, parcel, 6) % 1000 < RATES.withheld * 1000)
    return { OWN_NAME: 'CONFIDENTIAL', OWN_STATE: 'FL' }
  const { text, people } = ownerTexts(world, owner, day, 'roll', parcel, NAME_WIDTH)[0]!
  nameOwners(lot, `${SOURCE}/nal/${county}|${lot.number}`, people)
  const { line1, line2, city, state, zip } = mailOf(lot)
  const isAbroad = mix(FAULTS, parcel, 3) % 400 === 0
  return {
    OWN_NAME: latin(text, mix(FAULTS, parcel, 4)),
    OWN_ADDR1: line1.slice(0, LINE_WIDTH),
    ...(isAbroad
      ? { OWN_ADDR2: 'TORONTO ON M5V 2T6', OWN_STATE: 'CANADA', OWN_STATE_DOM: 'FC' }
      : { OWN_ADDR2: line2, OWN_CITY: city, OWN_STATE: state, OWN_ZIPCD: zip, OWN_STATE_DOM: state }),
  }
}

function situs({ world, address, parcel, serial, city, zip, unit }: Lot): Values {
  // Half of the counties write no `ST`, `ND`, `TH` behind street numbers.
  const ordinals = world.parcels.county.get(parcel) % 2 === 0
  const noZip = mix(FAULTS, parcel, 5) % 1000 < RATES.missingZip * 1000
  const block = `ESTATES ${1 + (serial % 180)}-${1 + (serial % 48)} B LOT ${1 + (serial % 60)}`
  return {
    S_LEGAL: `${world.places[0]!.city.toUpperCase().slice(0, 9)} ${block}`.slice(0, 30),
    PHY_ADDR1: addressLine(world, address, { ...SHORT, ordinals, unit: unit === '' ? '' : '#' }).slice(
      0,
      LINE_WIDTH,
    ),
    PHY_CITY: city,
    PHY_ZIPCD: noZip ? '' : zip,
  }
}
