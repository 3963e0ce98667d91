import { dayAndMonthExchanged, mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Files put together by column number: first and last name, day and month, house and unit stand in each other's place.
const REPEATS = 0.4

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, middle, last, birth, home } = census.person(dice, ENGLISH)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      const given = called(dice, ENGLISH, first, { nicknames: 0.05, typos: 0.03 })
      const family = spelled(dice, last, 0.03)
      const other = known(dice, middle, 0.5)
      const said = dice.chance(0.02) ? mistypedDate(dice, birth) : birth
      const isUnitFirst = dice.chance(0.1) && home.unit_number !== ''
      return {
        truth: number,
        ...names(dice, given, other, family),
        birth_date: known(dice, writtenDate(dice.chance(0.12) ? dayAndMonthExchanged(said) : said), 0.85),
        ...home,
        house_number: isUnitFirst ? home.unit_number : home.house_number,
        unit_number: isUnitFirst ? home.house_number : home.unit_number,
      }
    })
  }
}

type Names = Pick<WorldRecord, 'first_name' | 'middle_name' | 'last_name'>

function names(dice: Dice, given: string, other: string, family: string): Names {
  const draw = dice.next()
  if (draw < 0.1) return { first_name: family, middle_name: other, last_name: given }
  if (draw < 0.15 && other !== '') return { first_name: other, middle_name: given, last_name: family }
  return { first_name: given, middle_name: other, last_name: family }
}

export const EXCHANGED_FIELDS: World = {
  name: 'exchanged-fields',
  setting: 'first and last name, day and month, house and unit exchanged in a tenth of the records',
  records: 20_000,
  repeats: REPEATS,
  columns: [
    ['first_name'],
    ['middle_name'],
    ['last_name'],
    ['birth_date'],
    ['house_number', 'street_name', 'unit_number'],
    ['city', 'state', 'zip'],
  ],
  people,
}
