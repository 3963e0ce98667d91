import type { DuckDBConnection } from '@duckdb/node-api'
import { hashText } from '../../../src/link/records/texts.ts'
import { rowsOf } from '../../support/warehouse.ts'
import { clean } from './reference-linker.ts'

/**
 * The levels of the second linker. A name is the struct of its row in `name_keys`.
 *
 * DuckDB's functions differ from the linker's in one case. With an odd number of letters out of order, `jaro_winkler_similarity` counts one
 * letter less, so it is up to 0.06 higher. No two texts of `randomPeople` are on the border of a level for this reason.
 * `damerau_levenshtein` allows more than the linker, but not at a distance of one.
 * Shared with the linker: the hash that chooses among equal agreements.
 */
const MACROS = [
  `hash_of(value) as getvariable('hashes')[value]`,
  `least_hash(texts) as list_sort([{'hash': hash_of(text), 'value': text} for text in texts])[1].value`,
  `address_rank(level) as list_position(['unit', 'building', 'other_unit', 'near', 'neighbour', 'street', 'different'], level)`,
  `place_rank(level) as list_position(['zip', 'city', 'near', 'state', 'different'], level)`,
  // The letters that occur in both texts are less than half of the letters of each.
  `few_common(a, b) as 2 * len(list_intersect(split(a, ''), split(b, ''))) < least(len(list_distinct(split(a, ''))), len(list_distinct(split(b, ''))))`,
  `long_words(a) as list_filter(split(a, ' '), lambda word: length(word) >= 3)`,
  `texts(a, b) as case
    when greatest(length(a), length(b)) >= 4 and damerau_levenshtein(a, b) <= 1 then 'near'
    when length(a) = 3 and length(b) = 3 and damerau_levenshtein(a, b) <= 1 then 'similar'
    when jaro_winkler_similarity(a, b) >= 0.93 and least(length(a), length(b)) >= 4 then 'near'
    when jaro_winkler_similarity(a, b) >= 0.86 then 'similar'
    else 'different' end`,
  `one_word(x) as (x.first_name is null) <> (x.last_name is null)`,
  // One of two spellings of a name: the one that the Census knows, or the one with the lower hash.
  `spelling(a, b) as case when length(b.name) > 1 and texts(a.name, b.name) <> 'different' then case
    when (a.is_first or a.is_last) <> (b.is_first or b.is_last) then if(a.is_first or a.is_last, a, b)
    when a.hash < b.hash then a else b end end`,
  `found_elsewhere(x, y) as case when length(x.first.name) > 1 and length(x.last.name) > 1 then case
    when x.first.name in (y.last.name, y.middle.name) and x.last.name in (y.first.name, y.middle.name)
      then if(x.first.name = y.last.name or x.last.name = y.first.name, {'first': x.first, 'last': x.last}, null)
    when x.first.name = y.last.name
      then {'first': x.first, 'last': coalesce(spelling(x.last, y.first), spelling(x.last, y.middle))}
    when x.last.name = y.first.name
      then {'first': coalesce(spelling(x.first, y.last), spelling(x.first, y.middle)), 'last': x.last} end end`,
  `swapped(l, r) as list_sort([{'order': xor(found.first.hash, found.last.hash), 'first': found.first.name, 'last': found.last.name}
    for found in [found_elsewhere(l, r), found_elsewhere(r, l)] if found.first.name is not null and found.last.name is not null])[1]`,
]

// Every two names, with their level as first, middle and last names.
const NAME_PAIRS = `
create or replace temp table name_pairs as
with alike as (
  select a, b, texts(a.name, b.name) as texts, case
    when a.name = b.name then 'exact'
    when length(a.name) = 1 or length(b.name) = 1
      then if(length(a.name) <> length(b.name) and left(a.name, 1) = left(b.name, 1), 'initial', 'different')
    when a.class = b.class then 'nickname'
    -- Two such names are different even when they sound alike.
    when few_common(a.name, b.name) and (a.other_forms = [''] or b.other_forms = ['']) then 'different'
    when (contains(a.name, ' ') or contains(b.name, ' ')) and list_has_any(long_words(a.name), long_words(b.name)) then 'part'
    when texts = 'near' then 'near'
    when list_contains(a.other_forms, b.name) or list_contains(b.other_forms, a.name) then 'nickname'
    when a.end_sound = b.end_sound and length(a.name) > 2 and length(b.name) > 2 then 'sound'
    when texts = 'different' and length(a.name) >= 4 and length(b.name) >= 4
      and (starts_with(a.name, b.name) or starts_with(b.name, a.name)) then 'part'
    else texts end as level
  from name_keys as a cross join name_keys as b
)
select a.name as a, b.name as b, length(a.name) = 1 or length(b.name) = 1 as is_letter,
  if(level = 'near' and a.is_first and b.is_first, 'similar', level) as first,
  case when is_letter then if(left(a.name, 1) = left(b.name, 1), 'initial', 'different')
    when level in ('exact', 'different') then level else 'near' end as middle,
  case level when 'initial' then 'different'
    when 'near' then if(a.is_last and b.is_last, 'similar', 'near')
    when 'nickname' then if(a.is_last and b.is_last, 'similar', 'near')
    else level end as last
from alike`

// Two records per row: `l` and `r`.
const TWO = `
create or replace temp table two as
with read as (
  select clean.*, is_household_like, is_duplicate_free, last_keys as last, first_keys as first, middle_keys as middle,
    list_filter(list_concat([last_name], coalesce(others, [])), lambda name: name is not null) as lasts
  from clean
  left join link.source_traits using (source_id)
  left join name_keys as first_keys on first_keys.name = first_name
  left join name_keys as middle_keys on middle_keys.name = middle_name
  left join name_keys as last_keys on last_keys.name = last_name
)
select l.record_id || ' ' || r.record_id as pair, l, r from read as l join read as r on l.record_id < r.record_id`

const NAME_LEVELS = `
with straight as (
  select pair, l, r, f.first, m.middle, case
      when len(l.lasts) = 0 or len(r.lasts) = 0 then null
      when l.last.name = r.last.name then 'exact'
      when list_has_any(l.lasts, r.lasts) then 'former'
      else coalesce(s.last, 'different') end as last,
    lr.last in ('exact', 'near') and not lr.is_letter or rl.last in ('exact', 'near') and not rl.is_letter as same_word
  from two
  left join name_pairs as f on f.a = l.first_name and f.b = r.first_name
  left join name_pairs as m on m.a = l.middle_name and m.b = r.middle_name
  left join name_pairs as s on s.a = l.last_name and s.b = r.last_name
  left join name_pairs as lr on lr.a = l.first_name and lr.b = r.last_name
  left join name_pairs as rl on rl.a = r.first_name and rl.b = l.last_name
),
single as (
  select *, coalesce((one_word(l) or one_word(r)) and same_word
    and coalesce(first not in ('exact', 'nickname', 'near', 'part'), true)
    and coalesce(last not in ('exact', 'former', 'near', 'part'), true), false) as is_single
  from straight
),
called as (
  select * replace (if(is_single, 'single', first) as first, if(is_single, null, last) as last) from single
),
read_across as (
  select *, if(first not in ('exact', 'nickname', 'near', 'part') and last is distinct from 'exact', swapped(l, r), null) as crossed,
    if(first not in ('exact', 'nickname', 'near', 'part'), list_filter([
      if(l.first.name = r.middle.name and length(l.first.name) > 1, l.first, null),
      if(r.first.name = l.middle.name and length(r.first.name) > 1, r.first, null)], lambda name: name is not null), []) as by_middle
  from called
)
select pair, 'first_name' as comparison,
  case when crossed is not null then 'swapped' when len(by_middle) > 0 then 'middle' else first end as level,
  case when crossed is not null then crossed.first
    when len(by_middle) > 0 then least_hash([name.name for name in by_middle])
    when first = 'exact' then l.first.name
    when first = 'nickname' then least_hash([l.first.name, r.first.name]) end as agreed,
  crossed.last as agreed_last
from read_across
union all
select pair, 'last_name', last, case last when 'exact' then l.last.name when 'former'
  then least_hash(list_intersect(l.lasts, r.lasts)) end, null
from read_across where crossed is null
union all
select pair, 'middle_name', middle, if(middle = 'exact', l.middle.name, null), null from read_across where crossed is null and len(by_middle) = 0
union all
select pair, 'name_suffix', if(l.name_suffix = r.name_suffix, 'same', 'different'), null, null from read_across
where l.name_suffix is not null and r.name_suffix is not null and list_sort([l.name_suffix, r.name_suffix]) <> ['II', 'JR']`

const DATE_LEVELS = `
select pair, 'birth_date', case
  when l.date = r.date then if(l.birth_month = 1 and l.birth_day = 1, 'january_first', 'exact')
  when l.date is null or r.date is null then case
    when l.birth_year <> r.birth_year then if(abs(l.birth_year - r.birth_year) = 1, 'close_year', 'different')
    when l.birth_year = r.birth_year then if(l.birth_month <> r.birth_month, 'year', 'partial')
    when l.birth_month <> r.birth_month or (l.birth_month = r.birth_month and l.birth_day <> r.birth_day) then 'different'
    when l.birth_month = r.birth_month then 'partial' end
  when l.birth_year = r.birth_year and l.birth_month = r.birth_day and l.birth_day = r.birth_month then 'swapped'
  when l.birth_year = r.birth_year and ((l.birth_month = 1 and l.birth_day = 1) or (r.birth_month = 1 and r.birth_day = 1)) then 'january_first'
  when damerau_levenshtein(l.date, r.date) = 1 and hamming(l.date, r.date) <= 2 then 'one_digit'
  when l.birth_month = r.birth_month and l.birth_day = r.birth_day then if(abs(l.birth_year - r.birth_year) = 1, 'one_digit', 'two_parts')
  when l.birth_year = r.birth_year then if(l.birth_month = r.birth_month or l.birth_day = r.birth_day, 'two_parts', 'year')
  when abs(l.birth_year - r.birth_year) = 1 then 'close_year' else 'different' end, null, null
from two`

// Addresses and places of two records: the best level of any two addresses.
const PLACE_LEVELS = `
with homes as (
  select pair, coalesce(l.is_household_like, false) or coalesce(r.is_household_like, false) as is_household, a, b,
    a.city = b.city and coalesce(a.state = b.state, true) as same_city
  from two cross join lateral (select unnest(l.homes) as a) cross join lateral (select unnest(r.homes) as b)
),
placed as (
  select *, case
    when a.zip = b.zip then 'zip'
    when same_city then 'city'
    when texts(a.city, b.city) <> 'different' or damerau_levenshtein(a.zip, b.zip) = 1 then 'near'
    when a.state = b.state then if((a.zip is not null and b.zip is not null) or (a.city is not null and b.city is not null), 'state', null)
    when (a.zip is not null and b.zip is not null) or a.city <> b.city or a.state <> b.state then 'different' end as place
  from homes
),
housed as (
  select *, a.house_number = b.house_number as same_house, a.street_name = b.street_name as same_street, coalesce(place in ('zip', 'city', 'near'), false) as together,
    place is null as unplaced, texts(a.street_name, b.street_name) as streets
  from placed
),
compared as (
  select *, case
    when a.street_name is null and a.building is null or b.street_name is null and b.building is null then null
    when a.building = b.building or (same_street and same_house and together) then case
      when a.unit_number is not distinct from b.unit_number then 'unit'
      when a.unit_number is null or b.unit_number is null then 'building' else 'other_unit' end
    when a.street_name is null or b.street_name is null then 'different'
    when same_street then case when same_house then 'near' when not together and not unplaced then 'different'
      when coalesce(damerau_levenshtein(a.house_number, b.house_number) <= 1, true) then 'neighbour' else 'street' end
    when streets = 'different' then 'different'
    when same_house and (together or streets = 'near' or (unplaced and streets <> 'different')) then 'near'
    else if(together and streets = 'near', 'street', 'different') end as address
  from housed
),
agreed as (
  select pair, is_household, address, place,
    case when address = 'unit' then least_hash([a.unit_key, b.unit_key]) when address in ('building', 'other_unit') then least_hash([a.building, b.building]) end as home,
    case place when 'zip' then a.zip when 'city' then a.city end as town
  from compared
),
best as (
  select pair, any_value(is_household) as is_household,
    arg_min({'level': address, 'agreed': home}, {'rank': address_rank(address), 'hash': hash_of(home)}) filter (address is not null) as address,
    arg_min({'level': place, 'agreed': town}, {'rank': place_rank(place), 'hash': hash_of(town)}) filter (place is not null) as place
  from agreed group by pair
)
select pair, 'address', address.level, address.agreed, null from best where address.level = 'different' or not is_household
union all
-- One home is one place: only one of the two counts.
select pair, 'place', place.level, place.agreed, null from best where coalesce(address.level, 'different') = 'different' or is_household`

const CONTACT_LEVELS = `
select pair, 'phone', case when list_has_any(l.phones, r.phones) then 'same'
  when list_bool_or(flatten([[damerau_levenshtein(a, b) = 1 for b in r.phones] for a in l.phones])) then 'near' else 'different' end,
  least_hash(list_intersect(l.phones, r.phones)), null
from two where len(l.phones) > 0 and len(r.phones) > 0
union all
select pair, 'email', case when list_has_any(l.emails, r.emails) then 'same'
  when list_has_any(l.email_names, r.email_names) then 'name'
  when list_bool_or(flatten([[texts(a, b) = 'near' for b in r.email_names] for a in l.email_names])) then 'near' else 'different' end,
  least_hash(list_intersect(l.emails, r.emails)), null
from two where len(l.emails) > 0 and len(r.emails) > 0
union all
select pair, kind, case when a = b then 'same'
  -- Numbers in a row differ in their last two digits, so such a difference is no typo.
  when if(is_identifier, length(a) >= 5 and right(a, 2) = right(b, 2) and damerau_levenshtein(a, b) = 1, texts(a, b) = 'near') then 'near'
  else 'different' end, if(a = b, a, null), null
from (
  select pair, kind, is_identifier, l.kinds[kind] as a, r.kinds[kind] as b
  from two cross join (values ('voter', true), ('gender', false), ('employer', false), ('birthplace', false)) as kinds(kind, is_identifier)
) where a is not null and b is not null`

/** Makes the table `levels`: pair, comparison, level, and the value on which the two records agree. Pairs without both values have no row. */
export async function makeLevels(db: DuckDBConnection): Promise<void> {
  await clean(db)
  for (const macro of MACROS) await db.run(`create or replace temp macro ${macro}`)
  await hashTexts(db)
  await db.run(NAME_PAIRS)
  await db.run(TWO)
  const parts = [NAME_LEVELS, DATE_LEVELS, PLACE_LEVELS, CONTACT_LEVELS].map(
    (part) => `select * from (${part})`,
  )
  await db.run(
    `create or replace temp table levels as select * from (${parts.join(' union all ')}) where level is not null`,
  )
}

/** Returns `left right comparison level` of each row of `levels`. */
export async function referenceLevels(db: DuckDBConnection): Promise<string[]> {
  const rows = await rowsOf(
    db,
    `select concat_ws(' ', pair, comparison, level) as found from levels order by found`,
  )
  return rows.map(({ found }) => String(found))
}

async function hashTexts(db: DuckDBConnection): Promise<void> {
  const texts = await rowsOf(
    db,
    `select distinct text from (
      select name as text from name_keys
      union all select unnest(list_concat(phones, emails)) from clean
      union all select unnest([home.unit_key, home.building, home.zip, home.city]) from (select unnest(homes) as home from clean)
    ) where text is not null`,
  )
  const entries = texts.map(({ text }) => `'${String(text)}': ${hashText(String(text))}`)
  await db.run(`set variable hashes = map {${entries.join(', ')}}`)
}
