import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { nextAddress } from './kit/places.ts'
import { called, known, spelled } from './kit/spelling.ts'
import type { World, WorldRecord } from './kit/world.ts'

// Two registers, ten years apart, that list nobody twice; six people in ten stand in both. A fifth has moved, some women have married.
const IN_BOTH = 0.6
const SOURCES = ['register-2010', 'register-2020'] as const

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, sex, first, middle, last, birth, home } = census.person(dice, ENGLISH)
    const later = dice.chance(0.2) ? nextAddress(dice, home) : home
    const married = sex === 'F' && dice.chance(0.1) ? ENGLISH.surnames.draw(dice) : last
    const sources = dice.chance(IN_BOTH) ? SOURCES : [dice.pick(SOURCES)]
    yield sources.map((source) => {
      const { house_number, street_name, zip } = source === SOURCES[0] ? home : later
      return {
        truth: number,
        source,
        first_name: called(dice, ENGLISH, first, { nicknames: 0.03, typos: 0.02 }),
        middle_name: known(dice, middle[0]!, 0.8),
        last_name: spelled(dice, source === SOURCES[0] ? last : married, 0.02),
        birth_date: known(dice, writtenDate(dice.chance(0.02) ? mistypedDate(dice, birth) : birth), 0.9),
        house_number,
        street_name: spelled(dice, street_name, 0.03),
        zip,
      }
    })
  }
}

export const TWO_REGISTERS: World = {
  name: 'two-registers',
  setting: 'two registers that list nobody twice; a fifth of the people have moved, some have married',
  records: 20_000,
  repeats: IN_BOTH / (1 + IN_BOTH),
  duplicateFree: SOURCES,
  columns: [
    ['first_name'],
    ['middle_name'],
    ['last_name'],
    ['birth_date'],
    ['house_number', 'street_name'],
    ['zip'],
  ],
  people,
}
