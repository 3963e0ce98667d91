import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'

/**
 * The temporary tables that number people, addresses and properties from 0, and give their relations (such as
 * `numbered_person_addresses`) these numbers. They exist while the index is written.
 *
 * People are numbered by last name, first name and state. So the people of one name are neighbours in every
 * column and in the file of documents. `person_rank` sorts people by completeness (highest first), then by
 * id; equal matches are shown in this order. Addresses are numbered by place (state, city, ZIP), then by
 * building, so a place and the units of a building are ranges of numbers.
 */
const NUMBERED = {
  numbered_people: `
    with
    homes as (
      select links.person_id, min(upper(addresses.state)) as state
      from published.person_addresses as links
      join published.addresses as addresses using (address_id)
      where links.is_current
      group by links.person_id
    ),
    ranked as (
      select
        person_id,
        last_name,
        first_name,
        (row_number() over (order by coalesce(completeness, 0) desc, person_id) - 1)::integer as person_rank
      from published.people
    ),
    numbered as (
      select
        person_id,
        person_rank,
        (row_number() over (order by last_name, first_name, homes.state, person_rank) - 1)::integer as person_no
      from ranked
      left join homes using (person_id)
    )
    select numbered.person_no, numbered.person_rank, people.*
    from published.people as people
    join numbered using (person_id)
    order by person_no`,
  numbered_places: `
    select
      (row_number() over (order by state nulls first, city nulls first, zip nulls first) - 1)::integer as place_no,
      state,
      city,
      zip
    from (select distinct upper(state) as state, upper(city) as city, zip from published.addresses)`,
  numbered_addresses: `
    select
      (row_number() over (
        order by places.place_no, building_key nulls first, unit_type nulls first, unit_number nulls first, address_id
      ) - 1)::integer as address_no,
      places.place_no,
      addresses.*
    from published.addresses as addresses
    join numbered_places as places
      on places.state is not distinct from upper(addresses.state)
      and places.city is not distinct from upper(addresses.city)
      and places.zip is not distinct from addresses.zip
    order by address_no`,
  numbered_properties: `
    select
      (row_number() over (order by property_id) - 1)::integer as property_no,
      addresses.address_no,
      case when mailing.address_no is distinct from addresses.address_no then mailing.address_no end as mailing_address_no,
      properties.*
    from published.properties as properties
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
    join numbered_people as relatives on relatives.person_id = links.relative_id
    order by people.person_no`,
  numbered_residents: `
    select properties.property_no, people.person_no, people.person_rank, coalesce(links.score, 0) as score
    from published.residents as links
    join numbered_properties as properties using (property_id)
    join numbered_people as people using (person_id)
    order by properties.property_no`,
} as const satisfies Record<string, string>

/** Creates the temporary tables. */
export async function numberRows(db: DuckDBConnection, signal: AbortSignal): Promise<void> {
  for (const [name, select] of Object.entries(NUMBERED)) {
    signal.throwIfAborted()
    await execute(db, `create or replace temp table ${name} as ${select}`)
  }
}

/** Drops the temporary tables. */
export async function dropNumbered(db: DuckDBConnection): Promise<void> {
  for (const name of Object.keys(NUMBERED)) await execute(db, `drop table if exists temp.${name}`)
}
