import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lookup, openLookup, type PersonQuery } from '../../src/lookup/index.ts'
import { PUBLISHED_ON, publishedSnapshot, type PublishedRows } from '../support/published.ts'
import { people } from './asking.ts'
import { knownPeople, scan } from './oracle.ts'

// Few names, few places: nearly every query finds somebody, and many find many.
const FIRST = ['ANN', 'ANNA', 'ANNE', 'BEN', 'BENNO', 'CARL', 'CARLA', 'ANN MARIE']
const LAST = ['ADLER', 'BAUM', 'BAUMANN', 'CARL', 'DE LA ROSA', 'ROSA']
const MIDDLE = [null, null, 'A', 'BEN']
const CITIES = [
  ['Alpha', 'TX', '70001'],
  ['Alpha', 'TX', '70002'],
  ['Alpha', 'FL', '30001'],
  ['Beta', 'TX', '70003'],
] as const
const STREETS = ['ELM', 'OAK']

/** A generator of whole numbers below `of`, the same for every run of a seed. */
function random(seed: number): (of: number) => number {
  let state = seed
  return (of) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * of)
  }
}

function randomWorld(seed: number): PublishedRows {
  const below = random(seed)
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!
  const rows: Required<Pick<PublishedRows, 'people' | 'person_names' | 'addresses' | 'person_addresses' | 'person_phones'>> = {
    people: [], person_names: [], addresses: [], person_addresses: [], person_phones: [],
  } // prettier-ignore
  for (let n = 0; n < 40; n++) {
    const [city, state, zip] = one(CITIES)
    const [house_number, street_name] = [String(1 + below(5)), one(STREETS)]
    rows.addresses.push({ address_id: `A${n}`, city, state, zip, house_number, street_name, building_key: `${house_number}|${street_name}|${zip}` }) // prettier-ignore
  }
  for (let n = 0; n < 300; n++) {
    const person_id = `P${String(n).padStart(10, '0')}`
    const date_of_birth = below(4) === 0 ? null : `${1940 + below(60)}-0${1 + below(9)}-1${below(10)}`
    rows.people.push({
      person_id,
      name: 'x',
      aliases: [],
      date_of_birth,
      is_dead: below(20) === 0,
      completeness: below(20) * 5,
    })
    for (let names = 0; names <= below(3); names++) {
      rows.person_names.push({ person_id, first_name: one(FIRST), middle_name: one(MIDDLE), last_name: one(LAST), is_primary: names === 0 }) // prettier-ignore
    }
    const homes = new Set(Array.from({ length: below(4) }, () => `A${below(40)}`))
    for (const address_id of homes) rows.person_addresses.push({ person_id, address_id, is_current: below(2) === 0, score: below(100) }) // prettier-ignore
    if (below(2) === 0) rows.person_phones.push({ person_id, phone: `1206555010${below(10)}`, line_type: 'mobile', score: below(100) }) // prettier-ignore
  }
  return rows
}

function randomQuery(below: (of: number) => number): PersonQuery {
  const maybe = <T>(list: readonly T[], share: number): T | undefined =>
    below(100) < share ? list[below(list.length)] : undefined
  const isName = below(2) === 0
  const [city, state_code, zipcode] = CITIES[below(CITIES.length)]!
  const asked: Record<string, unknown> = {
    name: isName ? [maybe([...FIRST, 'AN', 'BE'], 70), maybe([...LAST, 'RO', 'BA'], 60)].filter(Boolean).reverse().join(' ') : undefined,
    first_name: isName ? undefined : maybe(FIRST, 60),
    middle_name: undefined,
    last_name: isName ? undefined : maybe(LAST, 60),
    city: maybe([city], 30),
    state_code: maybe([state_code], 30),
    zipcode: maybe([zipcode], 20),
    street: maybe(['1 Elm', '2 Oak', '3 Elm'], 15),
    phone: maybe(['12065550101', '12065550102'], 15),
    min_age: maybe([30, 40], 20),
    max_age: maybe([50, 60], 20),
    include_historical_locations: below(2) === 0,
    include_fuzzy_matching: false,
    strict_match: true,
    page: 1,
    page_size: 15,
  } // prettier-ignore
  if (asked['name'] === '') asked['name'] = undefined
  return Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined),
  ) as unknown as PersonQuery
}

const ENOUGH = ['name', 'first_name', 'last_name', 'street', 'city', 'zipcode', 'phone']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platbook-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test.each([1, 2, 3])(
  'totals, scores and order of random queries are those of a plain scan of the tables (world %i)',
  async (seed) => {
    const rows = randomWorld(seed)
    const { version } = await publishedSnapshot(join(folder, String(seed)), rows)
    const lookup: Lookup = openLookup(join(folder, String(seed), version))
    const known = knownPeople(rows, PUBLISHED_ON)
    const below = random(seed * 7919)
    let found = 0
    try {
      for (let n = 0; n < 1_000; n++) {
        const asked = randomQuery(below)
        if (!ENOUGH.some((name) => name in asked)) continue
        const expected = scan(known, asked)
        const pages = [1, 2].flatMap((page) => people(lookup, { ...asked, page }).ids)
        expect({ asked, total: people(lookup, asked).total, ids: pages }).toEqual({
          asked,
          total: expected.length,
          ids: expected.slice(0, 30),
        })
        found += expected.length
      }
    } finally {
      lookup.close()
    }
    expect(found).toBeGreaterThan(1_000)
  },
)
