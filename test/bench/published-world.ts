import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { parsePhone } from '../../src/normalize/phone.ts'
import { quotedLiteral } from '../../src/warehouse/query.ts'
import { emptyPublished } from '../support/published.ts'

const NAMES = fileURLToPath(new URL('../../data/reference/names.csv', import.meta.url))

/**
 * Fills `published.*` with `people` people as DuckDB alone can make them: names by the Census' frequencies, two and a
 * half addresses, two phones and one and a half e-mails each, half as many parcels. Only for measuring: it is no world
 * in which anything could be linked.
 */
export async function fillPublished(db: DuckDBConnection, people: number): Promise<void> {
  await emptyPublished(db)
  for (const statement of statements(people)) await db.run(statement)
}

const AREA_CODES = Array.from({ length: 800 }, (_, code) => String(200 + code)).filter(
  (code) => parsePhone(`${code}5550100`) !== null,
)

// hash() spreads evenly and is the same in every run; `salt` makes independent draws of one number.
const draw = (number: string, salt: number): string =>
  `(hash(${number}, ${salt}) % 1000000007) / 1000000007.0`
const pick = (number: string, salt: number, of: number | string): string =>
  `(hash(${number}, ${salt}) % ${of})::integer`
const id = (letter: string, number: string): string => `'${letter}' || lpad((${number})::varchar, 10, '0')`

const insert = (table: string, columns: string, from: string): string =>
  `insert into published.${table} by name select ${columns} from ${from}`

function statements(people: number): string[] {
  const addresses = Math.ceil(people * 0.8)
  const properties = Math.ceil(people * 0.5)
  const names = `read_csv(${quotedLiteral(NAMES)}, header = true, all_varchar = true)`
  const cumulative = (kind: string): string => `
    create or replace temp table ${kind}_names as
    select name, coalesce(sum(weight) over (order by weight desc, name rows between unbounded preceding and 1 preceding), 0) / sum(weight) over () as floor
    from (select name, greatest(try_cast(${kind} as double), 0.2) as weight from ${names} where ${kind} is not null and ${kind} <> '')`
  return [
    cumulative('surname'),
    cumulative('female'),
    cumulative('male'),
    `create or replace temp table places as select i as place, (['TX','FL','NY','CA','OH','GA','IL','PA','NC','WA'])[i % 10 + 1] as state, 'Town ' || (i / 4)::integer as city, lpad((10000 + i * 37)::varchar, 5, '0') as zip, 27 + (i * 7 % 200) / 10.0 as latitude, -120 + (i * 13 % 450) / 10.0 as longitude from range(2000) r(i)`,
    `create or replace temp table streets as select row_number() over () - 1 as street, name from (select name from surname_names order by floor limit 3000)`,
    insert('addresses', `
      ${id('A', 'i')} as address_id,
      house || ' ' || s.name || ' St' || case when unit is null then '' else ' Apt ' || unit end as line1,
      line1 || ', ' || city || ', ' || state || ' ' || zip as full_address,
      city, state, zip, house::varchar as house_number, s.name as street_name, 'ST' as street_suffix,
      case when unit is null then null else 'APT' end as unit_type, unit::varchar as unit_number,
      house || ' ' || s.name || '|' || zip as building_key, '48453' as county_fips, 'Travis' as county_name,
      latitude + ${pick('i', 5, 1000)} / 10000.0 as latitude, longitude + ${pick('i', 6, 1000)} / 10000.0 as longitude, 'rooftop' as location_precision`,
      `(select i, ${pick('i', 1, 2000)} as place, ${pick('i', 2, 3000)} as street, 1 + ${pick('i', 3, 9000)} as house, case when ${pick('i', 4, 4)} = 0 then 1 + ${pick('i', 7, 40)} end as unit from range(${addresses}) r(i)) a join places using (place) join streets s using (street)`),
    `create or replace temp table drawn as
     select i, f.name as first_name, case ${pick('i', 12, 3)} when 0 then chr(65 + ${pick('i', 13, 26)}) when 1 then m.name end as middle_name, l.name as last_name
     from (select i, ${draw('i', 8)} as first_draw, ${draw('i', 9)} as last_draw, ${draw('i', 10)} as middle_draw, ${pick('i', 11, 2)} as is_male from range(${people}) r(i)) p
     asof join (select *, 1 as is_male from male_names union all select *, 0 from female_names) f on p.is_male = f.is_male and p.first_draw >= f.floor
     asof join surname_names l on p.last_draw >= l.floor
     asof join female_names m on p.middle_draw >= m.floor`,
    insert('people', `${id('P', 'i')} as person_id, first_name || coalesce(' ' || middle_name, '') || ' ' || last_name as name, first_name, middle_name, last_name,
      case when ${pick('i', 14, 4)} = 0 then [first_name || ' ' || last_name || 'SON'] else [] end as aliases,
      case when ${pick('i', 15, 5)} > 0 then (1930 + ${pick('i', 16, 75)})::varchar || '-' || lpad((1 + ${pick('i', 17, 12)})::varchar, 2, '0') || '-11' end as date_of_birth,
      ${pick('i', 18, 30)} = 0 as is_dead, case when ${pick('i', 19, 3)} = 0 then 'Company ' || ${pick('i', 20, 9999)} end as company_name,
      ${pick('i', 21, 101)} as completeness, 2 as source_count, 3 as mention_count`, 'drawn'),
    insert('person_names', `${id('P', 'i')} as person_id, first_name, middle_name, last_name, true as is_primary`, 'drawn'),
    insert('person_names', `${id('P', 'i')} as person_id, first_name, null as middle_name, last_name || 'SON' as last_name, false as is_primary`, `drawn where ${pick('i', 14, 4)} = 0`),
    insert('person_addresses', `distinct on (person_id, address_id) ${id('P', 'i')} as person_id, ${id('A', pick('i', 30, addresses) + ' + n * 1000')} as address_id, n = 0 as is_current, 90 - n * 10 as score, date '2015-01-01' as first_seen_on, date '2026-01-01' as last_seen_on`,
      `range(${people}) r(i), range(4) s(n) where n <= ${pick('i', 31, 4)} and ${pick('i', 30, addresses)} + n * 1000 < ${addresses}`),
    insert('person_phones', `distinct on (person_id, phone) ${id('P', 'i')} as person_id, '1' || codes[1 + ${pick('i * 4 + n', 32, AREA_CODES.length)}] || '555' || lpad(${pick('i * 4 + n', 39, 10_000)}::varchar, 4, '0') as phone, 'mobile' as line_type, 90 - n * 7 as score`,
      `range(${people}) r(i), range(6) s(n), (select [${AREA_CODES.map(quotedLiteral).join(', ')}] as codes) where n < ${pick('i', 33, 5)}`),
    insert('phones', `distinct phone, '(' || substr(phone, 2, 3) || ') ' || substr(phone, 5, 3) || '-' || substr(phone, 8) as national_format, 'mobile' as line_type, 'Some Carrier' as carrier`, 'published.person_phones'),
    insert('person_emails', `${id('P', 'i')} as person_id, 'u' || i || '.' || n || '@example.com' as email, 80 - n * 9 as score`, `range(${people}) r(i), range(4) s(n) where n < ${pick('i', 34, 4)}`),
    insert('properties', `${id('R', 'i')} as property_id, '48453' as county_fips, 'Travis' as county_name, 'TX' as state, 'APN' || i as apn, ${id('A', 'i')} as address_id,
      'single_family' as property_purpose, 'OwnerOccupied' as owner_occupied, false as is_vacant, 30.2 as latitude, -97.7 as longitude, 'individual' as owner_type, date '2015-03-02' as sale_date, 250000.0 as last_sale_amount,
      1990 as year_built, 2000.0 as living_sqft, 3.0 as bedrooms, 400000.0 as market_value, 2025 as assessment_year`, `range(${properties}) r(i)`),
    insert('property_owners', `${id('R', 'i')} as property_id, n + 1 as owner_sequence, ${id('P', pick('i * 2 + n', 35, people))} as person_id, 'individual' as owner_type`, `range(${properties}) r(i), range(2) s(n) where n <= ${pick('i', 36, 2)}`),
    insert('residents', `p.property_id, a.person_id, a.score`, `published.properties p join published.person_addresses a using (address_id) where a.is_current`),
    insert('relatives', `${id('P', 'i')} as person_id, ${id('P', pick('i * 4 + n', 37, people))} as relative_id, 'household' as reason, 50 as score`, `range(${people}) r(i), range(3) s(n) where n < ${pick('i', 38, 4)}`),
  ] // prettier-ignore
}
