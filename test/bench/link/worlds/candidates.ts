import { dateBetween, mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { FrequencyTable } from './kit/frequency-table.ts'
import { Census } from './kit/people.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Candidates for office, election after election. Sex follows from the first name, and the party is one of a few.
const REPEATS = 0.5
const PARTIES = new FrequencyTable(
  ['UNION', 'LIBERTY', 'GREEN', 'LABOR', 'REFORM', 'PEOPLE', 'INDEPENDENT'],
  {
    exponent: 1.2,
    offset: 0.5,
  },
)
const BIRTH_KNOWN = 0.85

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const birth = dateBetween(dice, 1935, 1990)
    const { number, sex, first, middle, last } = census.person(dice, ENGLISH, { birth })
    const party = PARTIES.draw(dice)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => ({
      truth: number,
      first_name: called(dice, ENGLISH, first, { nicknames: 0.12, typos: 0.01 }),
      middle_name: known(dice, dice.chance(0.7) ? middle[0]! : middle, 0.3),
      last_name: spelled(dice, last, 0.02),
      birth_date: known(
        dice,
        writtenDate(dice.chance(0.01) ? mistypedDate(dice, birth) : birth),
        BIRTH_KNOWN,
      ),
      gender: sex,
      occupation: dice.chance(0.93) ? party : PARTIES.draw(dice),
    }))
  }
}

export const CANDIDATES: World = {
  name: 'candidates',
  setting: 'names, birth date, sex and party (as occupation) of candidates for office',
  records: 20_000,
  repeats: REPEATS,
  columns: [['first_name'], ['middle_name'], ['last_name'], ['birth_date'], ['gender'], ['occupation']],
  people,
}
