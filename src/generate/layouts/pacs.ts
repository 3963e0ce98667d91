import { Layout } from '../../layouts.ts'
import { houseNumber, placeOf, unitText } from '../addresses.ts'
import { compactDate, DAY_2, isoDate, usDate } from '../calendar.ts'
import { ownerOn } from '../changes.ts'
import type { CountyPlan } from '../counties.ts'
import { RATES } from '../errors.ts'
import type { Delivery } from '../output.ts'
import { mailingOf, ownerTexts } from '../owners.ts'
import { lastDeed, parcelNumber, parcelsIn } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { streetParts } from '../streets.ts'
import { OWNER, ownerKind, PARCEL, type World } from '../types.ts'
import { latin } from './latin.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, type Values } from './record-format.ts'

const LAYOUT = new Layout('pacs-8-0')
const SHARES = stream('pacs')

/** A county whose records end with 645 bytes of a later version, left blank here. */
const LATER = { county: 'williamson', end: ' '.repeat(645) }

/** The share of a county's parcels in the roll. A record has 8.6 KB, so a full roll would be large. */
const SHARE = 0.08
const AT_LEAST = 150

/** Writes an archive for each PACS county, with its roll, improvements and land. */
export function writePacs(world: World, delivery: Delivery): void {
  world.counties.forEach((county, row) => {
    if (county.pacs === undefined) return
    new Roll(world, delivery, county, row).write()
  })
}

class Roll {
  private readonly world: World
  private readonly delivery: Delivery
  private readonly county: CountyPlan
  private readonly source: string
  private readonly parcels: number[]

  constructor(world: World, delivery: Delivery, county: CountyPlan, row: number) {
    this.world = world
    this.delivery = delivery
    this.county = county
    this.source = `us/tx/${county.pacs!}.pacs`
    const all = parcelsIn(world, row)
    const share = Math.max(SHARE, AT_LEAST / all.length)
    this.parcels = all.filter((parcel) => mix(SHARES, parcel, 0) % 10_000 < share * 10_000)
  }

  write(): void {
    const { day } = this.delivery
    const zip = this.delivery.zip(this.source, `${this.county.pacs!}_${compactDate(day)}.zip`)
    const members: [member: string, file: string, (parcel: number) => Values[]][] = [
      ['INFO', 'info', (parcel) => this.info(parcel)],
      ['IMPROVEMENT_INFO', 'imp_info', (parcel) => this.improvement(parcel)],
      ['IMPROVEMENT_DETAIL', 'imp_det', (parcel) => this.details(parcel)],
      ['LAND_DETAIL', 'land_det', (parcel) => this.land(parcel)],
    ]
    for (const [name, file, records] of members) {
      const end = file === 'info' && this.county.pacs === LATER.county ? LATER.end : ''
      const format = new RecordFormat(LAYOUT, file, { separator: '', end: `${end}\r\n` })
      const sink = zip.member(`${isoDate(day)}_000123_APPRAISAL_${name}.TXT`, 'latin1')
      for (const parcel of this.parcels) for (const values of records(parcel)) sink.write(format.line(values))
      sink.close()
    }
    zip.close()
  }

  private info(parcel: number): Values[] {
    const { world, delivery } = this
    const { parcels } = world
    const owner = ownerOn(world, parcel, delivery.day)
    const { text, people } = ownerTexts(world, owner, delivery.day, 'roll', parcel)[0]!
    const propertyId = parcelNumber(world, parcel).padStart(12, '0')
    const ownerId = String(owner).padStart(12, '0')
    const isConfidential = mix(SHARES, parcel, 1) % 1000 < RATES.withheld * 1000
    // The record's key has the owner's id, so a buyer on day 2 is a new record and the truth names each key once.
    if (!isConfidential && !this.saidBefore(parcel)) {
      people.forEach((person, i) =>
        delivery.names(`${this.source}/info/${propertyId}|${ownerId}#${i + 1}`, person),
      )
    }
    const kind = parcels.kind.get(parcel)
    const value = parcels.value.get(parcel)
    return [
      {
        prop_id: propertyId,
        prop_type_cd: kind === PARCEL.mobileHome ? 'M' : 'R',
        geo_id: String(100_000_000 + parcels.serial.get(parcel)).padStart(10, '0'),
        py_owner_id: ownerId,
        py_owner_name: latin(text, mix(SHARES, parcel, 2)),
        py_confidential_flag: isConfidential ? 'T' : 'F',
        ...this.mailing(owner),
        ...this.situs(parcel),
        legal_desc: `LOT ${1 + (parcel % 60)} BLK ${'ABCDEFGH'[parcel % 8]!} ${['OAK HOLLOW', 'STONE BRIDGE', 'LAKEVIEW', 'PECAN RANCH'][parcel % 4]!} SEC ${1 + (parcel % 9)}`,
        // Acres have four implied decimals.
        legal_acreage: Math.round((parcels.land.get(parcel) / 43_560) * 10_000),
        land_hstd_val: Math.round(value * 0.3),
        imprv_hstd_val: Math.round(value * 0.7),
        appraised_val: value,
        assessed_val: Math.round(value * 0.94),
        market_value: value,
        hs_exempt: this.isHomestead(parcel, owner) ? 'T' : 'F',
        imprv_state_cd: parcels.living.get(parcel) > 0 ? parcelCode('pacs', kind) : '',
        land_state_cd: parcelCode('pacs', kind),
        entities: `${this.county.fips.slice(2)},CITY,ISD`,
        ...this.deed(parcel),
      },
    ]
  }

  private saidBefore(parcel: number): boolean {
    return this.delivery.day === DAY_2 && this.world.parcels.laterDeed.get(parcel) < 0
  }

  private mailing(owner: number): Values {
    const mail = mailingOf(this.world, owner, this.delivery.day)
    return {
      py_addr_line1: mail.line1,
      py_addr_line2: mail.line2,
      py_addr_city: mail.city,
      py_addr_state: mail.state,
      py_addr_zip: mail.zip,
    }
  }

  private situs(parcel: number): Values {
    const { world } = this
    const address = world.parcels.address.get(parcel)
    const street = streetParts(world, world.addresses.street.get(address))
    const place = placeOf(world, address)
    const isUnit = world.parcels.kind.get(parcel) === PARCEL.condo
    return {
      situs_num: houseNumber(world, address),
      situs_street_prefx: street.direction,
      situs_street: street.name,
      situs_street_suffix: street.suffix,
      situs_unit: isUnit ? unitText(world, address) : '',
      situs_city: place.city.toUpperCase(),
      situs_zip: place.zip,
    }
  }

  /** Returns the deed of a parcel. Dates have one of two notations, or are zeros. */
  private deed(parcel: number): Values {
    const { world, delivery } = this
    const deed = lastDeed(world, parcel, delivery.day)
    if (deed < 0) return { deed_dt: '00000000' }
    const signed = world.deeds.signedOn.get(deed)
    const rank = world.deeds.rank.get(deed)
    const date = rank % 4 === 0 ? usDate(signed, '-') : usDate(signed, '')
    return rank % 3 === 0
      ? {
          deed_dt: date,
          deed_book_id: String(10_000 + (rank % 9000)),
          deed_book_page: String(1 + (rank % 800)),
        }
      : { deed_dt: date, deed_num: `${usDate(signed).slice(6)}${String(rank).padStart(6, '0')}` }
  }

  private isHomestead(parcel: number, owner: number): boolean {
    const household = this.world.parcels.household.get(parcel)
    if (household < 0 || ownerKind(owner) >= OWNER.business) return false
    return this.world.households.owned.get(household) === parcel
  }

  private improvement(parcel: number): Values[] {
    const { parcels } = this.world
    if (parcels.living.get(parcel) === 0) return []
    const kind = parcels.kind.get(parcel)
    return [
      {
        ...this.keys(parcel),
        imprv_type_cd: kind === PARCEL.commercial ? 'COM' : '1FAM',
        imprv_type_desc: kind === PARCEL.commercial ? 'OFFICE' : '1 FAM DWELLING',
        imprv_state_cd: parcelCode('pacs', kind),
        imprv_val: decimal(Math.round(parcels.value.get(parcel) * 0.7), 14, 2),
      },
    ]
  }

  private details(parcel: number): Values[] {
    const { parcels } = this.world
    const area = parcels.living.get(parcel)
    if (area === 0) return []
    const year = parcels.yearBuilt.get(parcel)
    const main = Math.round(area * 0.6)
    const parts: [string, string, number][] =
      area > 2400
        ? [
            ['1ST', '1st Floor', main],
            ['2ND', '2nd Floor', area - main],
          ]
        : [['1ST', '1st Floor', area]]
    parts.push(['041', 'GARAGE ATT 1ST F', 420])
    return parts.map(([code, text, size], at) => ({
      ...this.keys(parcel),
      imprv_det_id: parcels.serial.get(parcel) * 10 + at + 1,
      Imprv_det_type_cd: code,
      Imprv_det_type_desc: text,
      yr_built: year,
      depreciation_yr: Math.min(2024, year + (parcel % 3) * 6),
      imprv_det_area: decimal(size, 15, 6),
      imprv_det_val: decimal(size * 90, 14, 2),
    }))
  }

  private land(parcel: number): Values[] {
    const { parcels } = this.world
    const feet = parcels.land.get(parcel)
    if (feet === 0) return []
    return [
      {
        prop_id: parcelNumber(this.world, parcel),
        land_seg_id: parcels.serial.get(parcel) + 1,
        state_cd: parcelCode('pacs', parcels.kind.get(parcel)),
        size_acres: Math.round((feet / 43_560) * 10_000),
        size_square_feet: decimal(feet, 14, 2),
        land_seg_mkt_val: Math.round(parcels.value.get(parcel) * 0.3),
      },
    ]
  }

  private keys(parcel: number): Values {
    const id = this.world.parcels.serial.get(parcel) + 1
    return { prop_id: parcelNumber(this.world, parcel), imprv_id: id }
  }
}

/** Returns a number with a decimal point, padded with zeros: `0034474.000000`. */
function decimal(value: number, width: number, places: number): string {
  return value.toFixed(places).padStart(width, '0')
}
