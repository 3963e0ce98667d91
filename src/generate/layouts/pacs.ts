import { houseNumber } from '../addresses.ts'
import { compactDate, isoDate, usDate } from '../calendar.ts'
import { RATES } from '../errors.ts'
import type { Delivery } from '../output.ts'
import { ownerTexts } from '../owners.ts'
import { lastDeed, parcelsIn } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { streetParts } from '../streets.ts'
import { PARCEL, type World } from '../types.ts'
import { latin } from './latin.ts'
import { isHomestead, type Lot, lotOf, mailOf, nameOwners } from './lots.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, type Values } from './record-format.ts'

const SHARES = stream('pacs')

/** The county whose records have the 645 bytes that a later version adds at the end; they are blank here. */
const LATER = { county: 'williamson', end: ' '.repeat(645) }

/** The share of a county's parcels in the roll. A record has 8.6 KB, so a full roll would be large. */
const SHARE = 0.08
const AT_LEAST = 150

/** The rows of a parcel, by kind of file and end of the file's name. */
const FILES: readonly [kind: string, name: string, rows: (lot: Lot) => Values[]][] = [
  ['info', 'INFO', info],
  ['imp_info', 'IMPROVEMENT_INFO', improvement],
  ['imp_det', 'IMPROVEMENT_DETAIL', details],
  ['land_det', 'LAND_DETAIL', land],
]

/** Writes an archive for each PACS county, with its roll, improvements and land. */
export function writePacs(world: World, delivery: Delivery): void {
  world.counties.forEach(({ pacs }, row) => {
    if (pacs === undefined) return
    const all = parcelsIn(world, row)
    const share = Math.max(SHARE, AT_LEAST / all.length)
    const lots = all
      .filter((parcel) => mix(SHARES, parcel, 0) % 10_000 < share * 10_000)
      .map((parcel) => lotOf(world, delivery, parcel))
    const zip = delivery.zip(sourceOf(pacs), `${pacs}_${compactDate(delivery.day)}.zip`)
    for (const [kind, name, rowsOf] of FILES) {
      const end = kind === 'info' && pacs === LATER.county ? LATER.end : ''
      const format = new RecordFormat('pacs-8-0', kind, { separator: '', end: `${end}\r\n` })
      const file = zip.table(`${isoDate(delivery.day)}_000123_APPRAISAL_${name}.TXT`, 'latin1', format)
      for (const lot of lots) for (const values of rowsOf(lot)) file.row({ prop_id: lot.number, ...values })
    }
  })
}

function sourceOf(county: string): string {
  return `us/tx/${county}.pacs`
}

function info(lot: Lot): Values[] {
  const { world, parcel, owner, day, kind, value } = lot
  const { text, people } = ownerTexts(world, owner, day, 'roll', parcel)[0]!
  const ownerId = String(owner).padStart(12, '0')
  const isConfidential = mix(SHARES, parcel, 1) % 1000 < RATES.withheld * 1000
  const record = `${sourceOf(lot.county.pacs!)}/info/${lot.number.padStart(12, '0')}|${ownerId}`
  // The record's key has the owner's id, so a buyer on day 2 is a new record and the truth names each key once.
  if (!isConfidential) nameOwners(lot, record, people, false)
  const mail = mailOf(lot)
  const street = streetParts(world, world.addresses.street.get(lot.address))
  const addition = ['OAK HOLLOW', 'STONE BRIDGE', 'LAKEVIEW', 'PECAN RANCH'][parcel % 4]!
  return [
    {
      prop_type_cd: kind === PARCEL.mobileHome ? 'M' : 'R',
      py_owner_id: ownerId,
      py_owner_name: latin(text, mix(SHARES, parcel, 2)),
      py_confidential_flag: isConfidential ? 'T' : 'F',
      py_addr_line1: mail.line1,
      py_addr_line2: mail.line2,
      py_addr_city: mail.city,
      py_addr_state: mail.state,
      py_addr_zip: mail.zip,
      situs_num: houseNumber(world, lot.address),
      situs_street_prefx: street.direction,
      situs_street: street.name,
      situs_street_suffix: street.suffix,
      situs_unit: lot.unit,
      situs_city: lot.city,
      situs_zip: lot.zip,
      legal_desc: `LOT ${1 + (parcel % 60)} BLK ${'ABCDEFGH'[parcel % 8]!} ${addition} SEC ${1 + (parcel % 9)}`,
      legal_acreage: acres(lot.land),
      assessed_val: Math.round(value * 0.94),
      market_value: value,
      hs_exempt: isHomestead(lot) ? 'T' : 'F',
      imprv_state_cd: lot.living > 0 ? parcelCode('pacs', kind) : '',
      land_state_cd: parcelCode('pacs', kind),
      ...deedOf(lot),
    },
  ]
}

/** Returns the columns of the last deed: a date in one of two notations and a book and page or a number; only a date of zeros without a deed. */
function deedOf({ world, parcel, day }: Lot): Values {
  const deed = lastDeed(world, parcel, day)
  if (deed < 0) return { deed_dt: '00000000' }
  const signed = world.deeds.signedOn.get(deed)
  const rank = world.deeds.rank.get(deed)
  return {
    deed_dt: usDate(signed, rank % 4 === 0 ? '-' : ''),
    ...(rank % 3 === 0
      ? { deed_book_id: 10_000 + (rank % 9000), deed_book_page: 1 + (rank % 800) }
      : { deed_num: `${usDate(signed).slice(6)}${String(rank).padStart(6, '0')}` }),
  }
}

function improvement({ living, serial }: Lot): Values[] {
  return living === 0 ? [] : [{ imprv_id: serial + 1 }]
}

function details({ living, parcel, serial, yearBuilt }: Lot): Values[] {
  if (living === 0) return []
  const main = living > 2400 ? Math.round(living * 0.6) : living
  const parts: [code: string, area: number][] = [
    ['1ST', main],
    ['2ND', living - main],
    ['041', 420],
  ]
  return parts
    .filter(([, area]) => area > 0)
    .map(([code, area], at) => ({
      imprv_id: serial + 1,
      imprv_det_id: serial * 10 + at + 1,
      Imprv_det_type_cd: code,
      yr_built: yearBuilt,
      depreciation_yr: Math.min(2024, yearBuilt + (parcel % 3) * 6),
      imprv_det_area: area.toFixed(6).padStart(15, '0'),
    }))
}

function land({ land: feet, serial }: Lot): Values[] {
  if (feet === 0) return []
  return [
    {
      land_seg_id: serial + 1,
      size_acres: acres(feet),
      size_square_feet: feet.toFixed(2).padStart(14, '0'),
    },
  ]
}

/** Returns the acres of an area in square feet, with four implied decimals. */
function acres(feet: number): number {
  return Math.round((feet / 43_560) * 10_000)
}
