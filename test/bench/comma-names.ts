import { loadNames } from '../../src/generate/names.ts'
import { Random, stream, type Weighted } from '../../src/generate/random.ts'
import { firstNameFrequency, organisationWords } from '../../src/normalize/name-words.ts'

/** How rare the given name is: drawn by frequency, below 2 of 100,000 people, or in no list. */
export const GIVEN_KINDS = ['common', 'rare', 'uncounted'] as const

/** An invented person as rolls write them. */
export interface CommaName {
  text: string
  given: (typeof GIVEN_KINDS)[number]
}

/**
 * Returns `count` invented people written SURNAME,GIVEN; one seed gives the same people on every machine. Of ten
 * surnames eight are drawn by frequency, one evenly from the Census, and one is in no list. The kinds of given names take
 * turns. Half of the people have a middle initial and one of twenty a generation.
 */
export function commaNames(count: number, seed: number): CommaName[] {
  const { surnames, first } = loadNames()
  const given = first.flatMap((names) => valuesOf(names))
  const rare = given.filter((name) => firstNameFrequency(name) < 2)
  const family = valuesOf(surnames)
  const known = new Set([...given, ...family, ...organisationWords()])
  const givenLetters = lettersBehind(given)
  const familyLetters = lettersBehind(family.filter((_, i) => i % 10 === 0))
  const people = stream('comma names')
  return Array.from({ length: count }, (_, i) => {
    const random = new Random(seed).at(people, i)
    const kind = GIVEN_KINDS[i % GIVEN_KINDS.length]!
    const dice = random.int(10)
    const surname =
      dice < 8
        ? surnames.draw(random)
        : dice === 8
          ? random.pick(family)
          : uncountedName(familyLetters, known, random)
    const name =
      kind === 'common'
        ? first[random.int(2)]!.draw(random)
        : kind === 'rare'
          ? random.pick(rare)
          : uncountedName(givenLetters, known, random)
    const initial = random.chance(0.5) ? ` ${random.pick(INITIALS)}` : ''
    const generation = random.chance(0.05) ? ` ${random.pick(GENERATIONS)}` : ''
    return { text: `${surname},${name}${initial}${generation}`, given: kind }
  })
}

const INITIALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
const GENERATIONS = ['JR', 'SR', 'II', 'III']

function valuesOf(names: Weighted<string>): string[] {
  return Array.from({ length: names.length }, (_, i) => names.value(i))
}

/** The letters that follow each two letters of the names; '$' ends a name. */
function lettersBehind(names: string[]): Map<string, string[]> {
  const behind = new Map<string, string[]>()
  for (const name of names)
    for (let i = 0; i <= name.length; i++) {
      const pair = `^^${name}`.slice(i, i + 2)
      const letters = behind.get(pair) ?? []
      letters.push(name[i] ?? '$')
      behind.set(pair, letters)
    }
  return behind
}

function uncountedName(letters: Map<string, string[]>, known: Set<string>, random: Random): string {
  for (;;) {
    let name = ''
    for (let next = ''; next !== '$'; name += next === '$' ? '' : next)
      next = random.pick(letters.get(`^^${name}`.slice(-2))!)
    if (name.length > 3 && name.length < 10 && !known.has(name)) return name
  }
}
