import { placeOf, stateOf } from '../addresses.ts'
import { homeOn, LISTED_DEATHS_UNTIL } from '../changes.ts'
import { compactDate, DAY_2, isoDate, NEVER } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { writtenName } from '../persons.ts'
import { mix, Random, stream } from '../random.ts'
import type { World } from '../types.ts'
import { CSV, RecordFormat, type Values } from './record-format.ts'

const SOURCE = 'us/lists.deaths'
const FORMAT = new RecordFormat('deaths', 'deaths', CSV)
const DEATHS = stream('deaths')

/** Writes nine in ten dead people. Day 2 adds the deaths of the last 14 days. */
export function writeDeaths(world: World, delivery: Delivery): void {
  const file = delivery.table(SOURCE, `deaths_${compactDate(delivery.day)}.csv`, 'utf8', FORMAT)
  const random = new Random(world.seed)
  const { people } = world
  for (let person = 0; person < people.sex.length; person += 1) {
    const died = people.diedOn.get(person)
    const isLate = died > LISTED_DEATHS_UNTIL
    if (died === NEVER || (isLate && delivery.day !== DAY_2) || mix(DEATHS, person, 1) % 10 === 0) continue
    const id = `D${700_000 + person}`
    file.row({ death_id: id, ...death(world, person, died, random.at(DEATHS, person)) })
    if (isLate === (delivery.day === DAY_2)) delivery.names(`${SOURCE}/deaths/${id}`, person)
  }
}

function death(world: World, person: number, died: number, random: Random): Values {
  const name = writtenName(world, person, died, { casual: false, marks: false }, random)
  const home = homeOn(world, person, died)
  const place = placeOf(world, home)
  const born = isoDate(world.people.bornOn.get(person))
  return {
    last_name: name.last,
    first_name: name.first,
    middle_name: name.middle,
    suffix: name.suffix,
    birth_date: random.chance(0.04) ? `${born.slice(0, 4)}-00-00` : born,
    death_date: isoDate(died),
    city: place.city.toUpperCase(),
    state: stateOf(world, home),
    zip: place.zip,
  }
}
