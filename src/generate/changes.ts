import { DAY_1, DAY_2, NEVER } from './calendar.ts'
import { addDeed, Neighbours, householdOwner } from './deeds.ts'
import type { PhoneBook } from './phones.ts'
import { Random, stream } from './random.ts'
import { DEED, OWNER, owner, ownerKind, type World } from './types.ts'

const CHANGES = stream('changes')

/** The last day whose deaths are in the list of day 1. The list of day 2 adds the deaths of the next 14 days. */
export const LISTED_DEATHS_UNTIL = DAY_1 - 15

/** Adds the changes between the two days: moves with their sales, other sales, deaths, new phone numbers. */
export function passNight(world: World, phones: PhoneBook): void {
  const random = new Random(world.seed)
  const neighbours = new Neighbours(world)
  const { households, people, parcels } = world
  for (let county = 0; county < world.counties.length; county += 1) {
    random.at(CHANGES, county)
    move(world, county, neighbours, random)
  }
  random.at(CHANGES, 1000)
  // About one parcel in 400 is sold to a buyer who does not move in.
  for (let parcel = random.int(200); parcel < parcels.kind.length; parcel += random.between(200, 600)) {
    if (ownerKind(parcels.owner.get(parcel)) !== OWNER.government)
      sellToInvestor(world, parcel, neighbours, random)
  }
  for (let person = random.int(200); person < people.sex.length; person += random.between(300, 900)) {
    const isOld = people.bornOn.get(person) < DAY_1 - 55 * 365
    if (isOld && people.diedOn.get(person) === NEVER)
      people.diedOn.set(person, LISTED_DEATHS_UNTIL + 1 + random.int(13))
  }
  for (let person = random.int(100); person < people.sex.length; person += random.between(100, 400)) {
    if (people.mobile.get(person) < 0) continue
    const county = world.counties[households.county.get(people.household.get(person))]!
    people.newMobile.set(person, phones.next(county, 'mobile'))
  }
}

/** Moves some households of a county in a ring, each into the home of the next. A home is sold when its owner lived in it. */
function move(world: World, county: number, neighbours: Neighbours, random: Random): void {
  const { households } = world
  let total = 0
  for (let row = 0; row < households.head.length; row += 1)
    if (households.county.get(row) === county) total += 1
  const wanted = Math.max(3, Math.round(total / 160))
  const movers = new Set<number>()
  for (let tries = 0; tries < wanted * 4 && movers.size < wanted; tries += 1) {
    const row = neighbours.householdIn(county, random)
    if (households.county.get(row) === county) movers.add(row)
  }
  if (movers.size < 2) return
  const ring = [...movers]
  ring.forEach((row, at) => {
    const next = ring[(at + 1) % ring.length]!
    households.newHome.set(row, households.home.get(next))
    const parcel = households.owned.get(next)
    if (parcel < 0 || world.parcels.laterDeed.get(parcel) >= 0) return
    const grantor = world.parcels.owner.get(parcel)
    const deed = addDeed(world, random, parcel, {
      kind: DEED.sale,
      day: DAY_2,
      grantor,
      grantee: householdOwner(world, row, random),
    })
    world.parcels.laterDeed.set(parcel, deed)
  })
}

function sellToInvestor(world: World, parcel: number, neighbours: Neighbours, random: Random): void {
  if (world.parcels.laterDeed.get(parcel) >= 0) return
  const county = world.parcels.county.get(parcel)
  const grantee = random.chance(0.5)
    ? owner(OWNER.business, neighbours.firmIn(county, random))
    : neighbours.anyone(county, random)
  const kind = random.chance(0.85) ? DEED.sale : DEED.quitclaim
  const deed = addDeed(world, random, parcel, {
    kind,
    day: DAY_2,
    grantor: world.parcels.owner.get(parcel),
    grantee,
  })
  world.parcels.laterDeed.set(parcel, deed)
}

/** Returns the address at which a person lives on a day, also for days before day 1. */
export function homeOn(world: World, person: number, day: number): number {
  const { people, households } = world
  if (day < DAY_1) {
    const second = people.home2.get(person)
    if (second >= 0 && day < people.home2Until.get(person)) return second
    const first = people.home1.get(person)
    if (first >= 0 && day < people.home1Until.get(person)) return first
  }
  const household = people.household.get(person)
  const moved = day >= DAY_2 ? households.newHome.get(household) : -1
  return moved >= 0 ? moved : households.home.get(household)
}

export function ownerOn(world: World, parcel: number, day: number): number {
  const later = day >= DAY_2 ? world.parcels.laterDeed.get(parcel) : -1
  return later >= 0 ? world.deeds.grantee.get(later) : world.parcels.owner.get(parcel)
}
