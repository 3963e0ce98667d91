import type { DuckDBConnection } from '@duckdb/node-api'
import { type Rule, RULES } from '../../../src/link/block/rules.ts'
import { nicknameClass } from '../../../src/normalize/nicknames.ts'
import { phoneticKey } from '../../../src/normalize/phonetic.ts'
import { given, rowsOf } from '../../support/warehouse.ts'

/**
 * A second linker in plain SQL, for small data: it reads `link.records` and knows texts instead of numbers and hashes.
 *
 * Covered: the values of all parts of blocking keys, blocks above the limit, candidate pairs, sources without duplicates, and the levels of birth
 * dates, telephones, e-mail addresses, identifiers and traits.
 * Not covered: levels of names and addresses, weights, training, clusters; several traits of one kind in a record; addresses with keys.
 * Shared with the linker: the tree of rules, phonetic keys and nickname classes, which have tests of their own.
 */
const CLEAN = `
create or replace temp table clean as
select record_id, source_id, birth_year, birth_month, birth_day, addresses, phones, upper(gender) as gender, employer,
  ${['first_name', 'middle_name', 'last_name'].map((name) => `${nameOf(name)} as ${name}`).join(', ')},
  list_transform(emails, lambda email: upper(email)) as emails,
  list_filter(list_transform(other_last_names, lambda other: ${nameOf('other')}), lambda other: other is not null) as others,
  list_filter(traits, lambda trait: contains(trait, ':')) as traits, identifiers
from link.records`

// A control character and a placeholder, as random records have them.
function nameOf(column: string): string {
  return `nullif(replace(${column}, chr(31), ''), 'UNKNOWN')`
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
homes as (select record_id, unnest(addresses, recursive := true) from clean),
placed as (
  select *, coalesce(zip, nullif(concat(city, '|', state), '|')) as place from homes
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
      least(birth_month, birth_day) || '-' || greatest(birth_month, birth_day), birth_year || '-' || birth_month,
      birth_year || '-' || birth_day,
      birth_year || '-' || least(birth_month, birth_day) || '-' || greatest(birth_month, birth_day)])
    from clean where birth_month <> 1 or birth_day <> 1
  union all select record_id, 'phone', unnest(phones) from clean
  union all select record_id, 'email', unnest(emails) from clean
  union all select record_id, 'email_name', name from (select record_id, split_part(unnest(emails), '@', 1) as name from clean) where length(name) >= 5
  union all select record_id, 'building', concat(house_number, '|', street_name, '|', place) from placed where street_name is not null and place is not null
  union all select record_id, 'house_zip', house_number || '|' || zip from placed
  union all select record_id, 'house_street', house_number || '|' || street_name from placed
  union all select record_id, 'zip', zip from placed
  union all select record_id, 'city', city from placed
  union all select record_id, 'identifier', unnest(identifiers) from clean
  union all select record_id, 'trait', unnest(traits) from clean
  union all select record_id, 'trait', 'employer:' || employer from clean
) where value is not null`

/** Returns the candidate pairs by the rules, as `left right` with the smaller id first. */
export async function referencePairs(db: DuckDBConnection, limit: number): Promise<string[]> {
  await clean(db)
  await db.run(PARTS)
  await db.run('create or replace temp table blocks (block varchar, record_id varchar)')
  await db.run(`create or replace temp table scope0 as select '' as block, record_id from clean`)
  for (const rule of RULES) await block(db, rule, 0, limit)
  const pairs = await rowsOf(
    db,
    `select distinct a.record_id || ' ' || b.record_id as pair
    from blocks as a join blocks as b on a.block = b.block and a.record_id < b.record_id
    join clean as l on l.record_id = a.record_id join clean as r on r.record_id = b.record_id
    left join link.source_traits as t on t.source_id = l.source_id
    where l.source_id <> r.source_id or not coalesce(t.is_duplicate_free, false)
      or list_has_any(coalesce(l.identifiers, []), coalesce(r.identifiers, []))
    order by pair`,
  )
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

async function clean(db: DuckDBConnection): Promise<void> {
  await db.run(CLEAN)
  const names = await rowsOf(
    db,
    'select distinct name from (select unnest(list_concat([first_name, middle_name, last_name], coalesce(others, []))) as name from clean) where name is not null',
  )
  await db.run('drop table if exists main.name_keys')
  const keys = names.map(({ name }) => {
    const words = String(name).split(' ')
    const [first, last] = [words[0]!, words.at(-1)!]
    return {
      name: String(name),
      class: nicknameClass(first),
      start_sound: sound(first),
      end_sound: sound(last),
    }
  })
  await given(db, 'main.name_keys', keys)
}

function sound(word: string): string {
  return phoneticKey(word) || word
}

const KINDS = ['employer', 'birthplace', 'voter'] as const

/** Returns the levels of every two records that both have a value: `left right comparison level`. */
export async function referenceLevels(db: DuckDBConnection): Promise<string[]> {
  await clean(db)
  const rows = await rowsOf(
    db,
    `with flat as (
      select *, strftime(make_date(birth_year, birth_month, birth_day), '%Y%m%d') as date,
        list_transform(emails, lambda email: split_part(email, '@', 1)) as email_names,
        list_concat(coalesce(traits, []), coalesce(identifiers, []), coalesce(list_filter(['employer:' || employer], lambda x: x is not null), [])) as kinds
      from clean
    ),
    two as (select l.record_id || ' ' || r.record_id as pair, l, r from flat as l join flat as r on l.record_id < r.record_id),
    levels as (
      select pair, 'birth_date' as comparison, case
        when l.date = r.date then if(l.birth_month = 1 and l.birth_day = 1, 'january_first', 'exact')
        when l.birth_year = r.birth_year and l.birth_month = r.birth_day and l.birth_day = r.birth_month then 'swapped'
        when l.birth_year = r.birth_year and ((l.birth_month = 1 and l.birth_day = 1) or (r.birth_month = 1 and r.birth_day = 1)) then 'january_first'
        when damerau_levenshtein(l.date, r.date) = 1 and hamming(l.date, r.date) <= 2 then 'one_digit'
        when l.birth_month = r.birth_month and l.birth_day = r.birth_day then if(abs(l.birth_year - r.birth_year) = 1, 'one_digit', 'two_parts')
        when l.birth_year = r.birth_year then if(l.birth_month = r.birth_month or l.birth_day = r.birth_day, 'two_parts', 'year')
        when abs(l.birth_year - r.birth_year) = 1 then 'close_year' else 'different' end as level
      from two where l.date is not null and r.date is not null
      union all
      select pair, 'phone', case when list_has_any(l.phones, r.phones) then 'same'
        when list_bool_or(flatten([[damerau_levenshtein(a, b) = 1 for b in r.phones] for a in l.phones])) then 'near' else 'different' end
      from two where len(l.phones) > 0 and len(r.phones) > 0
      union all
      select pair, 'email', case when list_has_any(l.emails, r.emails) then 'same'
        when list_has_any(l.email_names, r.email_names) then 'name' else 'different' end
      from two where len(l.emails) > 0 and len(r.emails) > 0
      union all
      select pair, kind, case when a = b then 'same'
        when kind = 'voter' and right(a, 2) = right(b, 2) and damerau_levenshtein(a, b) = 1 then 'near' else 'different' end
      from (
        select pair, kind,
          list_filter(l.kinds, lambda x: starts_with(x, kind || ':'))[1] as a, list_filter(r.kinds, lambda x: starts_with(x, kind || ':'))[1] as b
        from two cross join (select unnest(['${KINDS.join("','")}']) as kind)
      ) where a is not null and b is not null
    )
    select pair || ' ' || comparison || ' ' || level as found from levels order by found`,
  )
  return rows.map(({ found }) => String(found))
}

/** The comparisons that `referenceLevels` covers. */
export const COVERED: ReadonlySet<string> = new Set(['birth_date', 'phone', 'email', ...KINDS])
