import { letteredUnit } from './addresses.ts'
import { addRow } from './columns.ts'
import type { Style } from './counties.ts'
import { Random, stream, Weighted } from './random.ts'
import { buildStreets, nextNumber } from './streets.ts'
import { PARCEL, type World } from './types.ts'

const BUILDINGS = stream('buildings')

/** The share of homes of each kind, in the order of `KINDS`. */
const HOMES: Readonly<Record<Style, readonly number[]>> = {
  manhattan: [2, 34, 6, 56, 2, 0],
  outer_borough: [20, 10, 28, 40, 2, 0],
  queens: [34, 12, 24, 28, 2, 0],
  south_florida: [50, 30, 2, 10, 6, 2],
  florida: [64, 14, 2, 8, 5, 7],
  texas: [66, 4, 2, 20, 5, 3],
}
const KINDS = [
  PARCEL.singleFamily,
  PARCEL.condo,
  PARCEL.twoFamily,
  PARCEL.apartments,
  PARCEL.townhouse,
  PARCEL.mobileHome,
]

/** Price in dollars per square foot. */
const PRICE: Readonly<Record<Style, number>> = {
  manhattan: 1250,
  outer_borough: 520,
  queens: 560,
  south_florida: 380,
  florida: 230,
  texas: 190,
}

/** The ranges of rows in `world.addresses` that are homes and offices of a county. */
export interface Ground {
  readonly firstHome: number
  readonly pastHomes: number
  readonly firstOffice: number
  readonly pastOffices: number
}

/** Adds streets, addresses and parcels: a home for every household, some empty homes, offices, vacant lots, public land. */
export function buildGround(world: World, householdsOf: readonly number[]): Ground[] {
  const firstStreets = buildStreets(world, householdsOf)
  return world.counties.map((_, county) => buildCounty(world, county, householdsOf[county]!, firstStreets))
}

function buildCounty(world: World, county: number, households: number, firstStreets: Int32Array): Ground {
  const { style } = world.counties[county]!
  const random = new Random(world.seed).at(BUILDINGS, county)
  const first = firstStreets[world.places.findIndex((place) => place.county === county)]!
  const streets = firstStreets[world.places.findLastIndex((place) => place.county === county) + 1]! - first
  const site = new Site(world, county, random, () => first + random.int(streets))
  const needed = Math.ceil(households * 1.05) + 3
  const shares = HOMES[style]
  // Each draw makes a building. A kind is drawn by its share of homes over its homes per building.
  const perBuilding = [1, 16, 2, style === 'manhattan' ? 24 : 14, 1, 1]
  const kinds = new Weighted(
    KINDS,
    shares.map((share, kind) => share / perBuilding[kind]!),
  )
  const firstHome = world.addresses.street.length
  while (world.addresses.street.length - firstHome < needed) {
    const kind = kinds.draw(random)
    const most = Math.max(2, Math.min(perBuilding[kind]! * 2 - 4, Math.floor(needed / 12)))
    if (kind === PARCEL.condo) site.condominium(random.between(Math.min(4, most), most))
    else if (kind === PARCEL.apartments) site.house(kind, random.between(Math.min(5, most), most))
    else site.house(kind, kind === PARCEL.twoFamily ? 2 : 1)
  }
  const firstOffice = world.addresses.street.length
  for (let i = Math.ceil(households / 24) + 3; i > 0; i -= 1) site.offices(random.between(1, 3))
  const pastOffices = world.addresses.street.length
  for (let i = Math.ceil(households / 50) + 1; i > 0; i -= 1) site.house(PARCEL.vacant, 1)
  for (let i = Math.ceil(households / 200) + 1; i > 0; i -= 1) site.house(PARCEL.government, 1)
  return { firstHome, pastHomes: firstOffice, firstOffice, pastOffices }
}

class Site {
  private readonly world: World
  private readonly county: number
  private readonly random: Random
  private readonly street: () => number
  private serial = 0
  private condominiums = 0

  constructor(world: World, county: number, random: Random, street: () => number) {
    this.world = world
    this.county = county
    this.random = random
    this.street = street
  }

  /** Adds a parcel with `units` homes. */
  house(kind: number, units: number): void {
    const street = this.street()
    const number =
      kind === PARCEL.vacant && this.random.chance(0.5) ? 0 : nextNumber(this.world, street, this.random)
    // About one house number in 150 has a half or a letter.
    const fraction = units === 1 && this.random.chance(0.007) ? this.random.between(1, 2) : 0
    const isWhole = units === 1 || kind === PARCEL.twoFamily
    const first = this.address(street, number, fraction, isWhole ? 0 : this.unit(0))
    const parcel = this.parcel(kind, first, units)
    for (let unit = 1; unit < units; unit += 1) {
      this.address(street, number, fraction, this.unit(unit))
    }
    for (let unit = 0; unit < units; unit += 1) this.world.addresses.parcel.set(first + unit, parcel)
  }

  /** Adds a building in which every home is a parcel. */
  condominium(units: number): void {
    const street = this.street()
    const number = nextNumber(this.world, street, this.random)
    const year = this.year(PARCEL.condo)
    this.condominiums += 1
    for (let unit = 0; unit < units; unit += 1) {
      const address = this.address(street, number, 0, this.unit(unit))
      const parcel = this.parcel(PARCEL.condo, address, 1)
      this.world.parcels.yearBuilt.set(parcel, year)
      // A condominium has a block of its own; its units are lots from 1001 (the building is lot 7501).
      this.world.parcels.block.set(parcel, 20_000 + this.condominiums)
      this.world.parcels.lot.set(parcel, 1001 + unit)
      this.world.addresses.parcel.set(address, parcel)
    }
  }

  offices(suites: number): void {
    const street = this.street()
    const number = nextNumber(this.world, street, this.random)
    const first = this.address(street, number, 0, suites === 1 ? 0 : 100)
    const parcel = this.parcel(PARCEL.commercial, first, suites)
    for (let suite = 1; suite < suites; suite += 1) this.address(street, number, 0, 100 + suite * 10)
    for (let suite = 0; suite < suites; suite += 1) this.world.addresses.parcel.set(first + suite, parcel)
  }

  private unit(position: number): number {
    const floor = 1 + Math.floor(position / 4)
    const { state } = this.world.counties[this.county]!
    return state === 'NY' ? letteredUnit(floor, position % 4) : floor * 100 + 1 + (position % 4)
  }

  private address(street: number, number: number, fraction: number, unit: number): number {
    return addRow(this.world.addresses, { street, number, fraction, unit })
  }

  private parcel(kind: number, address: number, units: number): number {
    const { random, serial } = this
    this.serial += 1
    const isCondo = kind === PARCEL.condo
    const hasBuilding = kind !== PARCEL.vacant
    const perUnit = isCondo || kind === PARCEL.apartments ? random.between(45, 160) : random.between(90, 340)
    const living = hasBuilding ? perUnit * 10 * units : 0
    const land = isCondo ? 0 : Math.max(18, Math.round(random.between(20, 110) * (units > 3 ? 2 : 1))) * 100
    const price = PRICE[this.world.counties[this.county]!.style]
    const value = Math.round(((living || 700) * price * random.between(65, 150)) / 100_000) * 1000
    return addRow(this.world.parcels, {
      county: this.county,
      kind,
      address,
      serial,
      block: 10 + Math.floor(serial / 30),
      lot: 1 + (serial % 30),
      units,
      yearBuilt: hasBuilding ? this.year(kind) : 0,
      living,
      land,
      value,
    })
  }

  private year(kind: number): number {
    const { state } = this.world.counties[this.county]!
    if (state === 'NY')
      return kind === PARCEL.condo ? this.random.between(1962, 2022) : this.random.between(1899, 1999)
    return this.random.between(1948, 2024)
  }
}
