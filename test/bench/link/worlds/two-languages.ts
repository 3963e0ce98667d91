import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { VIETNAMESE } from './kit/vietnamese-names.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Names of one half say much, names of the other half little: a third of them are called NGUYEN.
const REPEATS = 0.4

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const language = dice.chance(0.5) ? ENGLISH : VIETNAMESE
    const { number, first, middle, last, birth, home, mobile } = census.person(dice, language)
    // Vietnamese names are often written surname first.
    const exchanged = language === VIETNAMESE ? 0.12 : 0.01
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      const given = called(dice, language, first, { nicknames: 0.08, typos: 0.03 })
      const family = spelled(dice, last, 0.03)
      const isExchanged = dice.chance(exchanged)
      return {
        truth: number,
        first_name: isExchanged ? family : given,
        middle_name: known(dice, middle, 0.4),
        last_name: isExchanged ? given : family,
        birth_date: known(dice, writtenDate(dice.chance(0.03) ? mistypedDate(dice, birth) : birth), 0.7),
        zip: known(dice, home.zip, 0.9),
        phone: known(dice, mobile, 0.4),
      }
    })
  }
}

export const TWO_LANGUAGES: World = {
  name: 'two-languages',
  setting: 'English and Vietnamese names; a hundred surnames serve the second half',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['middle_name'], ['last_name'], ['birth_date'], ['zip'], ['phone']],
  people,
}
