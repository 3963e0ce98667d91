import { PEOPLE_LIMIT } from '../../../src/lookup/phone/phone-body.ts'
import { DETAILS, DETAILS_LISTS, property, result, resultLists } from './postgres-documents.ts'

// $1 is the day that ages are computed for. Each is one prepared statement, one round trip, one text back.

const score = (match: string): string =>
  `least(99, greatest(50, floor(60 * (${match}) + 0.4 * completeness + 0.5)))::integer`

export const PERSON = `
select json_build_object('result', ${DETAILS})::text
from people as p ${DETAILS_LISTS}
where p.person_id = $2`

export const PHONE = `
with
found as (
  select person_id, phone, ${score('0.5 + score / 200.0')} as match_score, completeness
  from person_phones join people using (person_id)
  where phone = $2
  order by score desc, completeness desc, person_id
  limit ${PEOPLE_LIMIT}
),
counted as (select count(*)::integer as people_count from person_phones where phone = $2)
select json_build_object(
  'phone', json_build_object('e164', '+' || phone, 'national_format', national_format, 'line_type', coalesce(line_type, 'unknown'),
    'carrier', case when line_type <> 'tollfree' then carrier end, 'primary_owner', case when people_count > 0 then 'person' else 'unknown' end,
    'returned_people', least(people_count, ${PEOPLE_LIMIT}), 'people_limit', ${PEOPLE_LIMIT},
    'people_truncated', people_count > ${PEOPLE_LIMIT}, 'returned_businesses', 0),
  'people', (select coalesce(json_agg(${result('match_score', `'phone'`)} order by match_score desc, found.completeness desc, p.person_id), '[]')
    from found join people as p using (person_id) ${resultLists('found.phone')}),
  'businesses', json_build_array())::text
from phones cross join counted
where phones.phone = $2`

/** A page of \`found\`: $2 the state, $3 the page, $4 its size; null when nobody is found. */
const page = (found: string): string => `
with
found as (${found}),
page as (
  select *, count(*) over ()::integer as total from found
  order by match_score desc, completeness desc, person_id
  limit $4::integer offset ($3::integer - 1) * $4::integer
)
select json_build_object(
  'results', json_agg(${result('match_score', `'name', 'address'`)} order by match_score desc, page.completeness desc, p.person_id),
  'metadata', json_build_object('result_count', max(page.total), 'page', $3::integer, 'page_size', $4::integer))::text
from page join people as p using (person_id) ${resultLists()}
having count(*) > 0`

/** By two words of one name in any order, $5 before $6 in the alphabet. */
export const EXACT = page(`
  select person_id, completeness, ${score('(2 + 4 * quality) / 6')} as match_score
  from (
    select person_id, max(case when is_primary then 1 else 0.95 end) as quality
    from name_pairs where one = $5 and other = $6
    group by person_id
  ) as named
  join people using (person_id)
  where $2 = any (states)`)

/** By likeness of trigrams to $5: exact names first, as a likeness of 1 is. */
export const FUZZY = page(`
  select person_id, completeness, greatest(1, floor((60 * (2 + 4 * likeness) / 6 + 0.4 * completeness) / 2 + 0.5))::integer as match_score
  from (
    select person_id, max(similarity(full_name, $5)) as likeness
    from person_names where full_name % $5
    group by person_id
  ) as named
  join people using (person_id)
  where $2 = any (states)`)

/** $2 ZIP, $3 street, $4 suffix, $5 house number, $6 the same as a number, $7 unit: graded as Platbook grades. */
export const PROPERTY = `
with
street as (
  select address_id, house, ($4::text is null or street_suffix = $4) is true as is_shape, house_number = $5 as is_house,
    unit_number is not distinct from $7::text as is_unit, unit_number is null as is_building
  from addresses where zip = $2 and street_name = $3
),
range as (select min(house) as lowest, max(house) as highest from street where is_shape),
picked as (
  select property_id, case
      when is_shape and is_house and is_unit then 0
      when is_shape and is_house then case when is_building then 1 else 2 end
      else 10 + 2 * coalesce(abs(house - $6::integer), 1000000) + case when is_shape then 0 else 1 end
    end as place
  from street join properties using (address_id)
  order by place, property_id
  limit 1
),
graded as (
  select property_id, case when place = 0 then 100 when place <= 2 then 90
    when $6::integer < lowest or $6::integer > highest then 25 else 50 end as grade
  from picked cross join range
)
select json_build_object('result', ${property('grade')})::text
from graded
join properties as r using (property_id)
left join addresses as a on a.address_id = r.address_id
left join addresses as m on m.address_id = r.mailing_address_id and m.address_id is distinct from r.address_id`
