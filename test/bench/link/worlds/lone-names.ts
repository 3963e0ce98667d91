import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// One person in six has one name only, which files put in either column; other records have lost one of their two names.
const REPEATS = 0.4

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, last, birth, home, mobile } = census.person(dice, ENGLISH)
    const hasOneName = dice.chance(1 / 6)
    const only = dice.chance(0.5) ? first : last
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      const names = hasOneName ? inOneColumn(dice, only) : inTwoColumns(dice, first, last)
      return {
        truth: number,
        ...names,
        birth_date: known(dice, writtenDate(dice.chance(0.03) ? mistypedDate(dice, birth) : birth), 0.75),
        city: home.city,
        zip: known(dice, home.zip, 0.9),
        phone: known(dice, mobile, 0.4),
      }
    })
  }
}

type Names = Pick<WorldRecord, 'first_name' | 'last_name'>

function inOneColumn(dice: Dice, only: string): Names {
  const text = spelled(dice, only, 0.03)
  return dice.chance(0.6) ? { first_name: text } : { last_name: text }
}

function inTwoColumns(dice: Dice, first: string, last: string): Names {
  const first_name = called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.03 })
  const last_name = spelled(dice, last, 0.03)
  const draw = dice.next()
  if (draw < 0.04) return { first_name }
  if (draw < 0.08) return { last_name }
  // The one name in the other's column.
  if (draw < 0.1) return { first_name: last_name }
  return { first_name, last_name }
}

export const LONE_NAMES: World = {
  name: 'lone-names',
  setting: 'records with a single name word, in either name column',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['last_name'], ['birth_date'], ['city'], ['zip'], ['phone']],
  people,
}
