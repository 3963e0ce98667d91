import { dateBetween, mistypedDate, writtenDate } from './kit/dates.ts'
import type { Dice } from './kit/dice.ts'
import { ENGLISH } from './kit/english-names.ts'
import { Census, phoneNumber } from './kit/people.ts'
import type { Address } from './kit/places.ts'
import { called, known, spelled } from './kit/spelling.ts'
import { recordCount, type World, type WorldRecord } from './kit/world.ts'

// A campus and a prison, each of one address and telephone, and an agent who gives his own for his clients: half of all people.
const REPEATS = 0.35
const SHARED: readonly {
  readonly share: number
  readonly home: Address
  readonly phone: string
  readonly ages: [number, number]
}[] = [
  { share: 0.25, home: place('1', 'UNIVERSITY WAY', '', '41010'), phone: '4135550100', ages: [1998, 2006] },
  { share: 0.15, home: place('5000', 'CORRECTION RD', '', '41020'), phone: '4135550111', ages: [1950, 2005] },
  { share: 0.1, home: place('77', 'MARKET ST', '200', '41030'), phone: '4135550122', ages: [1940, 2000] },
]

function place(house_number: string, street_name: string, unit_number: string, zip: string): Address {
  return { house_number, street_name, unit_number, city: 'COLLEGE POINT', state: 'OH', zip }
}

function* people(dice: Dice): Generator<readonly WorldRecord[]> {
  const census = new Census()
  for (;;) {
    const { number, first, middle, last, birth: own, home, mobile } = census.person(dice, ENGLISH)
    const draw = dice.next()
    let upTo = 0
    const shared = SHARED.find(({ share }) => draw < (upTo += share))
    const birth = shared === undefined ? own : dateBetween(dice, ...shared.ages)
    const office = phoneNumber(dice)
    yield Array.from({ length: recordCount(dice, REPEATS) }, () => {
      // One record in four of those people has their home elsewhere.
      const isThere = shared !== undefined && dice.chance(0.75)
      return {
        truth: number,
        first_name: called(dice, ENGLISH, first, { nicknames: 0.08, typos: 0.03 }),
        middle_name: known(dice, middle[0]!, 0.4),
        last_name: spelled(dice, last, 0.03),
        birth_date: known(dice, writtenDate(dice.chance(0.03) ? mistypedDate(dice, birth) : birth), 0.6),
        ...(isThere ? shared.home : home),
        phone: isThere
          ? known(dice, shared.phone, 0.7)
          : known(dice, dice.chance(0.8) ? mobile : office, 0.5),
      }
    })
  }
}

export const ONE_ADDRESS: World = {
  name: 'one-address',
  setting: 'half of all people share three addresses and telephones: campus, prison, agent',
  records: 20_000,
  repeats: REPEATS,
  columns: [
    ['first_name'],
    ['middle_name'],
    ['last_name'],
    ['birth_date'],
    ['house_number', 'street_name', 'unit_number'],
    ['city', 'state', 'zip'],
    ['phone'],
  ],
  people,
}
