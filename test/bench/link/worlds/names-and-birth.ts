import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { mistyped } from './kit/typos.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Registers of candidates or members: three columns and nothing else.
const REPEATS = 0.45

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const person = census.person(dice, ENGLISH)
    const { first, last, birth } = person
    const short = ENGLISH.nicknames[first]
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: person.number,
      first_name:
        short !== undefined && dice.chance(0.08)
          ? dice.pick(short)
          : dice.chance(0.04)
            ? mistyped(dice, first)
            : first,
      last_name: dice.chance(0.04) ? mistyped(dice, last) : last,
      birth_date: writtenDate(dice.chance(0.05) ? mistypedDate(dice, birth) : birth),
    }))
  }
}

export const NAMES_AND_BIRTH: World = {
  name: 'names-and-birth',
  setting: 'names and birth date, and no other column',
  records: 30_000,
  repeats: REPEATS,
  columns: [['first_name'], ['last_name'], ['birth_date']],
  people,
}
