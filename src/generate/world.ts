import { buildBusinesses } from './businesses.ts'
import { passNight } from './changes.ts'
import { countiesOf } from './counties.ts'
import { rankDeeds, recordDeeds } from './deeds.ts'
import { connect, employ, settle } from './lives.ts'
import { loadNames } from './names.ts'
import { buildGround } from './parcels.ts'
import { buildPeople } from './people.ts'
import { PhoneBook } from './phones.ts'
import { emptyTables, type World } from './types.ts'

export interface WorldOptions {
  readonly people: number
  readonly counties: readonly string[]
  readonly seed: number
}

/** Builds a world. The same options give the same world on every machine. It takes about 400 bytes a person. */
export function buildWorld(options: WorldOptions): World {
  const counties = countiesOf(options.counties)
  const world: World = {
    seed: options.seed,
    counties,
    places: counties.flatMap((county, row) => county.places.map((place) => ({ ...place, county: row }))),
    names: loadNames(),
    ...emptyTables(),
    deedsInOrder: [],
  }
  const phones = new PhoneBook()
  const grounds = buildGround(world, buildPeople(world, options.people))
  buildBusinesses(world, grounds, phones)
  const leavers = settle(world, grounds)
  connect(world, phones)
  employ(world)
  recordDeeds(world, leavers)
  passNight(world, phones)
  rankDeeds(world)
  return world
}
