import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Registers of members: three columns and nothing else.
interface Births {
  readonly repeats: number
  /** The share of records with a birth date, and the share of those that have a year alone. */
  readonly known: number
  readonly yearAlone: number
}

function peopleWith(births: Births) {
  return function* people(dice: Dice): Generator<readonly WorldRecord[]> {
    const census = new Census()
    for (;;) {
      const { number, first, last, birth } = census.person(dice, ENGLISH)
      yield Array.from({ length: recordCount(dice, births.repeats) }, () => {
        const said = dice.chance(0.05) ? mistypedDate(dice, birth) : birth
        const written = dice.chance(births.yearAlone) ? String(said.year) : writtenDate(said)
        return {
          truth: number,
          first_name: called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.04 }),
          last_name: spelled(dice, last, 0.04),
          birth_date: known(dice, written, births.known),
        }
      })
    }
  }
}

function world(name: string, setting: string, births: Births): World {
  return {
    name,
    setting,
    records: 30_000,
    repeats: births.repeats,
    columns: [['first_name'], ['last_name'], ['birth_date']],
    people: peopleWith(births),
  }
}

export const NAMES_AND_BIRTH = [
  world('names-and-birth', 'names and birth date, and no other column', {
    repeats: 0.45,
    known: 1,
    yearAlone: 0,
  }),
  world('names-and-some-births', 'names and birth date; half of the dates are blank', {
    repeats: 0.45,
    known: 0.5,
    yearAlone: 0,
  }),
  world('names-and-years', 'names and year of birth', { repeats: 0.3, known: 0.8, yearAlone: 1 }),
]
