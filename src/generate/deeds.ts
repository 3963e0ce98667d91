import { BANK_COUNT, BODIES_PER_COUNTY } from './businesses.ts'
import { DAY_1, dayNumber, NEVER, workingDay, yearOf } from './calendar.ts'
import { addRow } from './columns.ts'
import { RATES } from './errors.ts'
import { livesInOwn } from './lives.ts'
import { Random, stream } from './random.ts'
import { BUSINESS, DEED, OWNER, owner, ownerKind, ownerRow, PARCEL, type World } from './types.ts'

const DEEDS = stream('deeds')
const OLDEST = dayNumber(1968, 1, 2)

/** A deed over several parcels: the next `left` suitable parcels of the county belong to it too. */
interface Bulk {
  deed: number
  county: number
  left: number
}

/** Gives each parcel its owner of day 1 and the deeds by which the owner got it. */
export function recordDeeds(world: World, leavers: Int32Array): void {
  const recorder = new Recorder(world, leavers)
  for (let parcel = 0; parcel < world.parcels.kind.length; parcel += 1) recorder.parcel(parcel)
}

class Recorder {
  private readonly world: World
  private readonly leavers: Int32Array
  private readonly random: Random
  private readonly people: Neighbours
  private bulk: Bulk | null = null

  constructor(world: World, leavers: Int32Array) {
    this.world = world
    this.leavers = leavers
    this.random = new Random(world.seed)
    this.people = new Neighbours(world)
  }

  parcel(parcel: number): void {
    const { world, random } = this
    random.at(DEEDS, parcel)
    const { parcels, deeds, households } = world
    parcels.firstDeed.set(parcel, deeds.parcel.length)
    const household = parcels.household.get(parcel)
    if (livesInOwn(world, parcel, random)) {
      households.owned.set(household, parcel)
      this.chain(
        parcel,
        householdOwner(world, household, random),
        households.movedIn.get(household) - random.int(40),
      )
    } else if (!this.joinsBulk(parcel)) {
      const fresh = random.chance(0.012)
      const bought = fresh ? DAY_1 : DAY_1 - 5 - Math.floor(random.next() * random.next() * 9500)
      this.chain(parcel, this.investor(parcel), bought)
    }
    parcels.deedCount.set(parcel, deeds.parcel.length - parcels.firstDeed.get(parcel))
  }

  /** Adds the deeds of a parcel, oldest first, until the owner `last` has it. */
  private chain(parcel: number, last: number, boughtOn: number): void {
    const { random, world } = this
    const kind = ownerKind(last)
    if (kind === OWNER.government && random.chance(0.7)) {
      world.parcels.owner.set(parcel, last)
      return
    }
    const bought = Math.max(OLDEST, workingDay(boughtOn))
    const seller = this.seller(parcel, bought)
    if (bought > OLDEST + 4000 && random.chance(0.55)) {
      const earlier = workingDay(bought - 600 - random.int(3200))
      addDeed(world, random, parcel, {
        kind: DEED.sale,
        day: earlier,
        grantor: this.builderOr(parcel, earlier),
        grantee: seller,
      })
    }
    const buyer = buyerBehind(last)
    const isForeclosed = ownerKind(seller) === OWNER.business && ownerRow(seller) < BANK_COUNT
    let deedKind: number = DEED.sale
    if (isForeclosed && random.chance(0.4)) deedKind = DEED.foreclosure
    else if (random.chance(0.05)) deedKind = DEED.quitclaim
    else if (ownerKind(seller) === OWNER.estate) deedKind = DEED.estate
    const sale = addDeed(world, random, parcel, {
      kind: deedKind,
      day: bought,
      grantor: seller,
      grantee: buyer,
    })
    if (deedKind === DEED.sale) this.maybeBulk(parcel, sale)
    const correctedOn = bought + 20 + random.int(60)
    if (random.chance(0.02) && correctedOn < DAY_1) {
      const day = workingDay(correctedOn)
      addDeed(world, random, parcel, {
        kind: DEED.correction,
        day,
        grantor: seller,
        grantee: buyer,
        corrects: sale,
      })
    }
    if (buyer !== last && bought < DAY_1 - 300) {
      const day = workingDay(bought + 60 + random.int(DAY_1 - bought - 120))
      const nominal = kind === OWNER.lifeEstate ? DEED.lifeEstate : DEED.trust
      addDeed(world, random, parcel, {
        kind: kind === OWNER.estate ? DEED.estate : nominal,
        day,
        grantor: buyer,
        grantee: last,
      })
    }
    const { deeds } = world
    world.parcels.owner.set(parcel, deeds.grantee.get(deeds.grantee.length - 1))
  }

  private joinsBulk(parcel: number): boolean {
    const { bulk, world } = this
    if (bulk === null || bulk.county !== world.parcels.county.get(parcel)) return false
    if (ownerKind(world.deeds.grantee.get(bulk.deed)) === OWNER.government) return false
    world.parcels.sharedDeed.set(parcel, bulk.deed)
    world.parcels.owner.set(parcel, world.deeds.grantee.get(bulk.deed))
    world.deeds.parcels.set(bulk.deed, world.deeds.parcels.get(bulk.deed) + 1)
    bulk.left -= 1
    if (bulk.left === 0) this.bulk = null
    return true
  }

  private maybeBulk(parcel: number, deed: number): void {
    const { world, random } = this
    const recorded = world.deeds.recordedOn.get(deed)
    const isResident = world.households.owned.get(Math.max(0, world.parcels.household.get(parcel))) === parcel
    if (isResident || this.bulk !== null || !random.chance(0.05)) return
    if (ownerKind(world.deeds.grantee.get(deed)) === OWNER.government || recorded < DAY_1 - 3000) return
    this.bulk = { deed, county: world.parcels.county.get(parcel), left: random.between(1, 5) }
    world.deeds.price.set(deed, world.deeds.price.get(deed) * (1 + this.bulk.left))
  }

  private seller(parcel: number, day: number): number {
    const { world, random } = this
    const leaver = this.leavers[world.parcels.address.get(parcel)]!
    if (leaver >= 0 && leaver !== world.parcels.household.get(parcel) && random.chance(0.75)) {
      return this.people.ownerOf(leaver, random)
    }
    if (world.parcels.yearBuilt.get(parcel) >= yearOf(day) - 1) return this.builderOr(parcel, day)
    if (random.chance(0.04)) return owner(OWNER.business, random.int(BANK_COUNT))
    return random.chance(0.7)
      ? this.people.anyone(world.parcels.county.get(parcel), random)
      : this.firm(parcel)
  }

  private builderOr(parcel: number, day: number): number {
    const { world, random } = this
    const isNew = Math.abs(world.parcels.yearBuilt.get(parcel) - yearOf(day)) < 3
    return isNew || random.chance(0.3)
      ? this.firm(parcel)
      : this.people.anyone(world.parcels.county.get(parcel), random)
  }

  private firm(parcel: number): number {
    return owner(OWNER.business, this.people.firmIn(this.world.parcels.county.get(parcel), this.random))
  }

  private investor(parcel: number): number {
    const { world, random } = this
    const county = world.parcels.county.get(parcel)
    const kind = world.parcels.kind.get(parcel)
    if (kind === PARCEL.government || (kind === PARCEL.vacant && random.chance(0.15))) {
      return owner(OWNER.government, county * BODIES_PER_COUNTY + random.int(BODIES_PER_COUNTY))
    }
    const firms = kind === PARCEL.commercial || kind === PARCEL.apartments ? 0.8 : 0.34
    if (random.chance(firms)) return this.firm(parcel)
    if (random.chance(0.3)) return this.people.landlord(county, random)
    return random.chance(0.03)
      ? owner(OWNER.business, random.int(BANK_COUNT))
      : this.people.anyone(county, random)
  }
}

/** Draws people and firms of a county as buyers and sellers. */
export class Neighbours {
  private readonly world: World
  private readonly firstHousehold: Int32Array
  private readonly firms: readonly number[][]

  constructor(world: World) {
    this.world = world
    const { households, businesses } = world
    this.firstHousehold = new Int32Array(world.counties.length + 1).fill(households.head.length)
    for (let row = households.head.length - 1; row >= 0; row -= 1)
      this.firstHousehold[households.county.get(row)] = row
    // A county without households has the range of the next county, of length 0.
    for (let county = world.counties.length - 1; county >= 0; county -= 1) {
      this.firstHousehold[county] = Math.min(this.firstHousehold[county]!, this.firstHousehold[county + 1]!)
    }
    const firms: number[][] = world.counties.map(() => [])
    for (let row = BANK_COUNT; row < businesses.kind.length; row += 1) {
      const kind = businesses.kind.get(row)
      if (kind !== BUSINESS.medical && kind !== BUSINESS.hospital)
        firms[businesses.county.get(row)]!.push(row)
    }
    this.firms = firms
  }

  firmIn(county: number, random: Random): number {
    return random.pick(this.firms[county]!)
  }

  householdIn(county: number, random: Random): number {
    const first = this.firstHousehold[county]!
    const count = this.firstHousehold[county + 1]! - first
    return count > 0 ? first + random.int(count) : random.int(this.world.households.head.length)
  }

  /** Draws a landlord: one of the first households of the county, 1 in 80, which own many homes each. */
  landlord(county: number, random: Random): number {
    const first = this.firstHousehold[county]!
    const count = this.firstHousehold[county + 1]! - first
    if (count === 0) return this.anyone(county, random)
    return this.ownerOf(first + random.int(Math.ceil(count / 80)), random)
  }

  /** Draws a household as owner: mostly of the county, one time in ten of another county. */
  anyone(county: number, random: Random): number {
    const from = random.chance(0.1) ? random.int(this.world.counties.length) : county
    return this.ownerOf(this.householdIn(from, random), random)
  }

  ownerOf(household: number, random: Random): number {
    return householdOwner(this.world, household, random)
  }
}

/** Returns the owner when a household owns something: the couple, the person, their trust, or the estate of a dead person. */
export function householdOwner(world: World, household: number, random: Random): number {
  const { households, people } = world
  const head = households.head.get(household)
  const kind = random.next()
  if (people.diedOn.get(head) !== NEVER && households.couple.get(household) === 0) {
    return owner(kind < 0.6 ? OWNER.estate : OWNER.person, head)
  }
  if (kind < 0.05) return owner(OWNER.trustee, head)
  if (kind < 0.085) return owner(OWNER.namedTrust, head)
  if (kind < 0.115) return owner(OWNER.familyTrust, head)
  if (kind < 0.14 && people.bornOn.get(head) < dayNumber(1960, 1, 1)) return owner(OWNER.lifeEstate, head)
  if (households.couple.get(household) === 1) return owner(kind < 0.9 ? OWNER.couple : OWNER.person, head)
  const hasChild = households.size.get(household) > 1 && kind > 0.85
  return owner(hasChild ? OWNER.parentAndChild : OWNER.person, head)
}

/** Returns the buyer on the deed of purchase: the people behind a trust, a life estate or an estate. */
function buyerBehind(code: number): number {
  const kind = ownerKind(code)
  const later = kind === OWNER.trustee || kind === OWNER.namedTrust || kind === OWNER.familyTrust
  if (!later && kind !== OWNER.estate && kind !== OWNER.lifeEstate) return code
  return owner(OWNER.person, ownerRow(code))
}

interface NewDeed {
  readonly kind: number
  readonly day: number
  readonly grantor: number
  readonly grantee: number
  /** The deed that this one corrects. */
  readonly corrects?: number
}

export function addDeed(world: World, random: Random, parcel: number, { day, ...rest }: NewDeed): number {
  const { kind, grantee } = rest
  const hasPrice = kind === DEED.sale || kind === DEED.foreclosure
  const price = hasPrice ? salePrice(world, random, parcel, day) : nominalPrice(random)
  const isFinanced =
    kind === DEED.sale && price > 20_000 && random.chance(ownerKind(grantee) === OWNER.business ? 0.3 : 0.62)
  const mortgage = isFinanced ? Math.round((price * random.between(60, 95)) / 100_000) * 1000 : 0
  const satisfied = day + 700 + random.int(5200)
  return addRow(world.deeds, {
    parcel,
    parcels: 1,
    recordedOn: day,
    signedOn: day - (random.chance(0.08) ? random.between(60, 400) : random.between(1, 21)),
    price,
    ...rest,
    mortgage,
    lender: isFinanced ? random.int(BANK_COUNT) : -1,
    satisfiedOn: isFinanced && satisfied < DAY_1 && random.chance(0.6) ? workingDay(satisfied) : NEVER,
  })
}

function salePrice(world: World, random: Random, parcel: number, day: number): number {
  if (random.chance(RATES.nominalPrice)) return nominalPrice(random)
  const then = Math.max(10, 100 - Math.round((2026 - yearOf(day)) * 3.2))
  return (
    Math.max(1, Math.round((world.parcels.value.get(parcel) * then * random.between(88, 112)) / 5_000_000)) *
    500
  )
}

function nominalPrice(random: Random): number {
  return random.pick([0, 0, 0, 10, 10, 100, 100, 100])
}

/** Numbers the deeds of every county in the order of recording. This is the last step of a world. */
export function rankDeeds(world: World): void {
  const { deeds, parcels } = world
  const rows: number[][] = world.counties.map(() => [])
  for (let deed = 0; deed < deeds.parcel.length; deed += 1)
    rows[parcels.county.get(deeds.parcel.get(deed))]!.push(deed)
  world.deedsInOrder = rows.map((list) =>
    Int32Array.from(list).sort(
      (left, right) => deeds.recordedOn.get(left) - deeds.recordedOn.get(right) || left - right,
    ),
  )
  for (const order of world.deedsInOrder) order.forEach((deed, rank) => deeds.rank.set(deed, rank))
}
