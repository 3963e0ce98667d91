import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { nextAddress } from './kit/places.ts'
import { called, spelled } from './kit/spelling.ts'
import { misdialled } from './kit/typos.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Deliveries and service accounts: relatives share surname, home and telephone, and nothing tells ages.
const REPEATS = 0.4

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { home, landline, members } = census.household(dice, ENGLISH)
    const later = dice.chance(0.15) ? nextAddress(dice, home) : home
    for (const person of members) {
      const { first, last, middle, mobile } = person
      yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
        const at = dice.chance(0.5) ? home : later
        const phone = dice.chance(0.35) ? '' : dice.chance(0.5) ? landline : mobile
        return {
          truth: person.number,
          first_name: called(dice, ENGLISH, first, { nicknames: 0.1, typos: 0.03 }),
          middle_name: dice.chance(0.5) ? '' : dice.chance(0.7) ? middle[0]! : middle,
          last_name: spelled(dice, last, 0.03),
          ...at,
          street_name: spelled(dice, at.street_name, 0.03),
          phone: phone !== '' && dice.chance(0.02) ? misdialled(dice, phone) : phone,
        }
      })
    }
  }
}

export const HOUSEHOLDS_WITHOUT_BIRTH: World = {
  name: 'households-without-birth',
  setting: 'families of one surname, home and telephone; no birth dates',
  records: 30_000,
  repeats: REPEATS,
  columns: [
    ['first_name'],
    ['middle_name'],
    ['last_name'],
    ['house_number', 'street_name', 'unit_number'],
    ['city', 'state'],
    ['zip'],
    ['phone'],
  ],
  people,
}
