import { type CalendarDate, mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { misdialled, mistyped } from './kit/typos.ts'
import { recordCount, type World, type WorldColumn, type WorldRecord } from './kit/world.ts'

// One to four typos in every record, two or three of them often in one field.
const REPEATS = 0.5
export const MOST_TYPOS = 4
const TEXTS: readonly WorldColumn[] = ['first_name', 'last_name', 'street_name', 'city']
const FIELDS: readonly WorldColumn[] = [...TEXTS, 'first_name', 'last_name', 'birth_date', 'zip', 'phone']

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, last, birth, home, mobile } = census.person(dice, ENGLISH)
    const right = {
      first_name: first,
      last_name: last,
      birth_date: writtenDate(birth),
      house_number: home.house_number,
      street_name: home.street_name,
      city: home.city,
      zip: home.zip,
      phone: mobile,
    }
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: number,
      ...withTypos(dice, right, birth, dice.between(1, MOST_TYPOS)),
    }))
  }
}

type Values = Pick<WorldRecord, WorldColumn>

/** A record with so many typos, each in any of its fields. */
export function withTypos(dice: Dice, right: Values, birth: CalendarDate, typos: number): Values {
  const record: Partial<Record<WorldColumn, string>> = { ...right }
  let date = birth
  for (let typo = 0; typo < typos; typo++) {
    const field = dice.pick(FIELDS)
    if (field === 'birth_date') record[field] = writtenDate((date = mistypedDate(dice, date)))
    else if (TEXTS.includes(field)) record[field] = mistyped(dice, record[field]!)
    else record[field] = misdialled(dice, record[field]!)
  }
  return record
}

export const HEAVY_TYPOS: World = {
  name: 'heavy-typos',
  setting: 'one to four typos in every record: keyboard, optical reading, sound',
  records: 20_000,
  repeats: REPEATS,
  columns: [
    ['first_name'],
    ['last_name'],
    ['birth_date'],
    ['house_number', 'street_name'],
    ['city'],
    ['zip'],
    ['phone'],
  ],
  people,
}
