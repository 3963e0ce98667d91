import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'

/** Values of the column `list_kind` of `temp.coded_lists` and `temp.coded_values`. */
export const LIST = { other_last_name: 0, address: 1, phone: 2, email: 3, trait: 4, identifier: 5 } as const

/**
 * SQL expression for the birth date of row `r` as one integer: year * 512 + month * 32 + day. An unknown or impossible part counts as 0:
 * month 13, or a year before 1500.
 */
export const BIRTH = `
  (case when r.birth_year between 1500 and 2099 then r.birth_year else 0 end * 512
  + case when r.birth_month between 1 and 12 then r.birth_month else 0 end * 32
  + case when r.birth_day between 1 and 31 then r.birth_day else 0 end)::integer`

// A rank has 52 bits, in two halves of 26. A JavaScript number holds 52 bits exactly, and each half fits in an SQL `integer`.
const RANK_LOW = 2 ** 26

/**
 * Returns two SQL expressions, for the upper and the lower 26 bits of a record's rank. A rank is a number that depends only on the record
 * id: it breaks ties and draws samples. `hash` is an SQL expression for the 64-bit hash of the record id. `rankOf` joins both halves.
 */
export function rankColumns(hash: string): readonly [high: string, low: string] {
  return [`(${hash} >> 38)::integer`, `(${hash} & ${RANK_LOW - 1})::integer`]
}

/** Returns the rank whose halves the two columns of `rankColumns` hold. */
export function rankOf(high: number, low: number): number {
  return high * RANK_LOW + low
}

const TABLES = `
  create or replace table link.coded_records (record_number integer, record_id varchar, id_hash ubigint, content ubigint);
  create or replace table link.coded_sources (source_number integer, source_id varchar)`

/** Empties `link.coded_records` and `link.coded_sources`. They keep the numbers of records and sources from one run to the next. */
export async function resetCoding(db: DuckDBConnection): Promise<void> {
  for (const statement of TABLES.split(';')) await execute(db, statement)
}

/**
 * Replaces every text in `from` (a table with the columns of `link.records`) by an integer. Writes temporary tables: the dictionaries
 * `coded_names`, `coded_addresses` and `coded_values`, and the integers in `coded_records` and `coded_lists`. Record numbers follow last and
 * first name, so that records that are compared with each other lie close together in memory. No result of a run depends on these numbers.
 */
export async function codeRecords(db: DuckDBConnection, from: string): Promise<void> {
  await execute(
    db,
    `create or replace temp table coded_names as
    select row_number() over (order by name)::integer as name_id, name
    from (
      select first_name as name from ${from} union select middle_name from ${from} union select last_name from ${from}
      union select name_suffix from ${from} union select unnest(other_last_names) from ${from}
    ) where name <> ''`,
  )
  await execute(
    db,
    // DuckDB sorts this table to number the records, so it holds integers and no texts.
    `create or replace temp table coded_records as
    with coded as (
      select
        r.rowid as row_number, hash(r.record_id) as hash, s.source_number,
        coalesce(f.name_id, 0) as first_id, coalesce(m.name_id, 0) as middle_id, coalesce(l.name_id, 0) as last_id,
        coalesce(x.name_id, 0) as suffix_id, ${BIRTH} as birth
      from ${from} as r
      join link.coded_sources as s on s.source_id = r.source_id
      left join temp.coded_names as f on f.name = r.first_name
      left join temp.coded_names as m on m.name = r.middle_name
      left join temp.coded_names as l on l.name = r.last_name
      left join temp.coded_names as x on x.name = r.name_suffix
    )
    select (row_number() over (order by last_id, first_id, hash) - 1)::integer as record_number, *
    from coded`,
  )
  await codeAddresses(db, from)
  await codeValues(db, from)
}

/** Gives a number to each source of `from` that has none yet. Call it before `codeRecords`, which reads these numbers. */
export async function codeSources(db: DuckDBConnection, from: string): Promise<void> {
  await execute(
    db,
    `insert into link.coded_sources
    select (select coalesce(max(source_number), -1) from link.coded_sources)::integer + row_number() over (order by source_id)::integer, source_id
    from (select distinct source_id from ${from}) anti join link.coded_sources using (source_id)`,
  )
}

/**
 * Stores number, id and content hash of the records that `codeRecords` coded last in `link.coded_records`. The numbers begin with `first`. An
 * incremental run compares this table with `link.records` to find changed records.
 */
export async function keepNumbers(db: DuckDBConnection, from: string, first: number): Promise<void> {
  await execute(
    db,
    `insert into link.coded_records
    select (c.record_number + ${first})::integer, r.record_id, c.hash, r.content
    from ${from} as r join temp.coded_records as c on c.row_number = r.rowid`,
  )
}

/**
 * Returns an SQL expression for the building key of an address. It takes `building_key` where the normaliser made one. Otherwise it joins
 * house number, street and place. The result is null when street or place is unknown. `address` is the SQL name of the address struct.
 */
export function buildingOf(address: string): string {
  const place = `coalesce(nullif(trim(${address}.zip), ''), concat(trim(${address}.city), '|', trim(${address}.state)))`
  return `case
    when trim(${address}.building_key) <> '' then concat(trim(${address}.building_key), '|')
    when trim(${address}.street_name) <> '' and ${place} <> '|'
      then concat(trim(${address}.house_number), '|', trim(${address}.street_name), '|', ${place}, '|')
  end`
}

/** Returns an SQL expression for the key of an address with its unit: `address_key`, or else the building key and the unit number. */
export function unitKeyOf(address: string, building: string): string {
  return `coalesce(nullif(trim(${address}.address_key), ''), ${building} || coalesce(trim(${address}.unit_number), ''))`
}

async function codeAddresses(db: DuckDBConnection, from: string): Promise<void> {
  await execute(
    db,
    `create or replace temp table found_addresses as
    select row_number, hash(address) as address_hash, address
    from (select rowid as row_number, unnest(addresses) as address from ${from}) where address is not null`,
  )
  await execute(
    db,
    `create or replace temp table coded_addresses as
    with distinct_addresses as (
      select address_hash, unnest(any_value(address)) from temp.found_addresses group by address_hash
    ),
    built as (
      select *, ${buildingOf('a')} as building from distinct_addresses as a
    )
    select row_number() over ()::integer as address_id, address_hash, ${unitKeyOf('a', 'building')} as unit_key,
      building, house_number, street_name, unit_number, city, state, zip
    from built as a`,
  )
  await execute(
    db,
    `create or replace temp table coded_lists as
    select c.record_number, ${LIST.address} as list_kind, a.address_id as value_id
    from temp.found_addresses as f
    join temp.coded_addresses as a using (address_hash) join temp.coded_records as c using (row_number)`,
  )
  await execute(db, 'drop table temp.found_addresses')
}

async function codeValues(db: DuckDBConnection, from: string): Promise<void> {
  await execute(
    db,
    `create or replace temp table found_values as
    select row_number, list_kind, value from (
      select rowid as row_number, ${LIST.phone} as list_kind, unnest(phones) as value from ${from}
      union all select rowid, ${LIST.email}, unnest(emails) from ${from}
      union all select rowid, ${LIST.trait}, unnest(traits) from ${from}
      union all select rowid, ${LIST.identifier}, unnest(identifiers) from ${from}
      union all select rowid, ${LIST.trait}, 'gender:' || gender from ${from} where gender <> ''
      union all select rowid, ${LIST.trait}, 'employer:' || employer from ${from} where employer <> ''
    ) where value <> '' and (list_kind < ${LIST.trait} or position(':' in value) > 1)`,
  )
  await execute(
    db,
    `create or replace temp table coded_values as
    select row_number() over (order by list_kind, kind)::integer as value_id, *,
    from (
      select distinct list_kind, case when list_kind >= ${LIST.trait} then split_part(value, ':', 1) else '' end as kind, value
      from temp.found_values
    )`,
  )
  await execute(
    db,
    `insert into temp.coded_lists
    select c.record_number, f.list_kind, v.value_id
    from temp.found_values as f
    join temp.coded_values as v using (list_kind, value) join temp.coded_records as c using (row_number)
    union all
    select c.record_number, ${LIST.other_last_name}, n.name_id
    from (select rowid as row_number, unnest(other_last_names) as name from ${from}) as o
    join temp.coded_records as c using (row_number) join temp.coded_names as n using (name)`,
  )
  await execute(db, 'drop table temp.found_values')
}

/** Drops the temporary tables that `codeRecords` makes. */
export async function dropCoding(db: DuckDBConnection): Promise<void> {
  for (const table of ['coded_names', 'coded_records', 'coded_addresses', 'coded_values', 'coded_lists'])
    await execute(db, `drop table if exists temp.${table}`)
}
