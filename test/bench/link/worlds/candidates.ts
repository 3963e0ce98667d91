import { dateBetween, mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { FrequencyTable } from './kit/frequency-table.ts'
import { Census } from './kit/people.ts'
import { anyAddress } from './kit/places.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// Candidates for office, election after election: each list of a district has a party, one in three a local one of its own, and up to forty
// names. Who stands on one list agrees in district and party, and is not one person. Few columns tell people apart.
const PARTIES = new FrequencyTable(
  ['UNION', 'LIBERTY', 'GREEN', 'LABOR', 'REFORM', 'PEOPLE', 'INDEPENDENT'],
  {
    exponent: 1.2,
    offset: 0.5,
  },
)

function* people(dice: Dice, repeats: number): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const district = anyAddress(dice).city
    const party = dice.chance(1 / 3) ? `CITIZENS OF ${district}` : PARTIES.draw(dice)
    const names = dice.between(1, 40)
    for (let name = 0; name < names; name++) {
      const birth = dateBetween(dice, 1935, 1990)
      const { number, sex, first, middle, last } = census.person(dice, ENGLISH, { birth })
      yield Array.from({ length: recordCount(dice, repeats) }, () => ({
        truth: number,
        first_name: called(dice, ENGLISH, first, { nicknames: 0.12, typos: 0.01 }),
        middle_name: known(dice, dice.chance(0.7) ? middle[0]! : middle, 0.3),
        last_name: spelled(dice, last, 0.02),
        birth_date: known(dice, writtenDate(dice.chance(0.01) ? mistypedDate(dice, birth) : birth), 0.5),
        gender: sex,
        city: dice.chance(0.97) ? district : anyAddress(dice).city,
        occupation: dice.chance(0.93) ? party : PARTIES.draw(dice),
      }))
    }
  }
}

function world(name: string, repeats: number): World {
  return {
    name,
    setting: `candidates for office: all names of one list share district and party; half of the birth dates blank; ${repeats * 100} of 100 records repeat a person`,
    records: 20_000,
    repeats,
    columns: [
      ['first_name'],
      ['middle_name'],
      ['last_name'],
      ['birth_date'],
      ['gender'],
      ['city'],
      ['occupation'],
    ],
    people: (dice) => people(dice, repeats),
  }
}

export const CANDIDATES = [world('candidates', 0.5), world('new-candidates', 0.2)]
