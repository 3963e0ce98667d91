import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Rule, RULES } from '../../../src/link/block/rules.ts'
import { hashText } from '../../../src/link/records/texts.ts'
import { nicknameClass, nicknamesOf } from '../../../src/normalize/nicknames.ts'
import { phoneticKey } from '../../../src/normalize/phonetic.ts'
import { given, rowsOf } from '../../support/warehouse.ts'

/**
 * A second linker in plain SQL, for small data. It reads `link.records`, and works on texts instead of numbers and hashes. Each step is a file:
 * blocking here, then `reference-levels.ts`, `reference-weights.ts` and `reference-training.ts`.
 *
 * Not covered: clusters; several traits of one kind in a record; placeholders in addresses and contacts.
 * Shared with the linker: the tree of rules, phonetic keys and nicknames, which have tests of their own.
 */
const CLEAN = `
create or replace temp table clean as
select record_id, source_id, birth_year, birth_month, birth_day, phones, name_suffix,
  strftime(make_date(birth_year, birth_month, birth_day), '%Y%m%d') as date,
  list_transform(emails, lambda email: upper(split_part(email, '@', 1))) as email_names,
  map_from_entries(list_concat(
    list_transform(list_concat(identifiers, list_filter(traits, lambda trait: contains(trait, ':'))), lambda pair: {'k': split_part(pair, ':', 1), 'v': split_part(pair, ':', 2)}),
    list_filter([{'k': 'gender', 'v': upper(gender)}, {'k': 'employer', 'v': employer}], lambda pair: pair.v is not null))) as kinds,
  list_transform(list_transform(addresses, lambda home: struct_insert(home, building := coalesce(home.building_key || '|',
    if(home.street_name is not null and ${placeOf('home')} is not null, concat(home.house_number, '|', home.street_name, '|', ${placeOf('home')}, '|'), null)))),
    lambda home: struct_insert(home, unit_key := coalesce(home.address_key, home.building || coalesce(home.unit_number, '')))) as homes,
  employer,
  ${['first_name', 'middle_name', 'last_name'].map((name) => `${nameOf(name)} as ${name}`).join(', ')},
  list_transform(emails, lambda email: upper(email)) as emails,
  list_filter(list_transform(other_last_names, lambda other: ${nameOf('other')}), lambda other: other is not null) as others,
  list_filter(traits, lambda trait: contains(trait, ':')) as traits, identifiers
from link.records`

// A control character and a placeholder, as random records have them.
function nameOf(column: string): string {
  return `nullif(replace(${column}, chr(31), ''), 'UNKNOWN')`
}

// The Census counts people per 100,000, and writes 0 for names that are rarer than it prints.
const CENSUS = fileURLToPath(new URL('../../../data/reference/names.csv', import.meta.url))
const NAME_KEYS = `
create or replace temp table name_keys as
with census as (
  select name, if(surname = 0, 0.2, surname) as surname, if(female = 0, 0.2, female) as female, if(male = 0, 0.2, male) as male
  from read_csv('${CENSUS}')
)
select keys.* replace (string_split(other_forms, ' ') as other_forms), coalesce(surname, 0) as surname,
  coalesce(female, 0) + coalesce(male, 0) as given, coalesce(surname >= 2, false) as is_last, given >= 2 as is_first
from main.given_keys as keys left join census using (name)`

function placeOf(home: string): string {
  return `coalesce(${home}.zip, nullif(concat(${home}.city, '|', ${home}.state), '|'))`
}

const PARTS = `
create or replace temp table parts as
with called as (
  select *, coalesce(first_name, last_name) as called, coalesce(last_name, first_name) as called_last from clean
),
lasts as (
  select record_id, first_name, unnest(list_concat([called_last], coalesce(others, []))) as name from called
),
pairs as (
  select record_id, first_name as one, name as other from lasts
  union all select record_id, first_name, middle_name from clean where length(middle_name) >= 3
  union all select record_id, last_name, middle_name from clean where length(middle_name) >= 3
),
placed as (
  select record_id, unnest(homes, recursive := true) from clean
)
select distinct record_id, part, value from (
  select record_id, 'any' as part, '1' as value from clean
  union all select record_id, 'first_class', class from called join name_keys on name = called
  union all select record_id, 'first_letter', left(called, 1) from called
  union all select record_id, 'first_start', left(called, 4) from called where length(called) >= 4
  union all select record_id, 'first_end', right(called, 3) from called where length(called) >= 3
  union all select record_id, 'last_sound', unnest([end_sound, start_sound]) from lasts join name_keys using (name)
  union all select record_id, 'last', name from lasts
  union all select record_id, 'last_letter', left(name, 1) from lasts
  union all select record_id, 'last_start', left(name, 3) from lasts where length(name) >= 3
  union all select record_id, 'last_end', right(name, 3) from lasts where length(name) >= 3
  -- Two names that sound alike give one key, whatever they are.
  union all select record_id, 'name_pair', case when a.end_sound = b.end_sound then 'alike'
      else least(a.end_sound, b.end_sound) || ' ' || greatest(a.end_sound, b.end_sound) end
    from pairs join name_keys as a on a.name = one join name_keys as b on b.name = other
  union all select record_id, 'middle_letter', left(middle_name, 1) from clean
  union all select record_id, 'year', birth_year::varchar from clean
  union all select record_id, unnest(['month_day', 'year_month', 'year_day', 'birth_date']), unnest([
      low || '-' || high, birth_year || '-' || birth_month, birth_year || '-' || birth_day, birth_year || '-' || low || '-' || high])
    from (select *, if(birth_day is null, null, least(birth_month, birth_day)) as low, greatest(birth_month, birth_day) as high from clean)
    -- Sources write January 1 for an unknown day.
    where birth_month is not null and not coalesce(birth_month = 1 and birth_day = 1, false)
  union all select record_id, 'phone', unnest(phones) from clean
  union all select record_id, 'email', unnest(emails) from clean
  union all select record_id, 'email_name', name from (select record_id, split_part(unnest(emails), '@', 1) as name from clean) where length(name) >= 5
  union all select record_id, 'building', building from placed
  union all select record_id, 'house_zip', house_number || '|' || zip from placed
  union all select record_id, 'house_street', house_number || '|' || street_name from placed
  union all select record_id, 'zip', zip from placed
  union all select record_id, 'city', city from placed
  union all select record_id, 'identifier', unnest(identifiers) from clean
  union all select record_id, 'trait', unnest(traits) from clean
  union all select record_id, 'trait', 'employer:' || employer from clean
) where value is not null`

/** Returns the candidate pairs by the rules, as `left right` with the smaller id first. Keeps them in the table `candidates`. */
export async function referencePairs(db: DuckDBConnection, limit: number): Promise<string[]> {
  await clean(db)
  await db.run(PARTS)
  await db.run('create or replace temp table blocks (block varchar, record_id varchar)')
  await db.run(`create or replace temp table scope0 as select '' as block, record_id from clean`)
  for (const rule of RULES) await block(db, rule, 0, limit)
  await db.run(
    `create or replace temp table candidates as
    select distinct a.record_id || ' ' || b.record_id as pair
    from blocks as a join blocks as b on a.block = b.block and a.record_id < b.record_id
    join clean as l on l.record_id = a.record_id join clean as r on r.record_id = b.record_id
    left join link.source_traits as t on t.source_id = l.source_id
    where l.source_id <> r.source_id or not coalesce(t.is_duplicate_free, false)
      or list_has_any(coalesce(l.identifiers, []), coalesce(r.identifiers, []))`,
  )
  const pairs = await rowsOf(db, 'from candidates order by pair')
  return pairs.map(({ pair }) => String(pair))
}

// `scope<depth>` has the records of the blocks above, of which this rule makes smaller ones.
async function block(db: DuckDBConnection, rule: Rule, depth: number, limit: number): Promise<void> {
  const joins = rule.parts.map((part, p) => `join parts as p${p} on p${p}.record_id = s.record_id and p${p}.part = '${part}'`) // prettier-ignore
  const values = rule.parts.map((part, p) => `'${part}=' || p${p}.value`).join(` || ',' || `)
  await db.run(
    `create or replace temp table found${depth} as
    select s.block || '/' || ${values} as block, s.record_id, count(*) over (partition by s.block, ${values}) as size
    from scope${depth} as s ${joins.join(' ')}`,
  )
  await db.run(`insert into blocks select block, record_id from found${depth} where size <= ${limit}`)
  await db.run(
    `create or replace temp table scope${depth + 1} as select block, record_id from found${depth} where size > ${limit}`,
  )
  for (const child of rule.then ?? []) await block(db, child, depth + 1, limit)
}

/** Makes `clean`, the records as the linker reads them, and `name_keys`, what is known of each of their names. */
export async function clean(db: DuckDBConnection): Promise<void> {
  await db.run(CLEAN)
  const names = await rowsOf(
    db,
    'select distinct name from (select unnest(list_concat([first_name, middle_name, last_name], coalesce(others, []))) as name from clean) where name is not null',
  )
  const keys = names.map(({ name }) => {
    const words = String(name).split(' ')
    const [first, last] = [words[0]!, words.at(-1)!]
    return {
      name: String(name),
      hash: hashText(String(name)),
      class: nicknameClass(first),
      other_forms: nicknamesOf(first).join(' '),
      start_sound: sound(first),
      end_sound: sound(last),
    }
  })
  await db.run('drop table if exists main.given_keys')
  await given(db, 'main.given_keys', keys)
  await db.run(NAME_KEYS)
}

function sound(word: string): string {
  return phoneticKey(word) || word
}
