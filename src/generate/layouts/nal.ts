import { Layout } from '../../layouts.ts'
import { addressLine, placeOf, SHORT, stateOf } from '../addresses.ts'
import { DAY_2 } from '../calendar.ts'
import { ownerOn } from '../changes.ts'
import { RATES } from '../errors.ts'
import type { Delivery } from '../output.ts'
import { mailingOf, ownerTexts } from '../owners.ts'
import { deedsOf, parcelNumber } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { OWNER, ownerKind, PARCEL, type World } from '../types.ts'
import { mapId, rollName, type Sale, saleOf, statePaperId } from './florida-sales.ts'
import { latin } from './latin.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, type Values } from './record-format.ts'

export const SOURCE = 'us/fl/statewide.nal'

const FORMAT = new RecordFormat(new Layout('nal'), 'nal', { separator: ',', end: '\r\n', quotes: 'text' })
const FAULTS = stream('nal')
const NAME_WIDTH = 50
const LINE_WIDTH = 40

/** Writes the roll of every Florida county: a row for each parcel, with the owner of the day. */
export function writeNal(world: World, delivery: Delivery): void {
  const { parcels } = world
  let parcel = 0
  world.counties.forEach((county, row) => {
    const number = county.florida?.number ?? 0
    const name = rollName('NAL', number, delivery.day === DAY_2)
    const sink = number > 0 ? delivery.file(SOURCE, name, 'latin1', FORMAT.header) : null
    // The parcels of a county are consecutive rows.
    for (; parcel < parcels.kind.length && parcels.county.get(parcel) === row; parcel += 1) {
      sink?.write(line(world, delivery, number, parcel))
    }
    sink?.close()
  })
}

function line(world: World, delivery: Delivery, county: number, parcel: number): string {
  const { parcels } = world
  const { day } = delivery
  const owner = ownerOn(world, parcel, day)
  const number = parcelNumber(world, parcel)
  return FORMAT.line({
    CO_NO: county,
    PARCEL_ID: number,
    ...valuesOf(world, parcel, owner),
    ...building(world, parcel),
    ...sales(world, parcel, day),
    ...ownerFields(world, delivery, parcel, owner, number),
    ...situs(world, parcel),
    SEQ_NO: parcels.serial.get(parcel) + 1,
    MP_ID: mapId(parcel),
    STATE_PAR_ID: statePaperId(world, parcel),
  })
}

function isHomestead(world: World, parcel: number, owner: number): boolean {
  const household = world.parcels.household.get(parcel)
  const isPerson = ownerKind(owner) < OWNER.business
  return isPerson && household >= 0 && world.households.owned.get(household) === parcel && parcel % 10 > 0
}

function valuesOf(world: World, parcel: number, owner: number): Values {
  const value = world.parcels.value.get(parcel)
  const kind = world.parcels.kind.get(parcel)
  const homestead = isHomestead(world, parcel, owner)
  const assessed = homestead ? Math.round(value * 0.71) : Math.round(value * 0.93)
  const taxable = kind === PARCEL.government ? 0 : assessed - (homestead ? 50_000 : 0)
  const isResidential = kind !== PARCEL.commercial && kind !== PARCEL.government
  const stratum =
    kind === PARCEL.government ? '10' : kind === PARCEL.vacant ? '04' : isResidential ? '01' : '06'
  return {
    BAS_STRT: stratum,
    ATV_STRT: kind === PARCEL.government ? '' : Number(stratum),
    GRP_NO: 1 + (parcel % 4),
    DOR_UC: parcelCode('florida', kind),
    JV: value,
    AV_SD: assessed,
    AV_NSD: assessed,
    TV_SD: Math.max(0, homestead ? taxable + 25_000 : taxable),
    TV_NSD: Math.max(0, taxable),
    ...(homestead
      ? { JV_HMSTD: value, AV_HMSTD: assessed, EXMPT_01: 25_000, EXMPT_02: 25_000, APP_STAT: '1' }
      : {}),
    ...(!homestead && isResidential ? { JV_NON_HMSTD_RESD: value, AV_NON_HMSTD_RESD: assessed } : {}),
    ...(!isResidential ? { JV_RESD_NON_RESD: value, AV_RESD_NON_RESD: assessed } : {}),
    ...(kind === PARCEL.government ? { PUBLIC_LND: 'C' } : {}),
    LND_VAL: Math.round(value * 0.28),
  }
}

function building(world: World, parcel: number): Values {
  const { parcels } = world
  const land = parcels.land.get(parcel)
  const isCondo = parcels.kind.get(parcel) === PARCEL.condo
  const area = parcels.living.get(parcel)
  const year = parcels.yearBuilt.get(parcel)
  return {
    ...(isCondo ? {} : { LND_UNTS_CD: '2', NO_LND_UNTS: land, LND_SQFOOT: land }),
    DT_LAST_INSPT: `${String(1 + (parcel % 12)).padStart(2, '0')}2${parcel % 5}`,
    ...(area === 0
      ? {}
      : {
          IMP_QUAL: String(2 + (parcel % 4)),
          EFF_YR_BLT: Math.min(2024, year + (parcel % 3) * 8),
          ACT_YR_BLT: year,
          TOT_LVG_AREA: area,
          NO_BULDNG: 1,
          NO_RES_UNTS: parcels.kind.get(parcel) === PARCEL.commercial ? 0 : parcels.units.get(parcel),
          SPEC_FEAT_VAL: parcel % 3 === 0 ? 8500 : 0,
        }),
  }
}

/** Returns at most two sales, in one case of twenty not the latest. */
function sales(world: World, parcel: number, day: number): Values {
  const deeds = deedsOf(world, parcel, day)
  const [first, second] = mix(FAULTS, parcel, 1) % 20 === 0 ? deeds : deeds.toReversed()
  return {
    ...(first === undefined ? {} : numbered(saleOf(world, first), 1)),
    ...(second === undefined ? {} : numbered(saleOf(world, second), 2)),
  }
}

function numbered(sale: Sale, number: 1 | 2): Values {
  return {
    [`MULTI_PAR_SAL${number}`]: sale.multiple,
    [`QUAL_CD${number}`]: sale.qualification,
    [`VI_CD${number}`]: 'I',
    [`SALE_PRC${number}`]: sale.price,
    [`SALE_YR${number}`]: sale.year,
    [`SALE_MO${number}`]: sale.month,
    [`OR_BOOK${number}`]: sale.book,
    [`OR_PAGE${number}`]: sale.page,
    [`CLERK_NO${number}`]: sale.instrument,
  }
}

function ownerFields(
  world: World,
  delivery: Delivery,
  parcel: number,
  owner: number,
  number: string,
): Values {
  const { day } = delivery
  const { text, people } = ownerTexts(world, owner, day, 'roll', parcel, NAME_WIDTH)[0]!
  const county = world.counties[world.parcels.county.get(parcel)]!.florida!.number
  const changes = world.parcels.laterDeed.get(parcel) >= 0
  if (mix(FAULTS, parcel, 6) % 1000 < RATES.withheld * 1000)
    return { OWN_NAME: 'CONFIDENTIAL', OWN_STATE: 'FL' }
  if (day !== DAY_2 || changes) {
    people.forEach((person, i) =>
      delivery.names(`${SOURCE}/nal/${county}|${number}#${i + 1}`, person, changes),
    )
  }
  const mail = mailingOf(world, owner, day)
  const isAbroad = mix(FAULTS, parcel, 3) % 400 === 0
  const where = isAbroad
    ? {
        OWN_ADDR2: 'TORONTO ON M5V 2T6',
        OWN_CITY: '',
        OWN_STATE: 'CANADA',
        OWN_ZIPCD: '',
        OWN_STATE_DOM: 'FC',
      }
    : { OWN_CITY: mail.city, OWN_STATE: mail.state, OWN_ZIPCD: mail.zip, OWN_STATE_DOM: mail.state }
  return {
    OWN_NAME: latin(text, mix(FAULTS, parcel, 4)),
    OWN_ADDR1: mail.line1.slice(0, LINE_WIDTH),
    OWN_ADDR2: mail.line2,
    ...where,
  }
}

function situs(world: World, parcel: number): Values {
  const { parcels } = world
  const address = parcels.address.get(parcel)
  const place = placeOf(world, address)
  const unit = parcels.kind.get(parcel) === PARCEL.condo ? '#' : ''
  const serial = parcels.serial.get(parcel)
  const noZip = mix(FAULTS, parcel, 5) % 1000 < RATES.missingZip * 1000
  // Half of the counties write no `ST`, `ND`, `TH` behind street numbers.
  const ordinals = stateOf(world, address) === 'FL' && parcels.county.get(parcel) % 2 === 0
  return {
    S_LEGAL:
      `${world.places[0]!.city.toUpperCase().slice(0, 9)} ESTATES ${1 + (serial % 180)}-${1 + (serial % 48)} B LOT ${1 + (serial % 60)}`.slice(
        0,
        30,
      ),
    MKT_AR: String(1 + (parcel % 9)),
    NBRHD_CD: String(660_000 + (serial % 900) * 10),
    TAX_AUTH_CD: String(1000 + (serial % 40)),
    TWN: `${47 + (serial % 5)}S`,
    RNG: `${40 + (serial % 4)}E`,
    SEC: String(1 + (serial % 36)).padStart(3, '0'),
    PHY_ADDR1: addressLine(world, address, { ...SHORT, ordinals, unit }).slice(0, LINE_WIDTH),
    PHY_CITY: place.city.toUpperCase(),
    PHY_ZIPCD: noZip ? '' : place.zip,
  }
}
