import type { DuckDBConnection } from '@duckdb/node-api'
import { rowsOf } from '../../support/warehouse.ts'
import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import type { LinkModel } from '../../../src/link/model/model.ts'

// How many records have each value, and how many have any. A record with two addresses in one city counts twice for the city, and an address
// without keys and unit counts twice, because building and unit have one key.
const VALUES = `
create or replace temp table counted as
with found as (
  select 'first_name' as field, first_name as value from clean
  union all select 'middle_name', middle_name from clean
  union all select 'last_name', last_name from clean
  union all select 'nickname_class', class from clean join name_keys on name = first_name
  union all select 'phone', unnest(phones) from clean
  union all select 'email', unnest(emails) from clean
  union all select 'address', unnest([home.unit_key, home.building]) from (select unnest(homes) as home from clean)
  union all select 'place', unnest([home.zip, home.city]) from (select unnest(homes) as home from clean)
  union all select kind.key, kind.value from (select unnest(map_entries(kinds)) as kind from clean)
)
select field, value, count(*) as records from found where value is not null group by all`

const TOTALS = `
create or replace temp table totals as
select field, sum(records) as records from counted where field not in ('phone', 'email', 'address', 'place') group by field
union all select 'phone', count(*) from clean where len(phones) > 0
union all select 'email', count(*) from clean where len(emails) > 0
union all select unnest(['address', 'place']), count(*) from clean where len(homes) > 0`

// The frequency weight of each counted value. Names of the Census count as if 1,000 more people had them in the shares of the Census; of
// other values, 200 unseen people share in each by u.
const RARITY = `
create or replace temp table rarity as
with priors as (
  select counted.*, totals.records as total, own, agreement, case field
      when 'first_name' then 1000 * coalesce(given, 0) / 2 / 100000
      when 'last_name' then 1000 * coalesce(surname, 0) / 100000
      when 'nickname_class' then 0 else 200 * first_u end as more_people,
    case when field in ('first_name', 'last_name') then 1000 else 200 end as more_records
  from counted join totals using (field) join main.fields using (field)
  left join name_keys on name = value and field in ('first_name', 'last_name')
)
select field, value, greatest(-12, least(12, log2(agreement /
  ((greatest(1, records - 1 - own) + more_people) / (greatest(1, total - 1) + more_records))))) as bits
from priors`

// One row per pair and comparison, with the weight of the level, the rarity of the value, and the household's weight of the level.
const TERMS = `
create or replace temp table terms as
with named as (
  select pair, coalesce(bool_or(comparison = 'first_name' and level in ('exact', 'nickname', 'near', 'part', 'sound', 'similar', 'swapped')), false) as is_first,
    coalesce(bool_or(comparison = 'last_name' and level <> 'different' or comparison = 'first_name' and level = 'swapped'), false) as is_last
  from levels group by pair
),
weighed as (
  select levels.*, case when is_first and is_last then u_both when is_first then u_first when is_last then u_last else u end as chance,
    log2(m / chance) as bits, if(is_shared, log2(household / chance), 0) as household_bits, is_shared, position,
    case when is_first and is_last then repeats_both when is_first then repeats_first when is_last then repeats_last else 0 end as repeats_names
  from levels join named using (pair) join main.weights using (comparison, level)
),
-- Swapped names: whoever has them in the right order has one of two full names.
swapped as (
  select pair, greatest(-12, least(12, swapped_agreement - log2(pow(2, -greatest(straight, crossed)) + 0.005 * pow(2, -least(straight, crossed))) - 1)) as rarity
  from (
    select pair, a.bits + b.bits as straight, c.bits + d.bits as crossed
    from weighed
    join all_names as a on a.field = 'first_name' and a.value = agreed join all_names as b on b.field = 'last_name' and b.value = agreed_last
    join all_names as c on c.field = 'first_name' and c.value = agreed_last join all_names as d on d.field = 'last_name' and d.value = agreed
    where level = 'swapped' and comparison = 'first_name'
  ), (select log2(max(agreement) filter (field = 'swapped')) - log2(max(agreement) filter (field = 'first_name')) - log2(max(agreement) filter (field = 'last_name')) as swapped_agreement from main.fields)
),
rare as (
  select weighed.*, coalesce(swapped.rarity, nicknames.bits, rarity.bits) as rarity
  from weighed
  left join swapped on swapped.pair = weighed.pair and level = 'swapped' and comparison = 'first_name'
  left join name_keys on level = 'nickname' and name_keys.name = agreed
  left join rarity as nicknames on nicknames.field = 'nickname_class' and nicknames.value = name_keys.class
  left join rarity on rarity.field = comparison and rarity.value = agreed
),
-- How far the agreements before this one explain it.
explained as (
  select rare.*, max(greatest(repeats_names, coalesce(of.share, 0))) as explained
  from rare
  left join (
    select l.pair, repeated.comparison, repeated.share
    from main.repeated join levels as l on l.comparison = repeated.of and l.level in ('exact', 'same', 'unit', 'building', 'other_unit', 'zip', 'city')
      or repeated.of = 'place' and l.comparison = 'address' and l.level in ('unit', 'building', 'other_unit')
  ) as of on of.pair = rare.pair and of.comparison = rare.comparison
  group by all
)
select pair, comparison, level, position, bits, household_bits, is_shared,
  case when explained = 0 then rarity
    else log2((repeats_names + (1 - repeats_names) * agreement) / (explained + (1 - explained) * agreement * pow(2, -rarity))) end as frequency
from explained left join main.fields on fields.field = comparison`

// Names that nobody has in this field count 0 times.
const ALL_NAMES = `
create or replace temp table all_names as
select fields.field, name as value, coalesce(bits, greatest(-12, least(12, log2(agreement / ((1 + 1000 * if(fields.field = 'first_name', given / 2, surname) / 100000)
  / (totals.records - 1 + 1000)))))) as bits
from name_keys cross join main.fields join totals on totals.field = fields.field
left join rarity on rarity.field = fields.field and rarity.value = name
where fields.field in ('first_name', 'last_name')`

/** Makes the tables `terms` and `scores` of the match weights of all pairs by a model. Call it after `makeLevels`. */
export async function makeScores(db: DuckDBConnection, model: LinkModel): Promise<void> {
  const comparisons = comparisonsOf(model.attributes)
  const learned = new Map(model.comparisons.map(({ comparison, levels }) => [comparison, levels]))
  const beyond = (agreement: number | undefined, name: string): number => {
    const chance = model.agreements[name]!
    return agreement === undefined ? 0 : Math.max(0, (agreement - chance) / (1 - chance))
  }
  await replace(db, 'main.weights', comparisons.flatMap(({ name, isShared, repeatsNames }, position) =>
    learned.get(name)!.map(({ level, m, u, household, u_by_names: by }) => {
      const first = repeatsNames === true ? learned.get(name)![0]!.u_by_names : undefined
      return { comparison: name, position, level, m, u, household, u_last: by?.last ?? u, u_first: by?.first ?? u, u_both: by?.both ?? u, is_shared: isShared,
        repeats_last: beyond(first?.last, name), repeats_first: beyond(first?.first, name), repeats_both: beyond(first?.both, name) } }))) // prettier-ignore
  const priorOf = (field: string): number => comparisons.find(({ name }) => name === field)?.levels[0]!.u ?? 0
  await replace(db, 'main.fields', Object.entries(model.agreements).map(([field, agreement]) =>
    ({ field, agreement, own: model.own_records[field === 'nickname_class' ? 'first_name' : field] ?? 0, first_u: priorOf(field) }))) // prettier-ignore
  await replace(db, 'main.repeated', model.repeats.map(({ comparison, of, agreement }) => ({ comparison, of, share: beyond(agreement, comparison) }))) // prettier-ignore
  for (const statement of [VALUES, TOTALS, RARITY, ALL_NAMES, TERMS]) await db.run(statement)
  const unrelated = 1 - model.match_probability - model.household_probability
  const [prior, householdPrior] = [model.match_probability, model.household_probability].map((share) => Math.log2(share / unrelated)) // prettier-ignore
  await db.run(
    `create or replace temp table scores as
    select pair, ${prior} + coalesce(sum(bits), 0) + coalesce(sum(frequency), 0)
      - log2(1 + pow(2, ${householdPrior} + coalesce(sum(household_bits), 0) + coalesce(sum(frequency) filter (is_shared), 0))) as bits
    from two left join terms using (pair) group by pair`,
  )
}

/** Returns the terms of each pair by `comparison level` and `comparison frequency`, and the match weight by `sum`. */
export async function referenceTerms(
  db: DuckDBConnection,
): Promise<Map<string, [term: string, bits: number][]>> {
  const rows = await rowsOf(
    db,
    `select pair, comparison || ' ' || level as term, bits from terms
    union all select pair, comparison || ' frequency', frequency from terms where frequency is not null
    union all select pair, 'sum', bits from scores`,
  )
  const found = new Map<string, [string, number][]>()
  for (const { pair, term, bits } of rows) {
    const terms = found.get(String(pair)) ?? []
    found.set(String(pair), [...terms, [String(term), Number(bits)]])
  }
  return found
}

/**
 * Returns the patterns of the candidate pairs: the number of pairs, the two rounded sums of frequency weights (of all comparisons, and of those
 * that households share), and the levels. Call it after `referencePairs`.
 */
export async function referencePatterns(db: DuckDBConnection): Promise<string[]> {
  const rows = await rowsOf(
    db,
    `with patterns as (
      select pair, concat_ws(', ', round(coalesce(sum(frequency), 0))::integer, round(coalesce(sum(frequency) filter (is_shared), 0))::integer,
        string_agg(comparison || ' ' || level, ', ' order by position)) as pattern
      from candidates left join terms using (pair) group by pair
    )
    select count(*) || ', ' || pattern as counted from patterns group by pattern`,
  )
  return rows.map(({ counted }) => String(counted))
}

/** Returns the candidate pairs of match weight −2 or more without a conflict, as `left right`, with their weights. Call it after `referencePairs`. */
export async function referenceEdges(db: DuckDBConnection): Promise<Map<string, number>> {
  const rows = await rowsOf(
    db,
    `with pivoted as (
      select pair, map_from_entries(list({'k': comparison, 'v': level})) as levels from levels group by pair
    ),
    judged as (
      select pair, bits, l.source_id = r.source_id and coalesce(l.is_duplicate_free, false) as is_one_source, levels['voter'] is not distinct from 'same' as is_one_voter,
        levels['first_name'] as first, levels['last_name'] is not distinct from 'different' as other_last,
        levels['birth_date'] as birth, levels['name_suffix'] is not distinct from 'different' as other_suffix, l.date is not null and r.date is not null as are_whole
      from candidates join scores using (pair) join two using (pair) left join pivoted using (pair)
    )
    select pair, bits from judged where bits >= -2 and not other_suffix and (is_one_voter or not is_one_source and not coalesce(
      first = 'different' and other_last and birth is distinct from 'exact' or first in ('different', 'similar') and birth = 'different' and are_whole, false))`,
  )
  return new Map(rows.map(({ pair, bits }) => [String(pair), Number(bits)]))
}

/** Makes a table of rows whose first one has a value in every column. Numbers become doubles, which SQL literals do not. */
export async function replace(db: DuckDBConnection, table: string, rows: readonly object[]): Promise<void> {
  const types = { string: 'varchar', number: 'double', boolean: 'boolean' } as Record<string, string>
  const columns = Object.entries(rows[0]!).map(([name, value]) => [name, types[typeof value]])
  const sql = `create or replace table ${table} as select unnest(from_json($rows, $types), recursive := true)`
  await db.run(sql, { rows: JSON.stringify(rows), types: JSON.stringify([Object.fromEntries(columns)]) })
}
