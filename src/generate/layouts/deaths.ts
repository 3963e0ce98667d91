import { Layout } from '../../layouts.ts'
import { placeOf, stateOf } from '../addresses.ts'
import { homeOn, LISTED_DEATHS_UNTIL } from '../changes.ts'
import { compactDate, DAY_2, isoDate, NEVER } from '../calendar.ts'
import type { Delivery } from '../output.ts'
import { writtenName } from '../persons.ts'
import { mix, Random, stream } from '../random.ts'
import type { World } from '../types.ts'
import { RecordFormat } from './record-format.ts'

export const SOURCE = 'us/lists.deaths'
const FORMAT = new RecordFormat(new Layout('deaths'), 'deaths', {
  separator: ',',
  end: '\n',
  quotes: 'needed',
})

const DEATHS = stream('deaths')

/** Writes nine in ten dead people. Day 2 adds the deaths of the last 14 days. */
export function writeDeaths(world: World, delivery: Delivery): void {
  const sink = delivery.file(SOURCE, `deaths_${compactDate(delivery.day)}.csv`, 'utf8', FORMAT.header)
  const random = new Random(world.seed)
  const { people } = world
  for (let person = 0; person < people.sex.length; person += 1) {
    const died = people.diedOn.get(person)
    const isLate = died > LISTED_DEATHS_UNTIL
    if (died === NEVER || (isLate && delivery.day !== DAY_2) || mix(DEATHS, person, 1) % 10 === 0) continue
    sink.write(line(world, person, died, random.at(DEATHS, person)))
    if (isLate === (delivery.day === DAY_2)) delivery.names(`${SOURCE}/deaths/D${700_000 + person}`, person)
  }
  sink.close()
}

function line(world: World, person: number, died: number, random: Random): string {
  const name = writtenName(world, person, died, { casual: false, marks: false }, random)
  const home = homeOn(world, person, died)
  const place = placeOf(world, home)
  const born = isoDate(world.people.bornOn.get(person))
  return FORMAT.line({
    death_id: `D${700_000 + person}`,
    last_name: name.last,
    first_name: name.first,
    middle_name: name.middle,
    suffix: name.suffix,
    birth_date: random.chance(0.04) ? `${born.slice(0, 4)}-00-00` : born,
    death_date: isoDate(died),
    city: place.city.toUpperCase(),
    state: stateOf(world, home),
    zip: place.zip,
  })
}
