import { type CalendarDate, dateBetween, mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { COMMON_TRADES } from './kit/jobs.ts'
import { Census } from './kit/people.ts'
import { called, known } from './kit/spelling.ts'
import { mistyped } from './kit/typos.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Parish registers and old deeds: births from 1500 to 1875, names spelled by ear, often the year alone.
const REPEATS = 0.5

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const birth = dateBetween(dice, 1500 + Math.floor(375 * Math.sqrt(dice.next())), 1875)
    const { number, first, last, home } = census.person(dice, ENGLISH, { birth })
    const trade = dice.pick(COMMON_TRADES)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: number,
      first_name: called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.02 }),
      last_name: dice.chance(0.15) ? mistyped(dice, last, 'sound') : last,
      birth_date: known(dice, writtenDate(birthAsWritten(dice, birth)), 0.9),
      city: known(dice, home.city, 0.8),
      occupation: known(dice, dice.chance(0.9) ? trade : dice.pick(COMMON_TRADES), 0.5),
    }))
  }
}

function birthAsWritten(dice: Dice, birth: CalendarDate): CalendarDate {
  const said = dice.chance(0.06) ? mistypedDate(dice, birth) : birth
  return dice.chance(0.35) ? { year: said.year, month: 0, day: 0 } : said
}

export const HISTORIC_DATES: World = {
  name: 'historic-dates',
  setting: 'births from 1500 to 1875, a third of them a year alone, surnames spelled by ear',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['last_name'], ['birth_date'], ['city'], ['occupation']],
  people,
}
