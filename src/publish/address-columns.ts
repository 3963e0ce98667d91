import type { DuckDBConnection } from '@duckdb/node-api'
import { type Columns, HISTORIC, NO_ZIP, SEVERAL_STATES } from '../lookup/format/columns.ts'
import { type ShardPlace, WHOLE } from '../lookup/format/shards.ts'
import { stateCode } from '../lookup/format/states.ts'
import { cityKey, houseKey, streetKey, unitKey, wingKey } from '../lookup/format/address-keys.ts'
import { execute } from '../warehouse/query.ts'
import { keyedTexts } from './dictionaries.ts'
import { type Lists, readLists, rowChunks } from './row-batches.ts'

/** Builds the columns of addresses and places, and of the links between people and addresses. */
export async function addressColumns(
  db: DuckDBConnection,
  counts: { people: number; addresses: number; places: number },
  signal: AbortSignal,
  { count: shardCount }: ShardPlace = WHOLE,
): Promise<Partial<Columns>> {
  const dictionaries: Partial<Columns> = {}
  for (const [name, { expression, from, keyOf }] of Object.entries(DICTIONARIES)) {
    const { start, text } = await keyedTexts(db, { name, expression, from, keyOf }, signal)
    Object.assign(dictionaries, { [`${name}_start`]: start, [`${name}_text`]: text })
  }
  const places = await placeColumns(db, counts.places, counts.addresses, signal)
  const addresses = await addressParts(db, counts.addresses, signal)
  const links = await linkColumns(db, counts, { ...addresses, ...places }, signal)
  const streets = streetColumns(addresses.address_street, dictionaries.street_start!.length - 1)
  for (const name of Object.keys(DICTIONARIES)) await execute(db, `drop table temp.${name}_texts`)
  const whole = { ...dictionaries, ...places, ...addresses, ...links, ...streets }
  return shardCount === 1 ? { ...whole, address_rank: NO_NUMBERS, address_at_home: NO_BYTES } : whole
}

const NO_NUMBERS = new Uint32Array(0)
const NO_BYTES = new Uint8Array(0)

// The index stores a PO box as a house on the street 'PO BOX'. Only the building key, such as 'PO BOX
// 12|78701', shows that an address is a box.
const BOX_NUMBER = `regexp_extract(building_key, '^PO BOX ([^|]+)', 1)`
const ifBox = (expression: string): string => `case when building_key like 'PO BOX %' then ${expression} end`

// For each dictionary: the texts in the tables, and the function that gives equal spellings the same key. The
// keys are parts of the address identity that src/normalize computes.
const DICTIONARIES = {
  street: {
    from: 'numbered_addresses',
    expression: `upper(coalesce(street_name, ${ifBox("'PO BOX'")}, ''))`,
    keyOf: streetKey,
  },
  // The combinations of directionals and suffix are one dictionary because few exist: 'N|ST|'.
  shape: {
    from: 'numbered_addresses',
    expression: `upper(concat(pre_directional, '|', street_suffix, '|', post_directional))`,
    keyOf: (text: string): string => text,
  },
  house: {
    from: 'numbered_addresses',
    expression: `upper(coalesce(house_number, ${ifBox(BOX_NUMBER)}, ''))`,
    keyOf: houseKey,
  },
  unit: {
    from: 'numbered_addresses',
    expression: `upper(concat(unit_type, '|', unit_number))`,
    keyOf: (text: string): string => unitKey(text.split('|')[0]!, text.split('|')[1]!),
  },
  wing: { from: 'numbered_addresses', expression: `upper(coalesce(building, ''))`, keyOf: wingKey },
  city: { from: 'numbered_places', expression: `coalesce(city, '')`, keyOf: cityKey },
} as const

async function placeColumns(
  db: DuckDBConnection,
  placeCount: number,
  addressCount: number,
  signal: AbortSignal,
) {
  const columns = {
    place_address_start: new Uint32Array(placeCount + 1).fill(addressCount),
    place_state: new Uint8Array(placeCount),
    place_city: new Uint32Array(placeCount),
    place_zip: new Uint32Array(placeCount),
    place_box: new Float32Array(placeCount * 4).fill(Number.NaN),
  }
  const select = `
    select place_no, min(address_no), any_value(places.state), any_value(cities.number), coalesce(try_cast(any_value(places.zip) as uinteger), ${NO_ZIP}),
      min(latitude), max(latitude), min(longitude), max(longitude)
    from numbered_places as places
    join numbered_addresses as addresses using (place_no)
    join city_texts as cities on cities.text = coalesce(places.city, '')
    group by place_no`
  for await (const rows of rowChunks(db, select, signal)) {
    for (let row = 0; row < rows.count; row++) {
      const place = rows.integers(0, row)
      columns.place_address_start[place] = rows.integers(1, row)
      columns.place_state[place] = stateCode(rows.text(2, row))
      columns.place_city[place] = rows.integers(3, row)
      columns.place_zip[place] = rows.integers(4, row)
      for (let side = 0; side < 4; side++) columns.place_box[place * 4 + side] = rows.doubles(5 + side, row)
    }
  }
  return columns
}

async function addressParts(db: DuckDBConnection, count: number, signal: AbortSignal) {
  const numbers = {
    address_place: new Uint32Array(count),
    address_street: new Uint32Array(count),
    address_shape: new Uint32Array(count),
    address_house: new Uint32Array(count),
    address_unit: new Uint32Array(count),
    address_wing: new Uint32Array(count),
    address_building: new Uint32Array(count),
    address_property: new Uint32Array(count),
    address_rank: new Uint32Array(count),
    address_at_home: new Uint8Array(count),
  }
  const targets = Object.values(numbers)
  const address_latitude = new Float32Array(count)
  const address_longitude = new Float32Array(count)
  const select = `
    select address_no, place_no, streets.number, shapes.number, houses.number, units.number, wings.number,
      building_rank, coalesce(properties.property_no + 1, 0), address_rank, is_home::integer,
      addresses.latitude, addresses.longitude
    from numbered_addresses as addresses
    join street_texts as streets on streets.text = ${DICTIONARIES.street.expression}
    join shape_texts as shapes on shapes.text = ${DICTIONARIES.shape.expression}
    join house_texts as houses on houses.text = ${DICTIONARIES.house.expression}
    join unit_texts as units on units.text = ${DICTIONARIES.unit.expression}
    join wing_texts as wings on wings.text = ${DICTIONARIES.wing.expression}
    left join (select address_no, min(property_no) as property_no from numbered_properties group by address_no) as properties using (address_no)`
  for await (const rows of rowChunks(db, select, signal)) {
    for (let row = 0; row < rows.count; row++) {
      const address = rows.integers(0, row)
      for (const [index, target] of targets.entries()) target[address] = rows.integers(index + 1, row)
      address_latitude[address] = rows.doubles(11, row)
      address_longitude[address] = rows.doubles(12, row)
    }
  }
  return { ...numbers, address_latitude, address_longitude }
}

async function linkColumns(
  db: DuckDBConnection,
  counts: { people: number; addresses: number },
  addresses: Pick<Columns, 'address_place' | 'place_state'>,
  signal: AbortSignal,
) {
  const bestFirst = 'is_current desc, score desc, address_no'
  const byPerson = await readLinks(db, counts.people, 'person_no', 'address_no', bestFirst, signal)
  const scores = await readLists(
    db,
    `select person_no, score from numbered_person_addresses order by person_no, ${bestFirst}`,
    counts.people,
    signal,
  )
  const byAddress = await readLinks(db, counts.addresses, 'address_no', 'person_no', 'person_rank', signal)
  const person_state = new Uint8Array(counts.people)
  for (let person = 0; person < counts.people; person++) {
    for (let i = byPerson.start[person]!; i < byPerson.start[person + 1]!; i++) {
      const link = byPerson.items[i]!
      if (link >= HISTORIC) break
      const state = addresses.place_state[addresses.address_place[link]!]!
      const known = person_state[person]!
      person_state[person] = known === 0 || known === state ? state : SEVERAL_STATES
    }
  }
  return {
    person_address_start: byPerson.start,
    person_addresses: byPerson.items,
    person_address_scores: Uint8Array.from(scores.items),
    address_person_start: byAddress.start,
    address_people: byAddress.items,
    person_state,
  }
}

function readLinks(
  db: DuckDBConnection,
  count: number,
  of: string,
  to: string,
  order: string,
  signal: AbortSignal,
): Promise<Lists> {
  const select = `
    select ${of}, (${to}::bigint + case when is_current then 0 else ${HISTORIC} end)::uinteger
    from numbered_person_addresses
    order by ${of}, ${order}`
  return readLists(db, select, count, signal)
}

/**
 * Groups addresses by street name, ascending in each group: counts the addresses of each street, then assigns
 * positions.
 */
function streetColumns(streets: Uint32Array, streetCount: number) {
  const start = new Uint32Array(streetCount + 1)
  for (const street of streets) start[street + 1]!++
  for (let street = 0; street < streetCount; street++) start[street + 1]! += start[street]!
  const next = start.slice()
  const addresses = new Uint32Array(streets.length)
  for (const [address, street] of streets.entries()) addresses[next[street]!++] = address
  return { street_address_start: start, street_addresses: addresses }
}
