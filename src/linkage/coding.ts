import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'

/** Kinds of `link.coded_lists.list_kind`. */
export const LIST = { other_last_name: 0, address: 1, phone: 2, email: 3, trait: 4, identifier: 5 } as const

/** Everything of a record that decides how it is linked, as one number; a record whose number is the same is unchanged. */
export const CONTENT = 'hash(r)'

// A date part that cannot be is none: a year before 1875, month 13.
const BIRTH = `
  (case when r.birth_year between 1875 and 2099 then r.birth_year else 0 end * 512
  + case when r.birth_month between 1 and 12 then r.birth_month else 0 end * 32
  + case when r.birth_day between 1 and 31 then r.birth_day else 0 end)::integer`

const TABLES = `
  create or replace table link.coded_names (name_id integer, name varchar);
  create or replace table link.coded_addresses (address_id integer, address_hash ubigint, address_key varchar,
    building_key varchar, house_number varchar, street_name varchar, unit_number varchar, city varchar,
    state varchar, zip varchar);
  create or replace table link.coded_values (value_id integer, list_kind integer, value varchar);
  create or replace table link.coded_sources (source_number integer, source_id varchar);
  create or replace table link.coded_records (record_number integer, record_id varchar, content ubigint,
    source_number integer, first_id integer, middle_id integer, last_id integer, suffix_id integer, birth integer);
  create or replace table link.coded_lists (record_number integer, list_kind integer, value_id integer)`

/** Empties the coded tables, so that the next coding starts from nothing. */
export async function resetCoding(db: DuckDBConnection): Promise<void> {
  for (const statement of TABLES.split(';')) await execute(db, statement)
}

/**
 * Codes the records of `from` (a table of the shape of `link.records`) whose ids are not in `link.coded_records`:
 * every text becomes a dictionary's integer, new texts are appended to the dictionaries. Numbers are private to the
 * warehouse; nothing that is decided depends on them.
 */
export async function codeRecords(db: DuckDBConnection, from: string): Promise<void> {
  await execute(
    db,
    `insert into link.coded_names
    select (select coalesce(max(name_id), 0) from link.coded_names)::integer + row_number() over ()::integer, name
    from (
      select first_name as name from ${from} union select middle_name from ${from} union select last_name from ${from}
      union select name_suffix from ${from} union select unnest(other_last_names) from ${from}
    ) as found
    where name is not null and name <> '' and not exists (from link.coded_names as known where known.name = found.name)`,
  )
  await execute(
    db,
    `insert into link.coded_sources
    select (select coalesce(max(source_number), -1) from link.coded_sources)::integer + row_number() over ()::integer, source_id
    from (select distinct source_id from ${from}) as found
    where not exists (from link.coded_sources as known where known.source_id = found.source_id)`,
  )
  await execute(
    db,
    `insert into link.coded_records
    with base as (select coalesce(max(record_number), -1) as top from link.coded_records)
    select
      (select top from base)::integer + row_number() over (order by r.record_id)::integer,
      r.record_id, ${CONTENT}, s.source_number,
      coalesce(f.name_id, 0), coalesce(m.name_id, 0), coalesce(l.name_id, 0), coalesce(x.name_id, 0), ${BIRTH}
    from ${from} as r
    join link.coded_sources as s on s.source_id = r.source_id
    left join link.coded_names as f on f.name = r.first_name
    left join link.coded_names as m on m.name = r.middle_name
    left join link.coded_names as l on l.name = r.last_name
    left join link.coded_names as x on x.name = r.name_suffix`,
  )
  await codeAddresses(db, from)
  await codeValues(db, from)
}

async function codeAddresses(db: DuckDBConnection, from: string): Promise<void> {
  await execute(
    db,
    `create or replace temp table found_addresses as
    select c.record_number, hash(a.address) as address_hash, a.address
    from (select record_id, unnest(addresses) as address from ${from}) as a
    join link.coded_records as c using (record_id) where a.address is not null`,
  )
  await execute(
    db,
    `insert into link.coded_addresses
    select (select coalesce(max(address_id), 0) from link.coded_addresses)::integer + row_number() over ()::integer, address_hash, unnest(address)
    from (select address_hash, any_value(address) as address from found_addresses group by address_hash) as found
    where address_hash not in (select address_hash from link.coded_addresses)`,
  )
  await execute(
    db,
    `insert into link.coded_lists
    select f.record_number, ${LIST.address}, a.address_id
    from found_addresses as f join link.coded_addresses as a using (address_hash)`,
  )
  await execute(db, 'drop table found_addresses')
}

async function codeValues(db: DuckDBConnection, from: string): Promise<void> {
  await execute(
    db,
    `create or replace temp table found_values as
    select c.record_number, v.list_kind, v.value
    from (
      select record_id, ${LIST.phone} as list_kind, unnest(phones) as value from ${from}
      union all select record_id, ${LIST.email}, unnest(emails) from ${from}
      union all select record_id, ${LIST.trait}, unnest(traits) from ${from}
      union all select record_id, ${LIST.identifier}, unnest(identifiers) from ${from}
      union all select record_id, ${LIST.trait}, 'gender:' || gender from ${from} where gender is not null
      union all select record_id, ${LIST.trait}, 'employer:' || employer from ${from} where employer is not null
    ) as v
    join link.coded_records as c using (record_id) where v.value is not null and v.value <> ''`,
  )
  await execute(
    db,
    `insert into link.coded_values
    select (select coalesce(max(value_id), 0) from link.coded_values)::integer + row_number() over ()::integer, list_kind, value
    from (select distinct list_kind, value from found_values) as found
    where not exists (
      from link.coded_values as known where known.list_kind = found.list_kind and known.value = found.value)`,
  )
  await execute(
    db,
    `insert into link.coded_lists
    select f.record_number, f.list_kind, v.value_id
    from found_values as f join link.coded_values as v using (list_kind, value)
    union all
    select c.record_number, ${LIST.other_last_name}, n.name_id
    from (select record_id, unnest(other_last_names) as name from ${from}) as o
    join link.coded_records as c using (record_id) join link.coded_names as n using (name)`,
  )
  await execute(db, 'drop table found_values')
}
