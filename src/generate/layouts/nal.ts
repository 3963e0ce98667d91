import { addressLine, placeOf, SHORT, stateOf } from '../addresses.ts'
import { DAY_2 } from '../calendar.ts'
import { ownerOn } from '../changes.ts'
import { RATES } from '../errors.ts'
import type { Delivery } from '../output.ts'
import { mailingOf, ownerTexts } from '../owners.ts'
import { deedsOf, parcelNumber } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { OWNER, ownerKind, PARCEL, type World } from '../types.ts'
import { LAND_USES, mapId, quoted, rollName, type Sale, saleOf, statePaperId } from './florida-sales.ts'
import { latin } from './latin.ts'

export const SOURCE = 'us/fl/statewide.nal'

export const HEADER =
  'CO_NO,PARCEL_ID,FILE_T,ASMNT_YR,BAS_STRT,ATV_STRT,GRP_NO,DOR_UC,PA_UC,SPASS_CD,JV,JV_CHNG,JV_CHNG_CD,AV_SD,AV_NSD,TV_SD,TV_NSD,JV_HMSTD,AV_HMSTD,JV_NON_HMSTD_RESD,AV_NON_HMSTD_RESD,JV_RESD_NON_RESD,AV_RESD_NON_RESD,JV_CLASS_USE,AV_CLASS_USE,JV_H2O_RECHRGE,AV_H2O_RECHRGE,JV_CONSRV_LND,AV_CONSRV_LND,JV_HIST_COM_PROP,AV_HIST_COM_PROP,JV_HIST_SIGNF,AV_HIST_SIGNF,JV_WRKNG_WTRFNT,AV_WRKNG_WTRFNT,NCONST_VAL,DEL_VAL,PAR_SPLT,DISTR_CD,DISTR_YR,LND_VAL,LND_UNTS_CD,NO_LND_UNTS,LND_SQFOOT,DT_LAST_INSPT,IMP_QUAL,CONST_CLASS,EFF_YR_BLT,ACT_YR_BLT,TOT_LVG_AREA,NO_BULDNG,NO_RES_UNTS,SPEC_FEAT_VAL,MULTI_PAR_SAL1,QUAL_CD1,VI_CD1,SALE_PRC1,SALE_YR1,SALE_MO1,OR_BOOK1,OR_PAGE1,CLERK_NO1,SAL_CHNG_CD1,MULTI_PAR_SAL2,QUAL_CD2,VI_CD2,SALE_PRC2,SALE_YR2,SALE_MO2,OR_BOOK2,OR_PAGE2,CLERK_NO2,SAL_CHNG_CD2,OWN_NAME,OWN_ADDR1,OWN_ADDR2,OWN_CITY,OWN_STATE,OWN_ZIPCD,OWN_STATE_DOM,FIDU_NAME,FIDU_ADDR1,FIDU_ADDR2,FIDU_CITY,FIDU_STATE,FIDU_ZIPCD,FIDU_CD,S_LEGAL,APP_STAT,CO_APP_STAT,MKT_AR,NBRHD_CD,PUBLIC_LND,TAX_AUTH_CD,TWN,RNG,SEC,CENSUS_BK,PHY_ADDR1,PHY_ADDR2,PHY_CITY,PHY_ZIPCD,ALT_KEY,ASS_TRNSFR_FG,PREV_HMSTD_OWN,ASS_DIF_TRNS,CONO_PRV_HM,PARCEL_ID_PRV_HMSTD,YR_VAL_TRNSF,EXMPT_01,EXMPT_02,EXMPT_03,EXMPT_04,EXMPT_05,EXMPT_06,EXMPT_07,EXMPT_08,EXMPT_09,EXMPT_10,EXMPT_11,EXMPT_12,EXMPT_13,EXMPT_14,EXMPT_15,EXMPT_16,EXMPT_17,EXMPT_18,EXMPT_19,EXMPT_20,EXMPT_21,EXMPT_22,EXMPT_23,EXMPT_24,EXMPT_25,EXMPT_26,EXMPT_27,EXMPT_28,EXMPT_29,EXMPT_30,EXMPT_31,EXMPT_32,EXMPT_33,EXMPT_34,EXMPT_35,EXMPT_36,EXMPT_37,EXMPT_38,EXMPT_39,EXMPT_40,EXMPT_41,EXMPT_42,EXMPT_43,EXMPT_44,EXMPT_45,EXMPT_46,EXMPT_80,EXMPT_81,EXMPT_82,SEQ_NO,RS_ID,MP_ID,STATE_PAR_ID,SPC_CIR_CD,SPC_CIR_YR,SPC_CIR_TXT'
const COLUMNS = HEADER.split(',')
const FAULTS = stream('nal')
const NAME_WIDTH = 50
const LINE_WIDTH = 40

/** Codes and texts are quoted even where they are digits only; the other columns are bare numbers. */
const TEXT = new Set(
  `PARCEL_ID FILE_T BAS_STRT DOR_UC PA_UC SPASS_CD JV_CHNG_CD PAR_SPLT DISTR_CD LND_UNTS_CD DT_LAST_INSPT IMP_QUAL
  CONST_CLASS QUAL_CD1 VI_CD1 SALE_MO1 OR_BOOK1 OR_PAGE1 CLERK_NO1 SAL_CHNG_CD1 QUAL_CD2 VI_CD2 SALE_MO2 OR_BOOK2
  OR_PAGE2 CLERK_NO2 SAL_CHNG_CD2 OWN_NAME OWN_ADDR1 OWN_ADDR2 OWN_CITY OWN_STATE OWN_STATE_DOM S_LEGAL APP_STAT
  CO_APP_STAT MKT_AR NBRHD_CD PUBLIC_LND TAX_AUTH_CD TWN RNG SEC CENSUS_BK PHY_ADDR1 PHY_ADDR2 PHY_CITY ALT_KEY
  PARCEL_ID_PRV_HMSTD RS_ID MP_ID STATE_PAR_ID SPC_CIR_CD SPC_CIR_TXT`.split(/\s+/),
)

/** The roll of every Florida county: a row per parcel, with the owner of the day. */
export function writeNal(world: World, delivery: Delivery): void {
  const { parcels } = world
  let parcel = 0
  world.counties.forEach((county, row) => {
    const number = county.florida?.number ?? 0
    const name = rollName('NAL', number, delivery.day === DAY_2)
    const sink = number > 0 ? delivery.file(SOURCE, name, 'latin1', `${HEADER}\r\n`) : null
    // Parcels lie county by county.
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
  const values: Record<string, string | number> = {
    CO_NO: county,
    PARCEL_ID: number,
    FILE_T: 'R',
    ASMNT_YR: 2025,
    ...valuesOf(world, parcel, owner),
    ...building(world, parcel),
    ...sales(world, parcel, day),
    ...ownerFields(world, delivery, parcel, owner, number),
    ...situs(world, parcel),
    SEQ_NO: parcels.serial.get(parcel) + 1,
    RS_ID: '2B6D',
    MP_ID: mapId(parcel),
    STATE_PAR_ID: statePaperId(world, parcel),
  }
  const cells = COLUMNS.map((column) => {
    const value = values[column]
    if (value === undefined) return ''
    return TEXT.has(column) ? quoted(String(value)) : value
  })
  return `${cells.join(',')}\r\n`
}

function isHomestead(world: World, parcel: number, owner: number): boolean {
  const household = world.parcels.household.get(parcel)
  const isPerson = ownerKind(owner) < OWNER.business
  return isPerson && household >= 0 && world.households.owned.get(household) === parcel && parcel % 10 > 0
}

function valuesOf(world: World, parcel: number, owner: number): Record<string, number | string> {
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
    DOR_UC: LAND_USES[kind]!,
    PA_UC: '01',
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

function building(world: World, parcel: number): Record<string, number | string> {
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

/** At most two sales, and not always the latest. */
function sales(world: World, parcel: number, day: number): Record<string, number | string> {
  const deeds = deedsOf(world, parcel, day)
  const [first, second] = mix(FAULTS, parcel, 1) % 20 === 0 ? deeds : deeds.toReversed()
  return {
    ...(first === undefined ? {} : numbered(saleOf(world, first), 1)),
    ...(second === undefined ? {} : numbered(saleOf(world, second), 2)),
  }
}

function numbered(sale: Sale, number: 1 | 2): Record<string, number | string> {
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
): Record<string, string> {
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

function situs(world: World, parcel: number): Record<string, string | number> {
  const { parcels } = world
  const address = parcels.address.get(parcel)
  const place = placeOf(world, address)
  const unit = parcels.kind.get(parcel) === PARCEL.condo ? '#' : ''
  const serial = parcels.serial.get(parcel)
  const noZip = mix(FAULTS, parcel, 5) % 1000 < RATES.missingZip * 1000
  // Miami-Dade and half of the others leave `ST`, `ND`, `TH` off.
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
    ALT_KEY: '',
  }
}
