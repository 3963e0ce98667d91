import { buildBusinesses } from './businesses.ts'
import { passNight } from './changes.ts'
import { table } from './columns.ts'
import { countiesOf } from './counties.ts'
import { rankDeeds, recordDeeds } from './deeds.ts'
import { connect, employ, settle } from './lives.ts'
import { loadNames } from './names.ts'
import { buildGround } from './parcels.ts'
import { buildPeople } from './people.ts'
import { PhoneBook } from './phones.ts'
import type { World } from './types.ts'

export interface WorldOptions {
  readonly people: number
  readonly counties: readonly string[]
  readonly seed: number
}

/** A whole world from its seed: the same options, the same world, on every machine. About 400 bytes a person. */
export function buildWorld(options: WorldOptions): World {
  const counties = countiesOf(options.counties)
  const world: World = {
    seed: options.seed,
    counties,
    places: counties.flatMap((county, row) => county.places.map((place) => ({ ...place, county: row }))),
    names: loadNames(),
    streets: table('place', 'name', 'suffix', 'direction', 'next'),
    addresses: table('street', 'number', 'fraction', 'unit', 'parcel'),
    parcels: table(
      'county',
      'kind',
      'address',
      'serial',
      'block',
      'lot',
      'units',
      'yearBuilt',
      'living',
      'land',
      'value',
      'household',
      'firstDeed',
      'deedCount',
      'sharedDeed',
      'owner',
      'laterDeed',
    ),
    households: table('county', 'head', 'size', 'couple', 'home', 'movedIn', 'landline', 'owned', 'newHome'),
    people: table(
      'sex',
      'first',
      'middle',
      'last',
      'secondLast',
      'maiden',
      'marriedOn',
      'suffix',
      'bornOn',
      'diedOn',
      'household',
      'employer',
      'job',
      'mobile',
      'secondMobile',
      'oldMobile',
      'oldMobileUntil',
      'newMobile',
      'home1',
      'home1Until',
      'home2',
      'home2Until',
    ),
    businesses: table('county', 'kind', 'address', 'phone', 'tollFree', 'person'),
    deeds: table(
      'parcel',
      'parcels',
      'recordedOn',
      'signedOn',
      'price',
      'kind',
      'grantor',
      'grantee',
      'mortgage',
      'lender',
      'satisfiedOn',
      'corrects',
      'rank',
    ),
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
