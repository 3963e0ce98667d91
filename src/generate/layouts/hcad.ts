import { addressLine, SHORT } from '../addresses.ts'
import { compactDate, usDate, yearOf } from '../calendar.ts'
import { RATES } from '../errors.ts'
import type { Delivery } from '../output.ts'
import { ownerTexts, type OwnerText } from '../owners.ts'
import { deedsOf, lastDeed, parcelsIn } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { OWNER, owner, ownerKind, ownerRow, PARCEL, type World } from '../types.ts'
import { latin } from './latin.ts'
import { type Lot, lotOf, mailOf, nameOwners } from './lots.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, TABS, type Values } from './record-format.ts'

const SOURCE = 'us/tx/harris.hcad'
const FIPS = '48201'
const FAULTS = stream('hcad')

/** The rows of a parcel, by archive and file. */
const ARCHIVES: Readonly<Record<string, Readonly<Record<string, (lot: Lot) => Values[]>>>> = {
  Real_acct_owner: { real_acct: account, owners, deeds },
  Real_building_land: { building_res: buildings, fixtures, land },
}

/** Writes two archives of Harris County: accounts with owners and deeds, and buildings with fixtures and land. */
export function writeHcad(world: World, delivery: Delivery): void {
  const county = world.counties.findIndex(({ fips }) => fips === FIPS)
  if (county < 0) return
  const lots = parcelsIn(world, county).map((parcel) => lotOf(world, delivery, parcel))
  for (const [archive, files] of Object.entries(ARCHIVES)) {
    const zip = delivery.zip(SOURCE, `${archive}_${compactDate(delivery.day)}.zip`)
    for (const [name, rowsOf] of Object.entries(files)) {
      const file = zip.table(`${name}.txt`, 'latin1', new RecordFormat('hcad', name, TABS))
      for (const lot of lots) for (const row of rowsOf(lot)) file.row({ acct: lot.number, ...row })
    }
  }
}

/** Returns the lines of owners. Four couples in five share a line; the others have a line for each person. */
function ownerLines({ world, parcel, owner: code, day }: Lot): OwnerText[] {
  const isSplit = ownerKind(code) === OWNER.couple && mix(FAULTS, parcel, 1) % 5 === 0
  const first = ownerRow(code)
  const codes = isSplit ? [owner(OWNER.person, first), owner(OWNER.person, first + 1)] : [code]
  return codes.flatMap((one) => ownerTexts(world, one, day, 'roll', parcel, 60))
}

function isConfidential({ parcel }: Lot): boolean {
  return mix(FAULTS, parcel, 2) % 1000 < RATES.withheld * 1000
}

function nameOf({ parcel }: Lot, { text }: OwnerText): string {
  return latin(text, mix(FAULTS, parcel, 3))
}

function account(lot: Lot): Values[] {
  const { world, parcel, day, value, serial } = lot
  const [first] = ownerLines(lot)
  const isHidden = isConfidential(lot)
  if (!isHidden) nameOwners(lot, `${SOURCE}/real_acct/${lot.number}`, first!.people)
  const deed = lastDeed(world, parcel, day)
  const mail = mailOf(lot)
  const isQuoted = mix(FAULTS, parcel, 4) % 1000 < RATES.strayQuote * 1000
  const plusFour = mix(FAULTS, parcel, 5) % 3 === 0 ? `-${1000 + (mix(FAULTS, parcel, 6) % 9000)}` : ''
  return [
    {
      mailto: isHidden ? 'CURRENT OWNER' : nameOf(lot, first!),
      // Some lines have a quote, although the file has no quoting.
      mail_addr_1: isQuoted ? mail.line1.replace(' ', ' "') : mail.line1,
      mail_addr_2: mail.line2,
      mail_city: mail.city,
      mail_state: mail.state,
      mail_zip: mail.zip + plusFour,
      site_addr_1: addressLine(world, lot.address, { ...SHORT, unit: lot.unit === '' ? '' : '#' }),
      site_addr_2: lot.city,
      site_addr_3: lot.zip,
      state_class: parcelCode('hcad', lot.kind),
      yr_impr: lot.yearBuilt || '',
      bld_ar: lot.living,
      land_ar: lot.land,
      assessed_val: Math.round(value * 0.95),
      tot_mkt_val: value,
      new_own_dt: deed < 0 ? '01/01/1900' : usDate(world.deeds.signedOn.get(deed)),
      lgl_1: `LT ${1 + (serial % 60)} BLK ${1 + (serial % 22)}`,
      lgl_2: `${['MEADOW', 'TIMBER', 'BAYOU', 'PRAIRIE'][serial % 4]!} PLACE SEC ${1 + (serial % 9)}`,
    },
  ]
}

/** Returns the owner lines. The first repeats the owner of `real_acct`; only this file has the second. */
function owners(lot: Lot): Values[] {
  if (isConfidential(lot)) return [{ ln_num: 1, name: 'CURRENT OWNER', pct_own: '1.0000' }]
  const lines = ownerLines(lot)
  return lines.map((line, at) => {
    if (at > 0) nameOwners(lot, `${SOURCE}/owners/${lot.number}|${at + 1}`, line.people)
    return { ln_num: at + 1, name: nameOf(lot, line), pct_own: (1 / lines.length).toFixed(4) }
  })
}

function deeds({ world, parcel, day }: Lot): Values[] {
  return deedsOf(world, parcel, day).map((deed, at) => {
    const recordedOn = world.deeds.recordedOn.get(deed)
    const year = yearOf(recordedOn)
    if (year < 1986) return { dos: deed % 9 === 0 ? '12/30/1899' : usDate(recordedOn), deed_id: at + 1 }
    const film = `20${String(deed % 10_000_000).padStart(8, '0')}`
    return {
      dos: usDate(recordedOn),
      clerk_yr: year,
      clerk_id: year < 2016 ? film : `RP-${year}-${deed}`,
      deed_id: at + 1,
    }
  })
}

function buildings({ living, kind, yearBuilt, parcel }: Lot): Values[] {
  if (living === 0 || kind === PARCEL.commercial || kind === PARCEL.government) return []
  return [
    {
      dscr: ['Superior', 'Good', 'Average', 'Low'][mix(FAULTS, parcel, 7) % 4]!,
      date_erected: yearBuilt,
      eff: Math.min(2024, yearBuilt + (parcel % 3) * 7),
      im_sq_ft: living,
      heat_ar: living,
      base_ar: living > 2400 ? Math.round(living * 0.6) : living,
    },
  ]
}

/** Returns the counts of rooms. No other file has bedrooms and baths. */
function fixtures(lot: Lot): Values[] {
  if (buildings(lot).length === 0) return []
  const area = lot.living / lot.units
  const bits = mix(FAULTS, lot.parcel, 8)
  const rows: [type: string, description: string, units: number][] = [
    ['RMB', 'Room:  Bedroom', Math.max(1, Math.min(6, Math.round(area / 700) + (bits % 2)))],
    ['RMF', 'Room:  Full Bath', Math.max(1, Math.min(4, Math.round(area / 1100)))],
    ['RMH', 'Room:  Half Bath', (bits >>> 4) % 2],
    ['RMT', 'Room:  Total', Math.max(3, Math.round(area / 300))],
    ['STY', 'Story Height Index', area > 2400 ? 2 : 1],
    ['PLG', 'Pool: Gunite', bits % 7 === 0 ? 1 : 0],
  ]
  return rows
    .filter(([, , units]) => units > 0)
    .map(([type, description, units]) => ({ type, type_dscr: description, units: units.toFixed(2) }))
}

function land({ land: feet, kind }: Lot): Values[] {
  if (feet === 0) return []
  return [
    {
      use_dscr: kind === PARCEL.vacant ? 'Res Vacant Table Value' : 'Res Improved Table Value',
      tp: feet > 9000 ? 'AC' : 'SF',
      uts: feet > 9000 ? (Math.round((feet * 10_000) / 43_560) / 10_000).toFixed(4) : feet.toFixed(4),
    },
  ]
}
