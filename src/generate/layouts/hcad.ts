import { Layout } from '../../layouts.ts'
import { addressLine, houseNumber, placeOf, SHORT, unitText } from '../addresses.ts'
import { compactDate, DAY_2, usDate, yearOf } from '../calendar.ts'
import { ownerOn } from '../changes.ts'
import { RATES } from '../errors.ts'
import type { Delivery, ZipFile } from '../output.ts'
import { mailingOf, ownerTexts, type OwnerText } from '../owners.ts'
import { deedsOf, lastDeed, parcelNumber, parcelsIn } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { streetParts } from '../streets.ts'
import { OWNER, owner, ownerKind, ownerRow, PARCEL, type World } from '../types.ts'
import { latin } from './latin.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, type Values } from './record-format.ts'

export const SOURCE = 'us/tx/harris.hcad'
const FIPS = '48201'
const FAULTS = stream('hcad')

const LAYOUT = new Layout('hcad')

/** Writes two archives of Harris County: accounts with owners and deeds, and buildings with fixtures and land. */
export function writeHcad(world: World, delivery: Delivery): void {
  const county = world.counties.findIndex(({ fips }) => fips === FIPS)
  if (county < 0) return
  const district = new District(world, delivery, parcelsIn(world, county))
  const date = compactDate(delivery.day)
  const accounts = delivery.zip(SOURCE, `Real_acct_owner_${date}.zip`)
  district.table(accounts, 'real_acct', (parcel) => [district.account(parcel)])
  district.table(accounts, 'owners', (parcel) => district.owners(parcel))
  district.table(accounts, 'deeds', (parcel) => district.deeds(parcel))
  accounts.close()
  const buildings = delivery.zip(SOURCE, `Real_building_land_${date}.zip`)
  district.table(buildings, 'building_res', (parcel) => district.buildings(parcel))
  district.table(buildings, 'fixtures', (parcel) => district.fixtures(parcel))
  district.table(buildings, 'land', (parcel) => district.land(parcel))
  buildings.close()
}

class District {
  private readonly world: World
  private readonly delivery: Delivery
  private readonly parcels: readonly number[]

  constructor(world: World, delivery: Delivery, parcels: readonly number[]) {
    this.world = world
    this.delivery = delivery
    this.parcels = parcels
  }

  table(zip: ZipFile, name: string, rows: (parcel: number) => Values[]): void {
    const format = new RecordFormat(LAYOUT, name, { separator: '\t', end: '\r\n' })
    const sink = zip.member(`${name}.txt`, 'latin1')
    sink.write(format.header)
    for (const parcel of this.parcels) for (const values of rows(parcel)) sink.write(format.line(values))
    sink.close()
  }

  /** Returns the lines of owners. Four couples in five share a line; the others have a line for each person. */
  private names(parcel: number): OwnerText[] {
    const { world, delivery } = this
    const code = ownerOn(world, parcel, delivery.day)
    const isSplit = ownerKind(code) === OWNER.couple && mix(FAULTS, parcel, 1) % 5 === 0
    if (!isSplit) return ownerTexts(world, code, delivery.day, 'roll', parcel, 60)
    return [ownerRow(code), ownerRow(code) + 1].flatMap((person) =>
      ownerTexts(world, owner(OWNER.person, person), delivery.day, 'roll', parcel, 60),
    )
  }

  private isConfidential(parcel: number): boolean {
    return mix(FAULTS, parcel, 2) % 1000 < RATES.withheld * 1000
  }

  account(parcel: number): Values {
    const { world, delivery } = this
    const { parcels } = world
    const [first] = this.names(parcel)
    const isConfidential = this.isConfidential(parcel)
    const acct = parcelNumber(world, parcel)
    if (!isConfidential) this.truth(parcel, `real_acct/${acct}`, first!)
    const deed = lastDeed(world, parcel, delivery.day)
    const serial = parcels.serial.get(parcel)
    const value = parcels.value.get(parcel)
    const land = parcels.land.get(parcel)
    return {
      acct,
      mailto: isConfidential ? 'CURRENT OWNER' : latin(first!.text, mix(FAULTS, parcel, 3)),
      ...this.mailing(parcel),
      ...this.situs(parcel),
      state_class: parcelCode('hcad', parcels.kind.get(parcel)),
      school_dist: `0${1 + (serial % 26)}`,
      Neighborhood_Code: `${7000 + (serial % 900)}.0${serial % 9}`,
      yr_impr: parcels.yearBuilt.get(parcel) || '',
      bld_ar: parcels.living.get(parcel),
      land_ar: land,
      acreage: (Math.round((land * 10_000) / 43_560) / 10_000).toFixed(4),
      land_val: Math.round(value * 0.3),
      bld_val: Math.round(value * 0.7),
      assessed_val: Math.round(value * 0.95),
      tot_appr_val: Math.round(value * 0.95),
      tot_mkt_val: value,
      prior_tot_appr_val: Math.round(value * 0.9),
      prior_tot_mkt_val: Math.round(value * 0.94),
      protested: serial % 5 === 0 ? 'Y' : 'N',
      new_own_dt: deed < 0 ? '01/01/1900' : usDate(world.deeds.signedOn.get(deed)),
      lgl_1: `LT ${1 + (serial % 60)} BLK ${1 + (serial % 22)}`,
      lgl_2: `${['MEADOW', 'TIMBER', 'BAYOU', 'PRAIRIE'][serial % 4]!} PLACE SEC ${1 + (serial % 9)}`,
    }
  }

  private truth(parcel: number, record: string, { people }: OwnerText): void {
    const changes = this.world.parcels.laterDeed.get(parcel) >= 0
    if (this.delivery.day === DAY_2 && !changes) return
    people.forEach((person, i) => this.delivery.names(`${SOURCE}/${record}#${i + 1}`, person, changes))
  }

  private mailing(parcel: number): Values {
    const { day } = this.delivery
    const mail = mailingOf(this.world, ownerOn(this.world, parcel, day), day)
    const isQuoted = mix(FAULTS, parcel, 4) % 1000 < RATES.strayQuote * 1000
    const plusFour = mix(FAULTS, parcel, 5) % 3 === 0 ? `-${1000 + (mix(FAULTS, parcel, 6) % 9000)}` : ''
    return {
      // Some lines have a quote, although the file has no quoting.
      mail_addr_1: isQuoted ? mail.line1.replace(' ', ' "') : mail.line1,
      mail_addr_2: mail.line2,
      mail_city: mail.city,
      mail_state: mail.state,
      mail_zip: `${mail.zip}${plusFour}`,
    }
  }

  private situs(parcel: number): Values {
    const { world } = this
    const address = world.parcels.address.get(parcel)
    const street = streetParts(world, world.addresses.street.get(address))
    const place = placeOf(world, address)
    const isUnit = world.parcels.kind.get(parcel) === PARCEL.condo
    const number = houseNumber(world, address)
    return {
      str_pfx: street.direction,
      str_num: number === '' ? 0 : number.replace(/\D.*$/, ''),
      str_num_sfx: number.replace(/^\d*/, '').trim(),
      str: street.name,
      str_sfx: street.suffix,
      str_unit: isUnit ? unitText(world, address) : '',
      site_addr_1: addressLine(world, address, { ...SHORT, unit: isUnit ? '#' : '' }),
      site_addr_2: place.city.toUpperCase(),
      site_addr_3: place.zip,
    }
  }

  /** Returns the owner lines. The first repeats the owner of `real_acct`; only this file has the second. */
  owners(parcel: number): Values[] {
    if (this.isConfidential(parcel))
      return [{ acct: parcelNumber(this.world, parcel), ln_num: 1, name: 'CURRENT OWNER', pct_own: '1.0000' }]
    const lines = this.names(parcel)
    const acct = parcelNumber(this.world, parcel)
    return lines.map((line, at) => {
      if (at > 0) this.truth(parcel, `owners/${acct}|${at + 1}`, line)
      return {
        acct,
        ln_num: at + 1,
        name: latin(line.text, mix(FAULTS, parcel, 3)),
        pct_own: (1 / lines.length).toFixed(4),
      }
    })
  }

  deeds(parcel: number): Values[] {
    const { deeds } = this.world
    return deedsOf(this.world, parcel, this.delivery.day).map((deed, at) => {
      const day = deeds.recordedOn.get(deed)
      const year = yearOf(day)
      const isOld = year < 1986
      return {
        acct: parcelNumber(this.world, parcel),
        dos: isOld && deed % 9 === 0 ? '12/30/1899' : usDate(day),
        clerk_yr: isOld ? '' : year,
        clerk_id: isOld
          ? ''
          : year < 2016
            ? `20${String(deed % 10_000_000).padStart(8, '0')}`
            : `RP-${year}-${deed}`,
        deed_id: at + 1,
      }
    })
  }

  buildings(parcel: number): Values[] {
    const { parcels } = this.world
    const area = parcels.living.get(parcel)
    const kind = parcels.kind.get(parcel)
    if (area === 0 || kind === PARCEL.commercial || kind === PARCEL.government) return []
    const year = parcels.yearBuilt.get(parcel)
    const quality = mix(FAULTS, parcel, 7) % 4
    return [
      {
        acct: parcelNumber(this.world, parcel),
        property_use_cd: parcelCode('hcad', kind),
        dpr_val: Math.round(parcels.value.get(parcel) * 0.7),
        qa_cd: 'ABCD'[quality]!,
        dscr: ['Superior', 'Good', 'Average', 'Low'][quality]!,
        date_erected: year,
        eff: Math.min(2024, year + (parcel % 3) * 7),
        yr_remodel: parcel % 6 === 0 ? 2012 : 0,
        im_sq_ft: area,
        act_ar: area + 460,
        heat_ar: area,
        gross_ar: area + 460,
        eff_ar: area + 120,
        base_ar: area > 2400 ? Math.round(area * 0.6) : area,
      },
    ]
  }

  /** Returns the counts of rooms. No other file has bedrooms and baths. */
  fixtures(parcel: number): Values[] {
    if (this.buildings(parcel).length === 0) return []
    const acct = parcelNumber(this.world, parcel)
    const area = this.world.parcels.living.get(parcel) / this.world.parcels.units.get(parcel)
    const bits = mix(FAULTS, parcel, 8)
    const rows: [string, string, number][] = [
      ['RMB', 'Room:  Bedroom', Math.max(1, Math.min(6, Math.round(area / 700) + (bits % 2)))],
      ['RMF', 'Room:  Full Bath', Math.max(1, Math.min(4, Math.round(area / 1100)))],
      ['RMH', 'Room:  Half Bath', (bits >>> 4) % 2],
      ['RMT', 'Room:  Total', Math.max(3, Math.round(area / 300))],
      ['STY', 'Story Height Index', area > 2400 ? 2 : 1],
    ]
    if (bits % 7 === 0) rows.push(['PLG', 'Pool: Gunite', 1])
    return rows
      .filter(([, , units]) => units > 0)
      .map(([type, dscr, units]) => ({ acct, type, type_dscr: dscr, units: units.toFixed(2) }))
  }

  land(parcel: number): Values[] {
    const { parcels } = this.world
    const feet = parcels.land.get(parcel)
    if (feet === 0) return []
    const inAcres = feet > 9000
    return [
      {
        acct: parcelNumber(this.world, parcel),
        use_cd: parcels.kind.get(parcel) === PARCEL.vacant ? '1000' : '1001',
        use_dscr:
          parcels.kind.get(parcel) === PARCEL.vacant ? 'Res Vacant Table Value' : 'Res Improved Table Value',
        tp: inAcres ? 'AC' : 'SF',
        uts: inAcres ? (Math.round((feet * 10_000) / 43_560) / 10_000).toFixed(4) : feet.toFixed(4),
        val: Math.round(parcels.value.get(parcel) * 0.3),
      },
    ]
  }
}
