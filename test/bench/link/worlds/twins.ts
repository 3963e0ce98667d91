import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import type { Sex } from './kit/languages.ts'
import { Census, phoneNumber, type Person } from './kit/people.ts'
import { anyAddress } from './kit/places.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// School registers: one child in five has a twin with the same surname, birth date, home and telephone. A third of the twins have names
// that begin alike.
const REPEATS = 0.4

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const home = anyAddress(dice)
    const phone = phoneNumber(dice)
    const child = census.person(dice, ENGLISH, { home, mobile: phone })
    const { last, birth, sex } = child
    const children = [child]
    // A pair of twins in nine births makes one child in five a twin.
    if (dice.chance(1 / 9)) {
      const other: Sex = dice.chance(0.7) ? sex : sex === 'F' ? 'M' : 'F'
      const first = twinName(dice, child, other)
      children.push(census.person(dice, ENGLISH, { home, mobile: phone, last, birth, sex: other, first }))
    }
    for (const { number, sex: own, first } of children) {
      yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
        truth: number,
        first_name: called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.03 }),
        last_name: spelled(dice, last, 0.03),
        birth_date: known(dice, writtenDate(dice.chance(0.03) ? mistypedDate(dice, birth) : birth), 0.95),
        gender: known(dice, own, 0.8),
        house_number: home.house_number,
        street_name: spelled(dice, home.street_name, 0.03),
        zip: home.zip,
        phone: known(dice, phone, 0.6),
      }))
    }
  }
}

function twinName(dice: Dice, { first }: Person, sex: Sex): string {
  const names = sex === 'F' ? ENGLISH.women : ENGLISH.men
  const alike = names.values.filter((name) => name !== first && name.slice(0, 2) === first.slice(0, 2))
  if (alike.length > 0 && dice.chance(1 / 3)) return dice.pick(alike)
  for (;;) {
    const name = names.draw(dice)
    if (name !== first) return name
  }
}

export const TWINS: World = {
  name: 'twins',
  setting: 'one child in five has a twin of the same surname, birth date, home and telephone',
  records: 20_000,
  repeats: REPEATS,
  columns: [
    ['first_name'],
    ['last_name'],
    ['birth_date'],
    ['gender'],
    ['house_number', 'street_name'],
    ['zip'],
    ['phone'],
  ],
  people,
}
