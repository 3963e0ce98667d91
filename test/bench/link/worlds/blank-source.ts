import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// A register, and a list of half its size in which 95 of 100 values but the names are blank.
const REPEATS = 0.35
const FILLED = { register: 0.9, list: 0.05 } as const

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, last, birth, home, mobile } = census.person(dice, ENGLISH)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      const source = dice.chance(2 / 3) ? 'register' : 'list'
      const filled = FILLED[source]
      const hasHome = dice.chance(filled)
      return {
        truth: number,
        source,
        first_name: called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.03 }),
        last_name: spelled(dice, last, 0.03),
        birth_date: known(dice, writtenDate(dice.chance(0.03) ? mistypedDate(dice, birth) : birth), filled),
        house_number: hasHome ? home.house_number : '',
        street_name: hasHome ? spelled(dice, home.street_name, 0.03) : '',
        zip: known(dice, home.zip, filled),
        phone: known(dice, mobile, filled),
      }
    })
  }
}

export const BLANK_SOURCE: World = {
  name: 'blank-source',
  setting: 'two sources; one has names, and 95 of 100 other values are blank',
  records: 15_000,
  repeats: REPEATS,
  columns: [
    ['first_name'],
    ['last_name'],
    ['birth_date'],
    ['house_number', 'street_name'],
    ['zip'],
    ['phone'],
  ],
  people,
}
