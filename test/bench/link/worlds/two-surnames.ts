import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { Census } from './kit/people.ts'
import { SPANISH } from './kit/spanish-names.ts'
import { known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// A person has one to three given names and two surnames, and a record has some of them in one column each.
const REPEATS = 0.4

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, sex, first, birth, home, mobile } = census.person(dice, SPANISH)
    const more = sex === 'F' ? SPANISH.women : SPANISH.men
    const given = [
      first,
      ...(dice.chance(0.6) ? [more.draw(dice)] : []),
      ...(dice.chance(0.1) ? [more.draw(dice)] : []),
    ]
    const father = surname(dice)
    const mother = surname(dice)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: number,
      first_name: spelled(dice, givenNames(dice, given), 0.04),
      last_name: spelled(dice, surnames(dice, father, mother), 0.05),
      birth_date: known(dice, writtenDate(dice.chance(0.04) ? mistypedDate(dice, birth) : birth), 0.7),
      city: home.city,
      phone: known(dice, mobile, 0.4),
    }))
  }
}

function surname(dice: Dice): string {
  const drawn = SPANISH.surnames.draw(dice)
  return dice.chance(0.06) ? `${dice.pick(['DE LA', 'DEL', 'DE'])} ${drawn}` : drawn
}

function givenNames(dice: Dice, given: readonly string[]): string {
  const draw = dice.next()
  if (draw < 0.45) return given.join(' ')
  if (draw < 0.8) return given[0]!
  if (draw < 0.9) return given.at(-1)!
  return given.map((name, place) => (place === 0 ? name : name[0]!)).join(' ')
}

function surnames(dice: Dice, father: string, mother: string): string {
  const draw = dice.next()
  if (draw < 0.45) return `${father} ${mother}`
  if (draw < 0.8) return father
  if (draw < 0.9) return `${father}-${mother}`
  if (draw < 0.95) return mother
  return `${mother} ${father}`
}

export const TWO_SURNAMES: World = {
  name: 'two-surnames',
  setting: 'several given names and two surnames, of which a record has some',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['last_name'], ['birth_date'], ['city'], ['phone']],
  people,
}
