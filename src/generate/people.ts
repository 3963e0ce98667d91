import { DAY_1, dayNumber, NEVER } from './calendar.ts'
import { addRow } from './columns.ts'
import { Random, stream, Weighted } from './random.ts'
import type { World } from './types.ts'
import { wordList, wordValues } from './words.ts'

const HOUSEHOLDS = stream('households')
const YEAR = 365.25

/** Relative frequencies of the ages 20, 25, … 95 of heads of households. */
const AGES = [3, 6, 8, 9, 9, 9, 9, 9, 9, 8, 7, 6, 4, 3, 1.5, 0.5]
const headAges = new Weighted(
  AGES.map((_, step) => 20 + step * 5),
  AGES,
)

export const JOBS = wordList('job')

/** The taxonomy code of each job whose holders may be in the national provider list. */
export const HEALTH_JOBS: ReadonlyMap<string, string> = new Map(
  [...wordValues('job')].filter(([, health]) => health !== ''),
)

interface Draft {
  sex: number
  age: number
  last: number
  secondLast: number
  maiden: number
  marriedOn: number
  first: number
  suffix: number
  bornOn: number
}

/** Adds `count` people in households and returns the number of households of each county. */
export function buildPeople(world: World, count: number): number[] {
  const weights = world.counties.map((county) => county.weight)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let left = count
  return world.counties.map((_, county) => {
    const isLast = county === world.counties.length - 1
    const share = isLast ? left : Math.floor((count * weights[county]!) / total)
    left -= share
    return peopleOfCounty(world, county, share)
  })
}

function peopleOfCounty(world: World, county: number, count: number): number {
  const random = new Random(world.seed)
  let made = 0
  let households = 0
  while (made < count) {
    random.at(HOUSEHOLDS, county * 16_777_216 + households)
    const added = addHousehold(world, county, count - made, random)
    made += added
    households += 1
  }
  return households
}

/** Adds a household of at most `most` people and returns its size. */
function addHousehold(world: World, county: number, most: number, random: Random): number {
  const drafts = household(world, random).slice(0, most)
  const couple = drafts.length > 1 && drafts[1]!.marriedOn !== NEVER ? 1 : 0
  const row = addRow(world.households, { county, head: world.people.sex.length, size: drafts.length, couple })
  for (const member of drafts) addPerson(world, row, member, random)
  return drafts.length
}

function household(world: World, random: Random): Draft[] {
  const kind = random.next()
  const age = Math.min(96, headAges.draw(random) + random.int(5))
  const head = draft(world, random.chance(0.56) ? 1 : 0, age, random)
  if (kind < 0.33) return [head]
  if (kind < 0.39) return [head, ...flatmates(world, age, random)]
  if (kind < 0.47) return [head, ...children(world, head, 1, random)]
  const spouse = draft(world, random.chance(0.97) ? 1 - head.sex : head.sex, ageNear(age, random), random)
  marry(head, spouse, random)
  const father = head.sex === 1 ? head : spouse
  const hasChildren = age > 43 && kind > 0.78
  return hasChildren
    ? [head, spouse, ...children(world, father, random.between(1, 3), random)]
    : [head, spouse]
}

function draft(world: World, sex: number, age: number, random: Random): Draft {
  const { surnames, first } = world.names
  return {
    sex,
    age,
    last: surnames.drawIndex(random),
    secondLast: random.chance(0.02) ? surnames.drawIndex(random) : -1,
    maiden: -1,
    marriedOn: NEVER,
    first: first[sex]!.drawIndex(random),
    suffix: sex === 1 && random.chance(0.035) ? random.pick([1, 1, 1, 1, 3, 4, 4, 5]) : 0,
    bornOn: birthDay(age, random),
  }
}

/** Draws a birth date of a person who is `age` years old on day 1. */
function birthDay(age: number, random: Random): number {
  const latest = dayNumber(2026 - age, 1, 4)
  return latest - random.int(365)
}

function ageNear(age: number, random: Random): number {
  return Math.min(97, Math.max(20, age + random.between(-6, 5)))
}

function marry(head: Draft, spouse: Draft, random: Random): void {
  const adult = Math.max(head.bornOn, spouse.bornOn) + Math.round(21 * YEAR)
  const wedding = Math.min(DAY_1 - 200, adult + random.int(Math.max(1, Math.min(DAY_1 - adult, 5000))))
  head.marriedOn = wedding
  spouse.marriedOn = wedding
  const wife = head.sex === 0 ? head : spouse
  const husband = wife === head ? spouse : head
  const choice = random.next()
  if (choice < 0.74) {
    wife.maiden = wife.last
    wife.last = husband.last
    wife.secondLast = husband.secondLast
  } else if (choice < 0.8) {
    wife.maiden = wife.last
    wife.secondLast = husband.last
  }
}

function flatmates(world: World, age: number, random: Random): Draft[] {
  return Array.from({ length: random.between(1, 2) }, () =>
    draft(world, random.int(2), ageNear(Math.min(age, 60), random), random),
  )
}

function children(world: World, parent: Draft, count: number, random: Random): Draft[] {
  const made: Draft[] = []
  for (let i = 0; i < count; i += 1) {
    const age = Math.max(18, Math.min(parent.age - 20, random.between(18, 32)))
    const child = draft(world, random.int(2), age, random)
    child.last = parent.sex === 0 && parent.maiden >= 0 ? parent.maiden : parent.last
    child.secondLast = parent.secondLast
    child.suffix = 0
    const twin = made[0]
    if (twin !== undefined && random.chance(0.06)) child.bornOn = twin.bornOn
    else if (i === 0 && child.sex === 1 && parent.sex === 1 && random.chance(0.14)) {
      // A son with the name of his father is Jr, and the father is sometimes Sr.
      child.first = parent.first
      child.suffix = 1
      parent.suffix = random.chance(0.45) ? 2 : 0
    }
    made.push(child)
  }
  return made
}

function addPerson(world: World, householdRow: number, { age, ...member }: Draft, random: Random): void {
  const middleKind = random.next()
  const middle = world.names.first[member.sex]!.drawIndex(random)
  addRow(world.people, {
    ...member,
    middle: middleKind < 0.16 ? -1 : middle * 2 + (middleKind < 0.3 ? 1 : 0),
    diedOn: random.chance(deathShare(age)) ? DAY_1 - 20 - random.int(2200) : NEVER,
    household: householdRow,
  })
}

function deathShare(age: number): number {
  if (age > 84) return 0.14
  if (age > 74) return 0.05
  return age > 60 ? 0.015 : 0.004
}
