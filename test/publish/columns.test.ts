import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { houseKey, streetKey, unitKey, wingKey } from '../../src/lookup/format/address-keys.ts'
import { DEAD, packDate } from '../../src/lookup/format/birth.ts'
import { type Columns, HISTORIC, NO_ZIP, SEVERAL_STATES, TRAIT } from '../../src/lookup/format/columns.ts'
import { Dictionary } from '../../src/lookup/format/dictionary.ts'
import { personOfId } from '../../src/lookup/format/person-ids.ts'
import { stateCode } from '../../src/lookup/format/states.ts'
import { addressColumns } from '../../src/publish/address-columns.ts'
import { numberRows, rankRows } from '../../src/publish/number-rows.ts'
import { personColumns } from '../../src/publish/person-columns.ts'
import { emptyPublished } from '../support/published.ts'
import { type Cell, given, rowsOf, withWarehouse } from '../support/warehouse.ts'

const signal = new AbortController().signal

type Row = Record<string, Cell>

const CITIES = [
  ['TX', 'Austin', '78701'],
  ['TX', 'Austin', '78702'],
  ['TX', 'Fort Worth', '76101'],
  ['FL', 'Miami', null],
  ['NY', null, '10001'],
] as const
const STREETS = ['Main', '1st', 'FIRST', 'Saint Johns', 'ST JOHNS', null] as const

/** A little world whose values follow from the numbers of its rows. */
function world(): { people: Row[]; addresses: Row[]; links: Row[]; properties: Row[] } {
  const people = Array.from({ length: 40 }, (_, n): Row => ({
    person_id: `P${String(n * 7919).padStart(10, '0')}`,
    last_name: `L${n % 7}`,
    first_name: `F${n % 3}`,
    completeness: n % 5 === 0 ? null : (n * 37) % 101,
    date_of_birth: [null, '1970', '1970-06', '1970-06-05', `19${40 + n}-01-02`, '0000-00-00'][n % 6]!,
    is_dead: n % 4 === 0,
  }))
  const addresses = Array.from({ length: 30 }, (_, n): Row => {
    const [state, city, zip] = CITIES[n % CITIES.length]!
    return {
      address_id: `A${String(n).padStart(10, '0')}`,
      state, city, zip,
      street_name: STREETS[n % STREETS.length]!,
      house_number: n % 9 === 0 ? null : String(100 + (n % 4)),
      building_key: n % 8 === 0 ? null : `${100 + (n % 4)} ${n % 6}`,
      unit_type: n % 2 === 0 ? 'APT' : null,
      unit_number: n % 2 === 0 ? String(n % 3) : null,
      latitude: n % 7 === 0 ? null : 30 + n / 8,
      longitude: n % 7 === 0 ? null : -97 - n / 8,
    } // prettier-ignore
  })
  const links: Row[] = []
  for (let n = 0; n < 120; n++) {
    const [person, address] = [people[(n * 11) % 40]!['person_id']!, addresses[(n * 13) % 30]!['address_id']!]
    if (links.some((link) => link['person_id'] === person && link['address_id'] === address)) continue
    links.push({ person_id: person, address_id: address, is_current: n % 3 !== 0, score: (n * 29) % 101 })
  }
  const properties = Array.from({ length: 9 }, (_, n): Row => ({
    property_id: `R${n}`,
    address_id: addresses[(n * 3) % 30]!['address_id']!,
  }))
  return { people, addresses, links, properties }
}

interface Built {
  readonly columns: Columns
  readonly db: DuckDBConnection
  readonly people: Row[]
  readonly addresses: Row[]
}

async function withColumns(body: (built: Built) => Promise<void> | void): Promise<void> {
  const { people, addresses, links, properties } = world()
  await withWarehouse(async (db) => {
    await emptyPublished(db)
    await given(db, 'published.people', people)
    await given(db, 'published.addresses', addresses)
    await given(db, 'published.person_addresses', links)
    await given(db, 'published.properties', properties)
    await given(db, 'published.person_phones', [
      { person_id: people[3]!['person_id']!, phone: '12065550142' },
    ])
    await given(db, 'published.person_emails', [{ person_id: people[3]!['person_id']!, email: 'a@b.co' }, { person_id: people[4]!['person_id']!, email: 'c@d.co' }]) // prettier-ignore
    await given(db, 'published.person_names', [
      { person_id: people[5]!['person_id']!, first_name: 'A', last_name: 'B', name_suffix: 'JR' },
      { person_id: people[5]!['person_id']!, first_name: 'A', last_name: 'C', name_suffix: 'iii' },
    ])
    await rankRows(db, signal)
    await numberRows(db, signal)
    const places = await rowsOf(db, 'select count(*)::integer as n from numbered_places')
    const counts = { people: 40, addresses: 30, places: Number(places[0]!['n']) }
    const columns = {
      ...(await addressColumns(db, counts, signal)),
      ...(await personColumns(db, 40, signal)),
    }
    const inOrder = async (table: string, id: string, no: string, rows: Row[]): Promise<Row[]> => {
      const numbers = await rowsOf(db, `select ${id} as id from ${table} order by ${no}`)
      return numbers.map((row) => rows.find((one) => one[id] === row['id'])!)
    }
    await body({
      columns: columns as Columns,
      db,
      people: await inOrder('numbered_people', 'person_id', 'person_no', people),
      addresses: await inOrder('numbered_addresses', 'address_id', 'address_no', addresses),
    })
  })
}

test('columns of people hold what the tables say of each', async () => {
  await withColumns(({ columns, people }) => {
    const births = people.map((row) => packDate(row['date_of_birth'] as string | null))
    expect([...columns.person_birth]).toEqual(
      births.map((birth, n) => birth + (people[n]!['is_dead'] === true ? DEAD : 0)),
    )
    expect([...columns.person_completeness]).toEqual(people.map((row) => row['completeness'] ?? 0))
    const ranked = people.toSorted((a, b) => Number(b['completeness'] ?? 0) - Number(a['completeness'] ?? 0) || (a['person_id']! < b['person_id']! ? -1 : 1)) // prettier-ignore
    expect([...columns.person_rank]).toEqual(people.map((row) => ranked.indexOf(row)))
    const born = births.flatMap((birth, person) => (birth > 0 ? [{ birth, person }] : []))
    expect([...columns.birth_people]).toEqual(born.sort((a, b) => a.birth - b.birth || a.person - b.person).map(({ person }) => person)) // prettier-ignore
    for (const [number, row] of people.entries())
      expect(personOfId(columns, String(row['person_id']))).toBe(number)
    const traits = new Map([['P0000023757', TRAIT.PHONE | TRAIT.EMAIL], ['P0000031676', TRAIT.EMAIL], ['P0000039595', 4 | 32]]) // prettier-ignore
    expect([...columns.person_traits]).toEqual(people.map((row) => traits.get(String(row['person_id'])) ?? 0))
  })
})

test('columns of addresses hold the parts of each, and equal spellings have one number', async () => {
  await withColumns(({ columns, addresses }) => {
    const streets = new Dictionary(columns.street_start, columns.street_text)
    const cities = new Dictionary(columns.city_start, columns.city_text)
    for (const [number, row] of addresses.entries()) {
      const place = columns.address_place[number]!
      expect(streets.text(columns.address_street[number]!)).toBe(
        streetKey(String(row['street_name'] ?? '').toUpperCase()),
      )
      expect(columns.place_state[place]).toBe(stateCode(String(row['state'])))
      expect(columns.place_zip[place]).toBe(row['zip'] === null ? NO_ZIP : Number(row['zip']))
      expect(cities.text(columns.place_city[place]!)).toBe({ Austin: 'AUSTIN', 'Fort Worth': 'FT WORTH', Miami: 'MIAMI' }[String(row['city'])] ?? '') // prettier-ignore
      expect(columns.address_latitude[number]).toBe(
        row['latitude'] === null ? NaN : Math.fround(Number(row['latitude'])),
      )
      const [start, end] = [columns.place_address_start[place]!, columns.place_address_start[place + 1]!]
      expect(number >= start && number < end).toBe(true)
    }
    expect(new Set([streetKey('1ST'), streetKey('FIRST')]).size).toBe(1)
  })
})

test('the box of a place holds its positions and no more, and is nothing without any', async () => {
  await withColumns(({ columns, addresses }) => {
    for (let place = 0; place < columns.place_state.length; place++) {
      const here = addresses.filter(
        (row, n) => columns.address_place[n] === place && row['latitude'] !== null,
      )
      const [latitudes, longitudes] = [
        here.map((row) => Number(row['latitude'])),
        here.map((row) => Number(row['longitude'])),
      ]
      const box = here.length === 0 ? [NaN, NaN, NaN, NaN] : [Math.min(...latitudes), Math.max(...latitudes), Math.min(...longitudes), Math.max(...longitudes)] // prettier-ignore
      expect([...columns.place_box.subarray(place * 4, place * 4 + 4)]).toEqual(
        box.map((side) => Math.fround(side)),
      )
    }
  })
})

test('units of one building share a number, which no other building of the place has', async () => {
  await withColumns(({ columns, addresses }) => {
    const keyOf = (n: number): string =>
      `${columns.address_place[n]!} ${String(addresses[n]!['building_key'] ?? addresses[n]!['address_id'])}`
    for (let left = 0; left < addresses.length; left++)
      for (let right = 0; right < left; right++)
        expect(columns.address_building[left] === columns.address_building[right]).toBe(
          keyOf(left) === keyOf(right),
        )
  })
})

test('links lead from people to addresses, best first, and back, by rank; former ones are flagged', async () => {
  const { links } = world()
  await withColumns(({ columns, people, addresses }) => {
    const numberOf = new Map([...people, ...addresses].map((row) => [row['person_id'] ?? row['address_id'], people.includes(row) ? people.indexOf(row) : addresses.indexOf(row)])) // prettier-ignore
    const all = links.map((link) => ({ person: numberOf.get(link['person_id'])!, address: numberOf.get(link['address_id'])!, flag: link['is_current'] === true ? 0 : HISTORIC, score: Number(link['score']) })) // prettier-ignore
    for (const [person] of people.entries()) {
      const [start, end] = [columns.person_address_start[person]!, columns.person_address_start[person + 1]!]
      const own = all.filter((link) => link.person === person).sort((a, b) => a.flag - b.flag || b.score - a.score || a.address - b.address) // prettier-ignore
      expect([...columns.person_addresses.subarray(start, end)]).toEqual(
        own.map(({ address, flag }) => address + flag),
      )
      expect([...columns.person_address_scores.subarray(start, end)]).toEqual(own.map(({ score }) => score))
      const states = new Set(own.filter(({ flag }) => flag === 0).map(({ address }) => stateCode(String(addresses[address]!['state'])))) // prettier-ignore
      expect(columns.person_state[person]).toBe(states.size > 1 ? SEVERAL_STATES : ([...states][0] ?? 0))
    }
    for (const [address] of addresses.entries()) {
      const [start, end] = [
        columns.address_person_start[address]!,
        columns.address_person_start[address + 1]!,
      ]
      const here = all.filter((link) => link.address === address).sort((a, b) => columns.person_rank[a.person]! - columns.person_rank[b.person]!) // prettier-ignore
      expect([...columns.address_people.subarray(start, end)]).toEqual(
        here.map(({ person, flag }) => person + flag),
      )
    }
  })
})

test('each street name has its addresses, ascending, and an address its first property', async () => {
  const { properties } = world()
  await withColumns(({ columns, addresses }) => {
    for (let street = 0; street + 1 < columns.street_address_start.length; street++) {
      const [start, end] = [columns.street_address_start[street]!, columns.street_address_start[street + 1]!]
      const here = addresses.flatMap((_, n) => (columns.address_street[n] === street ? [n] : []))
      expect([...columns.street_addresses.subarray(start, end)]).toEqual(here)
    }
    const expected = addresses.map(
      (row) => 1 + properties.findIndex((one) => one['address_id'] === row['address_id']),
    )
    expect([...columns.address_property]).toEqual(expected)
  })
})

test('an address has its house, unit, building, directions and street type; a PO box is a house on PO BOX', async () => {
  const place = { state: 'TX', city: 'Austin', zip: '78701' }
  const addresses: Row[] = [
    { ...place, address_id: 'A1', house_number: '100', pre_directional: 'N', street_name: 'MAIN', street_suffix: 'ST', unit_type: 'APT', unit_number: '4', building: 'B' },
    { ...place, address_id: 'A2', house_number: '7', street_name: 'OAK', street_suffix: 'AVE', post_directional: 'NW', unit_type: 'STE', unit_number: '100' },
    { ...place, address_id: 'A3', building_key: 'PO BOX 12|78701' },
    { ...place, address_id: 'A4', building_key: '7 OAK|78701' },
  ] // prettier-ignore
  const properties = ['R3', 'R1', 'R2'].map((property_id, n) => ({ property_id, address_id: n < 2 ? 'A2' : 'A3' })) // prettier-ignore
  await withWarehouse(async (db) => {
    await emptyPublished(db)
    await given(db, 'published.addresses', addresses)
    await given(db, 'published.properties', properties)
    await rankRows(db, signal)
    await numberRows(db, signal)
    const columns = (await addressColumns(db, { people: 0, addresses: 4, places: 1 }, signal)) as Columns
    const ids = await rowsOf(db, 'select address_id, address_no from numbered_addresses order by address_id')
    const found = ids.map(({ address_id, address_no }) => {
      const n = Number(address_no)
      return [
        address_id,
        new Dictionary(columns.house_start, columns.house_text).text(columns.address_house[n]!),
        new Dictionary(columns.street_start, columns.street_text).text(columns.address_street[n]!),
        new Dictionary(columns.shape_start, columns.shape_text).text(columns.address_shape[n]!),
        new Dictionary(columns.unit_start, columns.unit_text).text(columns.address_unit[n]!),
        new Dictionary(columns.wing_start, columns.wing_text).text(columns.address_wing[n]!),
        // Of two properties at one address, the first one counts.
        columns.address_property[n],
      ]
    })
    expect(found).toEqual([
      ['A1', houseKey('100'), streetKey('MAIN'), 'N|ST|', unitKey('APT', '4'), wingKey('B'), 0],
      ['A2', houseKey('7'), streetKey('OAK'), '|AVE|NW', unitKey('STE', '100'), '', 1],
      ['A3', houseKey('12'), streetKey('PO BOX'), '||', '', '', 2],
      ['A4', '', '', '||', '', '', 0],
    ])
  })
})
