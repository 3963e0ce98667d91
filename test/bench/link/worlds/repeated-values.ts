import { mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Three columns repeat the name as that record spells it: the user's address, the firm of the self-employed, and a member number
// made of birth date and initials. They agree whenever names and dates do.
const REPEATS = 0.4

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, last, birth, home } = census.person(dice, ENGLISH)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      const first_name = called(dice, ENGLISH, first, { nicknames: 0.1, typos: 0.03 })
      const last_name = spelled(dice, last, 0.03)
      const written = writtenDate(dice.chance(0.04) ? mistypedDate(dice, birth) : birth)
      const hasBirth = dice.chance(0.5)
      return {
        truth: number,
        first_name,
        last_name,
        birth_date: hasBirth ? written : '',
        zip: known(dice, home.zip, 0.8),
        email: known(dice, `${first_name}.${last_name}@EXAMPLE.COM`, 0.7),
        employer: known(dice, `${last_name} ${first_name} LLC`, 0.4),
        national_id: hasBirth
          ? `${written.replaceAll('-', '')}${first_name[0]!}${last_name.slice(0, 3)}`
          : '',
      }
    })
  }
}

export const REPEATED_VALUES: World = {
  name: 'repeated-values',
  setting: 'e-mail, firm and member number are made of the name and birth date of the same record',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['last_name'], ['birth_date'], ['zip'], ['email'], ['employer'], ['national_id']],
  people,
}
