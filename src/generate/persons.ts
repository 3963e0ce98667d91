import { DAY_1 } from './calendar.ts'
import { maybeMistyped, RATES } from './errors.ts'
import { nicknameOf, plain, spelled, SUFFIXES } from './names.ts'
import { mix, type Random, stream } from './random.ts'
import type { World } from './types.ts'

/** The parts of a name on a day, in upper case. */
export interface NameParts {
  first: string
  /** The whole middle name, or an initial. */
  middle: string
  last: string
  suffix: string
}

/** Returns a person's legal name on a day. Before the wedding it has the maiden name. */
export function trueName(world: World, person: number, day: number): NameParts {
  const { people, names } = world
  const middle = people.middle.get(person)
  const sex = people.sex.get(person)
  const middleName = middle < 0 ? '' : names.first[sex]!.value(middle >> 1)
  return {
    first: spelled(names.first[sex]!.value(people.first.get(person))),
    middle: middle >= 0 && middle % 2 === 1 ? middleName[0]! : middleName,
    last: lastName(world, person, day),
    suffix: SUFFIXES[people.suffix.get(person)]!,
  }
}

function lastName(world: World, person: number, day: number): string {
  const { people, names } = world
  const maiden = people.maiden.get(person)
  if (maiden >= 0 && day < people.marriedOn.get(person)) return spelled(names.surnames.value(maiden))
  const last = spelled(names.surnames.value(people.last.get(person)))
  const second = people.secondLast.get(person)
  if (second < 0) return last
  // A second surname by marriage follows a hyphen. Others follow a hyphen or a space.
  return `${last}${maiden >= 0 || person % 2 === 0 ? '-' : ' '}${spelled(names.surnames.value(second))}`
}

export function maidenName(world: World, person: number): string {
  const maiden = world.people.maiden.get(person)
  return maiden < 0 ? '' : spelled(world.names.surnames.value(maiden))
}

const WELL_KNOWN = stream('well known')

/** Returns whether a person is in every list, with more phone numbers and e-mail addresses than others. One in fourteen is. */
export function isWellKnown(person: number): boolean {
  return mix(WELL_KNOWN, person, 1) % 14 === 0
}

/** The way in which a source writes names. */
export interface NameHabits {
  /** Some records have nicknames and maiden names: people fill in the list themselves. */
  readonly casual: boolean
  /** Names keep accents and apostrophes. */
  readonly marks: boolean
}

/** Returns a name as a source writes it, with the faults of `RATES`. */
export function writtenName(
  world: World,
  person: number,
  day: number,
  habits: NameHabits,
  random: Random,
): NameParts {
  const outdated = habits.casual && random.chance(RATES.maidenName)
  const parts = trueName(world, person, outdated ? world.people.marriedOn.get(person) - 1 : day)
  if (habits.casual && random.chance(RATES.nickname)) parts.first = nicknameOf(parts.first, random)
  const middle = random.next()
  if (middle < RATES.noMiddle) parts.middle = ''
  else if (middle < RATES.noMiddle + RATES.middleInitial) parts.middle = parts.middle.slice(0, 1)
  if (random.chance(RATES.lostSuffix)) parts.suffix = ''
  parts.first = maybeMistyped(parts.first, random)
  parts.last = maybeMistyped(parts.last, random)
  return habits.marks ? parts : unmarked(parts, random)
}

function unmarked(parts: NameParts, random: Random): NameParts {
  // Half of the records drop an apostrophe; the others have a space for it.
  const last = random.chance(0.5) ? parts.last.replaceAll("'", '') : parts.last.replaceAll("'", ' ')
  return {
    first: plain(parts.first),
    middle: plain(parts.middle),
    last: plain(
      random.chance(0.3)
        ? last.replace(/^(DE LA|DEL|DE|VAN|LA|ST) /, (particle) => particle.replaceAll(' ', ''))
        : last,
    ),
    suffix: parts.suffix,
  }
}

/** Returns the name, sometimes with first and last name swapped, as in files with a field for each. */
export function maybeSwapped(parts: NameParts, random: Random): NameParts {
  if (!random.chance(RATES.swappedNames)) return parts
  return { ...parts, first: parts.last, last: parts.first }
}

/** Returns `JOHN ALLEN SMITH JR`. */
export function givenFirst(parts: NameParts): string {
  return joined([parts.first, parts.middle, parts.last, parts.suffix])
}

/** Returns `SMITH JOHN ALLEN JR`. */
export function surnameFirst(parts: NameParts): string {
  return joined([parts.last, parts.first, parts.middle, parts.suffix])
}

/** Returns `SMITH, JOHN ALLEN JR`. */
export function withComma(parts: NameParts): string {
  return `${parts.last}, ${joined([parts.first, parts.middle, parts.suffix])}`
}

export function joined(words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ')
}

export function ageOnDayOne(world: World, person: number): number {
  return Math.floor((DAY_1 - world.people.bornOn.get(person)) / 365.25)
}
