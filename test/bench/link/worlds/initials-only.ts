import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { COMMON_TRADES } from './kit/jobs.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Lists of authors and shareholders: J B SMITH, his firm and his city.
const REPEATS = 0.45

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, middle, last, birth, home } = census.person(dice, ENGLISH)
    const firms = [firm(dice), firm(dice)]
    const hasMiddle = dice.chance(0.75)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      const isFull = dice.chance(0.3)
      return {
        truth: number,
        first_name: isFull ? called(dice, ENGLISH, first, { nicknames: 0.05, typos: 0.03 }) : first[0]!,
        middle_name: hasMiddle ? known(dice, isFull && dice.chance(0.3) ? middle : middle[0]!, 0.7) : '',
        last_name: spelled(dice, last, 0.03),
        birth_date: known(dice, String(birth.year), 0.4),
        employer: known(dice, dice.chance(0.8) ? firms[0]! : firms[1]!, 0.8),
        city: known(dice, home.city, 0.9),
      }
    })
  }
}

function firm(dice: Dice): string {
  const owner = ENGLISH.surnames.draw(dice)
  return `${owner} ${dice.pick(COMMON_TRADES)}${dice.pick([' CO', ' LLC', ' & SONS', ' GROUP', ' INC'])}`
}

export const INITIALS_ONLY: World = {
  name: 'initials-only',
  setting: 'seven first names in ten are initials; years of birth, employers, cities',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['middle_name'], ['last_name'], ['birth_date'], ['employer'], ['city']],
  people,
}
