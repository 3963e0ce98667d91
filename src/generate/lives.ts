import { DAY_1, NEVER, yearOf } from './calendar.ts'
import type { Ground } from './parcels.ts'
import type { PhoneBook } from './phones.ts'
import { HEALTH_JOBS, JOBS } from './people.ts'
import { isWellKnown } from './persons.ts'
import { Random, stream } from './random.ts'
import { BUSINESS, PARCEL, type World } from './types.ts'

const HOMES = stream('homes')
const PHONES = stream('phones')
const WORK = stream('work')
const CITY_HOPPERS = 0.22

/** Gives every household its home and its former homes. Returns for each address the household that left it last, or -1. */
export function settle(world: World, grounds: readonly Ground[]): Int32Array {
  const random = new Random(world.seed)
  const { households, parcels, addresses } = world
  const cursor = grounds.map((ground) => ground.firstHome)
  const unhoused = world.counties.map(() => 0)
  for (let row = 0; row < households.head.length; row += 1) unhoused[households.county.get(row)]! += 1
  const leavers = new Int32Array(addresses.street.length).fill(-1)
  for (let row = 0; row < households.head.length; row += 1) {
    const county = households.county.get(row)
    random.at(HOMES, row)
    // About one home in 25 is empty.
    const empty = grounds[county]!.pastHomes - cursor[county]! - unhoused[county]!
    if (empty > 0 && random.chance(0.03)) cursor[county]! += 1
    const home = cursor[county]!
    cursor[county] = home + 1
    unhoused[county]! -= 1
    households.home.set(row, home)
    const parcel = addresses.parcel.get(home)
    if (parcels.household.get(parcel) < 0) parcels.household.set(parcel, row)
    formerHomes(world, row, grounds, leavers, random)
  }
  return leavers
}

function formerHomes(
  world: World,
  row: number,
  grounds: readonly Ground[],
  leavers: Int32Array,
  random: Random,
): void {
  const { households, people } = world
  const head = households.head.get(row)
  const adultSince = people.bornOn.get(head) + 19 * 365
  const reach = Math.max(300, Math.min(DAY_1 - adultSince, 12_000))
  // The product of two random numbers is small more often than large, so most moves are recent.
  const movedIn = DAY_1 - 30 - Math.floor(random.next() * random.next() * reach)
  households.movedIn.set(row, movedIn)
  const hasFormer = random.chance(0.62)
  const hasEarlier = random.chance(0.3)
  const common = hasFormer ? anyHome(world, households.county.get(row), grounds, random) : -1
  for (let member = 0; member < households.size.get(row); member += 1) {
    const person = head + member
    // A spouse who married after the move comes from another home.
    const isJoiner =
      member === 1 && households.couple.get(row) === 1 && people.marriedOn.get(person) > movedIn
    const left = isJoiner ? people.marriedOn.get(person) - random.int(90) : movedIn
    const former = isJoiner ? anyHome(world, households.county.get(row), grounds, random) : common
    if (former < 0) continue
    people.home1.set(person, former)
    people.home1Until.set(person, left)
    leavers[former] = member === 0 ? row : leavers[former]!
    if (hasEarlier) {
      people.home2.set(person, anyHome(world, households.county.get(row), grounds, random))
      people.home2Until.set(person, left - 400 - random.int(2500))
    }
  }
}

function anyHome(world: World, county: number, grounds: readonly Ground[], random: Random): number {
  const from = random.chance(CITY_HOPPERS) ? random.int(world.counties.length) : county
  const { firstHome, pastHomes } = grounds[from]!
  return firstHome + random.int(pastHomes - firstHome)
}

/** Hands out mobile numbers and landlines. Some mobile numbers were given up by other people. */
export function connect(world: World, phones: PhoneBook): void {
  const random = new Random(world.seed)
  const { households, people } = world
  const givenUp: number[][] = world.counties.map(() => [])
  for (let row = 0; row < households.head.length; row += 1) {
    const countyRow = households.county.get(row)
    const county = world.counties[countyRow]!
    const head = households.head.get(row)
    random.at(PHONES, row)
    const age = (DAY_1 - people.bornOn.get(head)) / 365
    if (random.chance(age > 60 ? 0.6 : 0.22)) {
      households.landline.set(row, phones.next(county, random.chance(0.15) ? 'voip' : 'landline'))
    }
    for (let person = head; person < head + households.size.get(row); person += 1) {
      if (!random.chance(0.88)) continue
      const pool = givenUp[countyRow]!
      // Every tenth number belonged to another person until a few years ago.
      const taken = pool.length > 20 && random.chance(0.1)
      people.mobile.set(
        person,
        taken ? pool.splice(random.int(pool.length), 1)[0]! : phones.next(county, 'mobile'),
      )
      const isKnown = isWellKnown(person)
      if (random.chance(0.07) || isKnown) people.secondMobile.set(person, phones.next(county, 'mobile'))
      if (!random.chance(0.22) && !isKnown) continue
      const old = phones.next(county, 'mobile')
      people.oldMobile.set(person, old)
      people.oldMobileUntil.set(person, DAY_1 - 400 - random.int(2600))
      if (random.chance(0.5)) pool.push(old)
    }
  }
}

/** Gives six in ten people up to the age of 72 a job in a business. The first employee is the official of the business. */
export function employ(world: World): void {
  const random = new Random(world.seed)
  const { people, households, businesses } = world
  const byCounty: number[][] = world.counties.map(() => [])
  const health: number[][] = world.counties.map(() => [])
  for (let row = 0; row < businesses.kind.length; row += 1) {
    const kind = businesses.kind.get(row)
    const county = businesses.county.get(row)
    if (kind !== BUSINESS.addressLlc) byCounty[county]!.push(row)
    if (kind === BUSINESS.medical || kind === BUSINESS.hospital) health[county]!.push(row)
  }
  for (let person = 0; person < people.sex.length; person += 1) {
    random.at(WORK, person)
    const age = 2026 - yearOf(people.bornOn.get(person))
    if (people.diedOn.get(person) !== NEVER || age > 72 || !random.chance(0.62)) continue
    const county = households.county.get(people.household.get(person))
    const job = random.int(JOBS.length)
    const places =
      HEALTH_JOBS.has(JOBS[job]!) && health[county]!.length > 0 ? health[county]! : byCounty[county]!
    const employer = random.pick(places)
    people.job.set(person, job)
    people.employer.set(person, employer)
    if (businesses.person.get(employer) < 0) businesses.person.set(employer, person)
  }
}

/** Returns whether the household that lives on a parcel owns it. */
export function livesInOwn(world: World, parcel: number, random: Random): boolean {
  const kind = world.parcels.kind.get(parcel)
  if (world.parcels.household.get(parcel) < 0) return false
  if (kind === PARCEL.singleFamily || kind === PARCEL.townhouse) return random.chance(0.76)
  if (kind === PARCEL.condo) return random.chance(0.52)
  if (kind === PARCEL.mobileHome) return random.chance(0.7)
  return kind === PARCEL.twoFamily && random.chance(0.55)
}
