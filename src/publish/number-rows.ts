import type { DuckDBConnection } from '@duckdb/node-api'
import { isAtHomeSql, type ShardPlace, WHOLE } from '../lookup/format/shards.ts'
import { execute } from '../warehouse/query.ts'

/**
 * The temporary tables with the positions of people and addresses among those of all shards. Whoever writes one
 * shard on another machine creates them with the same columns.
 *
 * `person_rank` sorts people by completeness (highest first), then by id; equal matches are shown in this
 * order. `address_rank` sorts addresses by place (state, city, ZIP), then by building. `building_rank` numbers
 * buildings; their units have neighbouring ranks.
 */
const RANKED = {
  ranked_people: `
    select person_id, (row_number() over (order by coalesce(completeness, 0) desc, person_id) - 1)::integer as person_rank
    from published.people`,
  ranked_addresses: `
    select
      address_id,
      (row_number() over (
        order by upper(state) nulls first, upper(city) nulls first, zip nulls first, building_key nulls first,
          unit_type nulls first, unit_number nulls first, address_id
      ) - 1)::integer as address_rank,
      dense_rank() over (
        order by upper(state) nulls first, upper(city) nulls first, zip nulls first, coalesce(building_key, address_id)
      )::integer as building_rank
    from published.addresses`,
} as const satisfies Record<string, string>

/**
 * The temporary tables that number people, addresses and properties of one shard from 0, and give their
 * relations (such as `numbered_person_addresses`) these numbers. They exist while the index is written.
 *
 * People are numbered by last name, first name and state. So the people of one name are neighbours in every
 * column and in the file of documents. Addresses are numbered by `address_rank`, so a place and the units of a
 * building are ranges of numbers.
 *
 * Rows with `is_guest` belong to other shards, but are parts of documents of this one: people who own or live
 * in its properties, other properties that its people own, and their addresses. They have the last numbers.
 * `dropGuests` removes them when the documents are written.
 */
function numberedTables(place: ShardPlace) {
  const isHome = (column: string): string => isAtHomeSql(column, place)
  /** The ids of the rows at home, and of the rows of other shards (`others`), unless one shard has all. */
  const known = (table: string, id: string, others: readonly string[]): string => {
    const own = `select ${id}, false as is_guest from published.${table} where ${isHome(id)}`
    if (place.count === 1) return own
    const all = [own, ...others].join(' union all ')
    return `select ${id}, bool_and(is_guest) as is_guest from (${all}) where ${id} is not null group by ${id}`
  }
  return {
    known_people: known('people', 'person_id', [
      `select person_id, true as is_guest from published.property_owners
       where person_id is not null and ${isHome('property_id')} and not ${isHome('person_id')}`,
      `select person_id, true from published.residents where ${isHome('property_id')} and not ${isHome('person_id')}`,
    ]),
    numbered_people: `
      with
      homes as (
        select links.person_id, min(upper(addresses.state)) as state
        from published.person_addresses as links
        join published.addresses as addresses using (address_id)
        where links.is_current
        group by links.person_id
      ),
      numbered as (
        select
          person_id,
          person_rank,
          is_guest,
          (row_number() over (
            order by is_guest, case when is_guest then person_id end, last_name, first_name, homes.state, person_rank
          ) - 1)::integer as person_no
        from published.people as people
        join known_people using (person_id)
        join ranked_people using (person_id)
        left join homes using (person_id)
      )
      select numbered.person_no, numbered.person_rank, numbered.is_guest, people.*
      from published.people as people
      join numbered using (person_id)
      order by person_no`,
    known_properties: known('properties', 'property_id', [
      `select owners.property_id, true as is_guest
       from published.property_owners as owners
       join numbered_people using (person_id)
       where not ${isHome('owners.property_id')}`,
    ]),
    known_addresses: known('addresses', 'address_id', [
      `select links.address_id, people.is_guest
       from published.person_addresses as links
       join numbered_people as people using (person_id)`,
      `select properties.address_id, known.is_guest
       from published.properties as properties
       join known_properties as known using (property_id)`,
      `select properties.mailing_address_id, true
       from published.properties as properties
       join known_properties as known using (property_id)
       where not known.is_guest`,
    ]),
    numbered_places: `
      select
        (row_number() over (order by state nulls first, city nulls first, zip nulls first) - 1)::integer as place_no,
        state,
        city,
        zip
      from (
        select distinct upper(state) as state, upper(city) as city, zip
        from published.addresses
        join known_addresses as known using (address_id)
        where not known.is_guest
      )`,
    numbered_addresses: `
      select
        (row_number() over (order by known.is_guest, address_rank) - 1)::integer as address_no,
        known.is_guest,
        ${isHome('addresses.address_id')} as is_home,
        ranked.address_rank,
        ranked.building_rank,
        places.place_no,
        addresses.*
      from published.addresses as addresses
      join known_addresses as known using (address_id)
      join ranked_addresses as ranked using (address_id)
      left join numbered_places as places
        on places.state is not distinct from upper(addresses.state)
        and places.city is not distinct from upper(addresses.city)
        and places.zip is not distinct from addresses.zip
      order by address_no`,
    numbered_properties: `
      select
        (row_number() over (order by known.is_guest, property_id) - 1)::integer as property_no,
        known.is_guest,
        addresses.address_no,
        case when mailing.address_no is distinct from addresses.address_no then mailing.address_no end as mailing_address_no,
        properties.*
      from published.properties as properties
      join known_properties as known using (property_id)
      left join numbered_addresses as addresses using (address_id)
      left join numbered_addresses as mailing on mailing.address_id = properties.mailing_address_id
      order by property_no`,
    numbered_person_addresses: `
      select people.person_no, people.person_rank, addresses.address_no, links.is_current, coalesce(links.score, 0) as score, links.last_seen_on
      from published.person_addresses as links
      join numbered_people as people using (person_id)
      join numbered_addresses as addresses using (address_id)
      order by people.person_no`,
    numbered_person_phones: `
      select people.person_no, people.person_rank, links.phone, coalesce(links.line_type, 'unknown') as line_type, coalesce(links.score, 0) as score, links.last_seen_on
      from published.person_phones as links
      join numbered_people as people using (person_id)
      order by people.person_no`,
    numbered_person_emails: `
      select people.person_no, people.person_rank, links.email, coalesce(links.score, 0) as score
      from published.person_emails as links
      join numbered_people as people using (person_id)
      order by people.person_no`,
    numbered_owners: `
      select
        properties.property_no,
        properties.is_guest,
        people.person_no,
        people.person_rank,
        owners.owner_sequence,
        owners.business_id,
        owners.owner_name,
        coalesce(owners.owner_type, 'unknown') as owner_type
      from published.property_owners as owners
      join numbered_properties as properties using (property_id)
      left join numbered_people as people using (person_id)
      order by properties.property_no`,
    numbered_owned: `
      select distinct owners.person_no, properties.property_id, properties.sale_date,
        -- A lot without an address is shown by its parcel number.
        coalesce(addresses.full_address, concat_ws(', ', 'Parcel ' || properties.apn, properties.county_name, properties.state)) as full_address
      from numbered_owners as owners
      join numbered_properties as properties using (property_no)
      left join numbered_addresses as addresses using (address_no)
      where owners.person_no is not null
      order by owners.person_no`,
    numbered_relatives: `
      select people.person_no, relatives.person_id, relatives.name, coalesce(links.score, 0) as score
      from published.relatives as links
      join numbered_people as people using (person_id)
      join published.people as relatives on relatives.person_id = links.relative_id
      where not people.is_guest
      order by people.person_no`,
    numbered_residents: `
      select properties.property_no, people.person_no, people.person_rank, coalesce(links.score, 0) as score
      from published.residents as links
      join numbered_properties as properties using (property_id)
      join numbered_people as people using (person_id)
      where not properties.is_guest
      order by properties.property_no`,
  } as const satisfies Record<string, string>
}

const NAMES = Object.keys(numberedTables(WHOLE))

/** Creates the tables of RANKED from the rows of all shards. */
export async function rankRows(db: DuckDBConnection, signal: AbortSignal): Promise<void> {
  await create(db, RANKED, signal)
}

/** Creates the temporary tables of one shard. */
export async function numberRows(
  db: DuckDBConnection,
  signal: AbortSignal,
  place: ShardPlace = WHOLE,
): Promise<void> {
  await create(db, numberedTables(place), signal)
}

async function create(
  db: DuckDBConnection,
  tables: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, select] of Object.entries(tables)) {
    signal.throwIfAborted()
    await execute(db, `create or replace temp table ${name} as ${select}`)
  }
}

/** Removes the rows of other shards. */
export async function dropGuests(db: DuckDBConnection): Promise<void> {
  const ofGuests = 'person_no in (select person_no from numbered_people where is_guest)'
  for (const links of ['addresses', 'phones', 'emails'])
    await execute(db, `delete from numbered_person_${links} where ${ofGuests}`)
  for (const table of ['people', 'addresses', 'properties'])
    await execute(db, `delete from numbered_${table} where is_guest`)
}

/** Drops the temporary tables. */
export async function dropNumbered(db: DuckDBConnection): Promise<void> {
  for (const name of NAMES) await execute(db, `drop table if exists temp.${name}`)
}

/** Drops the tables of `rankRows`. */
export async function dropRanked(db: DuckDBConnection): Promise<void> {
  for (const name of Object.keys(RANKED)) await execute(db, `drop table if exists temp.${name}`)
}
