import { Layout } from '../../layouts.ts'
import { addressLine, placeOf } from '../addresses.ts'
import { businessName } from '../businesses.ts'
import { DAY_2 } from '../calendar.ts'
import { ownerOn } from '../changes.ts'
import type { Delivery } from '../output.ts'
import { ownerTexts } from '../owners.ts'
import { bbl, parcelNumber } from '../parcel-numbers.ts'
import { mix, stream } from '../random.ts'
import { BUSINESS, OWNER, ownerKind, PARCEL, type World } from '../types.ts'
import { parcelCode } from './parcel-codes.ts'
import { RecordFormat, type Values } from './record-format.ts'

export const SOURCE = 'us/ny/nyc.pluto'

const FORMAT = new RecordFormat(new Layout('pluto'), 'pluto', { separator: ',', end: '\n', quotes: 'needed' })
const FAULTS = stream('pluto')

/**
 * Writes the tax lots of the boroughs on day 1. A condominium is one lot, 7501, which its association owns. This file has
 * no units of condominiums. It is issued quarterly, so day 2 has none.
 */
export function writePluto(world: World, delivery: Delivery): void {
  if (delivery.day === DAY_2 || !world.counties.some((county) => county.borough !== undefined)) return
  const sink = delivery.file(SOURCE, 'pluto_25v2.csv', 'utf8', FORMAT.header)
  const { parcels } = world
  for (let parcel = 0; parcel < parcels.kind.length; parcel += 1) {
    if (world.counties[parcels.county.get(parcel)]!.borough === undefined) continue
    const isCondo = parcels.kind.get(parcel) === PARCEL.condo
    if (isCondo && parcels.lot.get(parcel) !== 1001) continue
    const owner = isCondo
      ? null
      : ownerTexts(world, ownerOn(world, parcel, delivery.day), delivery.day, 'index', parcel)[0]!
    sink.write(FORMAT.line(row(world, parcel, owner?.text ?? associationOf(world, parcel))))
    owner?.people.forEach((person, i) => {
      delivery.names(`${SOURCE}/pluto/${parcelNumber(world, parcel)}#${i + 1}`, person)
    })
  }
  sink.close()
}

function associationOf(world: World, parcel: number): string {
  const { businesses } = world
  const start = mix(FAULTS, parcel, 1) % businesses.kind.length
  for (let i = 0; i < businesses.kind.length; i += 1) {
    const business = (start + i) % businesses.kind.length
    if (businesses.kind.get(business) === BUSINESS.condoAssociation) return businessName(world, business)
  }
  return 'UNAVAILABLE OWNER'
}

function row(world: World, parcel: number, ownerName: string): Values {
  const { parcels } = world
  const county = world.counties[parcels.county.get(parcel)]!
  const { number, letters } = county.borough!
  const address = parcels.address.get(parcel)
  const place = placeOf(world, address)
  const kind = parcels.kind.get(parcel)
  const isCondo = kind === PARCEL.condo
  const units = isCondo ? unitsOfCondominium(world, parcel) : parcels.units.get(parcel)
  const lot = isCondo ? 7501 : parcels.lot.get(parcel)
  const block = parcels.block.get(parcel)
  const area = parcels.living.get(parcel) * (isCondo ? units : 1)
  const land = parcels.land.get(parcel) || 5000
  const bits = mix(FAULTS, parcel, 2)
  const value = parcels.value.get(parcel) * (isCondo ? units : 1)
  const isResidential = kind !== PARCEL.commercial && kind !== PARCEL.government && kind !== PARCEL.vacant
  return {
    borough: letters,
    block,
    lot,
    cd: number * 100 + 1 + (block % 12),
    ct2010: 1 + (block % 400),
    cb2010: 1000 + (block % 20),
    schooldist: 1 + (block % 32),
    council: 1 + (block % 51),
    zipcode: place.zip,
    address: addressLine(world, address, { words: 'full', ordinals: false, unit: '' }),
    zonedist1: isResidential ? 'R6' : 'C4-4',
    bldgclass: parcelCode('plutoClass', kind),
    landuse: parcelCode('plutoUse', kind),
    ownertype: ownerKind(parcels.owner.get(parcel)) === OWNER.government ? 'C' : '',
    ownername: ownerName,
    lotarea: land,
    bldgarea: area,
    comarea: isResidential ? 0 : area,
    resarea: isResidential ? area : 0,
    numbldgs: kind === PARCEL.vacant ? 0 : 1,
    numfloors: kind === PARCEL.vacant ? '0.00' : `${Math.max(1, Math.ceil(units / 4)) + (bits % 2)}.00`,
    unitsres: isResidential ? units : 0,
    unitstotal: kind === PARCEL.vacant ? 0 : units,
    lotfront: `${20 + (bits % 40)}.00`,
    bsmtcode: bits % 6,
    assessland: Math.round(value * 0.02),
    assesstot: Math.round(value * 0.06),
    yearbuilt: parcels.yearBuilt.get(parcel),
    yearalter1: bits % 5 === 0 ? 1990 + (bits % 30) : 0,
    borocode: number,
    // The published file has decimals here: `2022860024.00000000`.
    bbl: `${bbl(number, block, lot)}.00000000`,
    condono: isCondo ? block - 20_000 : '',
    latitude: (place.latitude + (bits % 1600) / 100_000 - 0.008).toFixed(7),
    longitude: (place.longitude + (mix(FAULTS, parcel, 3) % 1600) / 100_000 - 0.008).toFixed(7),
  }
}

function unitsOfCondominium(world: World, first: number): number {
  const { parcels } = world
  let units = 1
  while (first + units < parcels.kind.length && parcels.block.get(first + units) === parcels.block.get(first))
    units += 1
  return units
}
