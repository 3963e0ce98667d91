import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { called, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Registers of candidates or members: three columns and nothing else.
const REPEATS = 0.45

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const person = census.person(dice, ENGLISH)
    const { first, last, birth } = person
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: person.number,
      first_name: called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.04 }),
      last_name: spelled(dice, last, 0.04),
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
