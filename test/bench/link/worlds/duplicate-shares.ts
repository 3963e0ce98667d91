import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { nextAddress } from './kit/places.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { misdialled } from './kit/typos.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// The same customers, once with hardly anybody twice, once with two and a half records a person.
function peopleWith(repeats: number) {
  return function* people(dice: Dice): Generator<readonly WorldRecord[]> {
    const census = new Census()
    for (;;) {
      const { number, first, last, birth, home, mobile } = census.person(dice, ENGLISH)
      const later = dice.chance(0.2) ? nextAddress(dice, home) : home
      yield Array.from({ length: recordCount(dice, repeats) }, () => {
        const at = dice.chance(0.5) ? home : later
        return {
          truth: number,
          first_name: called(dice, ENGLISH, first, { nicknames: 0.1, typos: 0.04 }),
          last_name: spelled(dice, last, 0.04),
          birth_date: known(dice, writtenDate(dice.chance(0.04) ? mistypedDate(dice, birth) : birth), 0.7),
          house_number: at.house_number,
          street_name: spelled(dice, at.street_name, 0.05),
          zip: at.zip,
          phone: known(dice, dice.chance(0.03) ? misdialled(dice, mobile) : mobile, 0.5),
        }
      })
    }
  }
}

function world(name: string, setting: string, repeats: number): World {
  return {
    name,
    setting,
    records: 20_000,
    repeats,
    columns: [
      ['first_name'],
      ['last_name'],
      ['birth_date'],
      ['house_number', 'street_name'],
      ['zip'],
      ['phone'],
    ],
    people: peopleWith(repeats),
  }
}

export const FEW_DUPLICATES = world('few-duplicates', 'one record in a hundred repeats a person', 0.01)
export const MANY_DUPLICATES = world('many-duplicates', 'six records in ten repeat a person', 0.6)
