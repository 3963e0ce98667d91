import type { DuckDBConnection } from '@duckdb/node-api'
import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import type { Pattern } from '../../../src/link/model/patterns.ts'
import type { TrainingInput } from '../../../src/link/model/train.ts'
import { rowsOf } from '../../support/warehouse.ts'
import { replace } from './reference-weights.ts'

// These tables stay the same in every round: name agreement of each pattern, random pairs at each level, start values.
const FIXED = [
  `create or replace temp table called as
  select kind, pattern, any_value(pairs) as pairs, any_value(all_bits) as all_bits, any_value(shared_bits) as shared_bits,
    bool_or(comparison = 'birth_date' and level = 'different') as is_sure, case
      when bool_or(comparison = 'first_name' and level = 'swapped') then 'both'
      when bool_or(comparison = 'first_name' and level in ('exact', 'nickname', 'near', 'part', 'sound', 'similar'))
        then if(bool_or(comparison = 'last_name' and level <> 'different'), 'both', 'first')
      else if(bool_or(comparison = 'last_name' and level <> 'different'), 'last', 'differ') end as names
  from main.patterns group by kind, pattern`,
  `create or replace temp table random as
  select comparison, level, coalesce(births.pairs, random.pairs, 0) as seen, coalesce(births.share, $share) as share
  from main.levels
  left join (select comparison, level, sum(pairs) as pairs from main.patterns where kind = 'random' group by all) as random using (comparison, level)
  left join main.births as births using (comparison, level)`,
  `create or replace temp table start as
  select *, prior_m / sum(prior_m) over same as first_m, coalesce(prior_h, prior_m) / sum(coalesce(prior_h, prior_m)) over same as first_h
  from main.levels window same as (partition by comparison)`,
]

// One row per comparison and level: u of all strangers, and m and h of the people and the households that the last round expects.
const PARAMETERS = `
create or replace temp table parameters as
with counted as (
  select start.*, coalesce(matched, 0) as matched, coalesce(together, 0) as together,
    greatest(seen - coalesce(matched, 0) * share, seen * 0.02) + 2000 * prior_u as strangers
  from start join random using (comparison, level) left join expected using (comparison, level)
),
shares as (
  select *, (matched + 20 * first_m) / (sum(matched) over same + 20) as share,
    if(is_shared and not is_fixed, (together + strength * first_h) / (sum(together) over same + strength), first_h) as h,
    coalesce(agreement, strangers / sum(strangers) over same) as stranger_share
  from (select *, greatest(20, if(comparison = 'birth_date', 0.1 * sum(together) over same, 0)) as strength from counted window same as (partition by comparison))
  left join main.agreements on by_frequency and field = if(level in ('nickname', 'swapped'), level, comparison)
  window same as (partition by comparison)
),
limited as (
  select *, if(comparison = 'first_name', greatest(most, 1.5 * (select share from shares where comparison = 'last_name' and level = 'different')), most) as bound
  from shares
)
select comparison, level, repeats_names, h, stranger_share as u,
  -- The part of a level above its bound goes to the levels that are below their bounds.
  if(share > bound, bound, share * (1 - sum(if(share > bound, bound, 0)) over same) / sum(if(share > bound, 0, share)) over same) as m
from limited window same as (partition by comparison)`

// u among strangers by the agreement of their names.
const U_BY_NAMES = `
create or replace temp table u_by_names as
with seen as (
  select names, comparison, level, sum(pairs * stranger) as strangers, sum(pairs) filter (is_sure) as sure, sum(pairs * (1 - stranger)) as others
  from main.patterns as patterns join odds using (kind, pattern, pairs) where kind = 'namesakes' group by all
),
expected as (
  select given.names, comparison, level, coalesce(strangers, 0) as strangers, greatest(200, sum(coalesce(others, 0)) over same) as strength,
    repeats_names and given.names <> 'differ' and $has_namesakes as is_counted, u,
    (coalesce(sure, 0) + 20 * u) / (sum(coalesce(sure, 0)) over same + 20) as u_of_sure
  from parameters cross join (values ('differ'), ('last'), ('first'), ('both')) as given(names) left join seen using (names, comparison, level)
  window same as (partition by given.names, comparison)
)
select names, comparison, level, case
  when is_counted then (strangers + strength * u_of_sure) / (sum(strangers) over (partition by names, comparison) + strength)
  when names = 'both' and comparison = 'first_name' then least(1, u * if(level = 'swapped', $times_swapped, $times_straight))
  else u end as u
from expected`

const ODDS = `
create or replace temp table odds as
with summed as (
  select kind, pattern, pairs, is_sure, names, $prior + all_bits + coalesce(sum(log2(m / by_names.u)), 0) as match,
    $household_prior + shared_bits + coalesce(sum(if(is_shared, log2(h / by_names.u), 0)), 0) as household, coalesce(sum(log2(by_names.u)), 0) - all_bits as unrelated
  from called join main.patterns as patterns using (kind, pattern, pairs, all_bits, shared_bits) left join u_by_names as by_names using (names, comparison, level)
  left join parameters using (comparison, level) left join main.levels as levels using (comparison, level)
  where kind in ('candidates', 'namesakes') group by kind, pattern, pairs, is_sure, names, all_bits, shared_bits
),
likely as (
  select *, pow(2, least(200, match)) as match_odds, pow(2, least(200, household)) as household_odds from summed
)
select kind, pattern, pairs, is_sure, names, match_odds / total as person, household_odds / total as household, 1 / total as stranger, unrelated + log2(total) as likelihood
from (select *, 1 + match_odds + household_odds as total from likely)`

const EXPECTED = `
create or replace temp table expected as
select comparison, level, $scale * sum(pairs * person) as matched, $scale * sum(pairs * household) as together
from main.patterns join odds using (kind, pattern, pairs) where kind = 'candidates' group by all`

// Pairs with both names and one more strong agreement. A single strong agreement counts nothing itself.
const ANCHORS = `
with strong as (
  select patterns.*, (comparison, level) in (('birth_date', 'exact'), ('address', 'unit'), ('phone', 'same'), ('email', 'same')) or is_identifier and level = 'same' as is_strong,
    count(*) filter (is_strong) over (partition by pattern) as strong_count
  from main.patterns as patterns join called using (kind, pattern) join main.levels using (comparison, level) where kind = 'candidates' and names = 'both'
)
select coalesce(sum(pairs * log2(m)) filter (not is_strong or strong_count > 1), 0) as explained,
  coalesce((select sum(pairs) from (select distinct pattern, pairs from strong where strong_count > 0)), 0) as pairs
from strong join parameters using (comparison, level) where strong_count > 0`

interface End {
  /** m, u and h of each level by `m comparison level`, `h …`, and u as `differ …`, `last …`, `first …`, `both …`. Priors: `match`, `household`. */
  readonly values: ReadonlyMap<string, number>
  readonly rounds: number
  readonly likelihood: number
  /** The log2 likelihood of the anchors, and their number. */
  readonly explained: number
  readonly anchors: number
}

/** Trains a model by the second linker, with the patterns that the linker counted. */
export async function referenceTraining(db: DuckDBConnection, input: TrainingInput): Promise<End> {
  await load(db, input)
  const one = await settle(db, input, false)
  const other = await settle(db, input, true)
  if (Math.abs(one.explained - other.explained) > 0.05 * one.anchors)
    return one.explained > other.explained ? one : other
  return one.likelihood >= other.likelihood ? one : other
}

/** Repeats both steps until the number of matches hardly changes. `countsNamesakes`: at the start, all namesakes are strangers. */
async function settle(db: DuckDBConnection, input: TrainingInput, countsNamesakes: boolean): Promise<End> {
  const { agreements, candidateScale: scale, recordCount, totalPairs } = input
  const name = agreements['first_name']! * agreements['last_name']!
  const fullNames = {
    times_straight: Math.max(1, agreements['full_name']! / name),
    times_swapped: Math.max(1, agreements['swapped_name']! / agreements['swapped']!),
  }
  await db.run(
    'create or replace temp table expected as select comparison, level, 0.0::double as matched, 0.0::double as together from main.levels',
  )
  await db.run(
    'create or replace temp table odds as select kind, pattern, pairs, is_sure, names, 1.0::double as stranger from called',
  )
  await db.run(PARAMETERS)
  await db.run(U_BY_NAMES, { has_namesakes: countsNamesakes, ...fullNames })
  // The first values are not smoothed or bounded.
  await db.run(
    'create or replace temp table parameters as select parameters.* replace (first_m as m, first_h as h) from parameters join start using (comparison, level)',
  )
  let at = {
    matches: Math.max(1, recordCount * 0.3),
    households: Math.max(1, recordCount * 0.3),
    likelihood: 0,
  }
  for (let rounds = 1; ; rounds++) {
    const rest = Math.max(1, totalPairs + 100_000 - at.matches - at.households)
    await db.run(ODDS, {
      prior: Math.log2(at.matches / rest),
      household_prior: Math.log2(at.households / rest),
    })
    await db.run(EXPECTED, { scale })
    const [sums] = await rowsOf(
      db,
      `select ${scale} * sum(pairs * person) as matches, ${scale} * sum(pairs * household) as households, ${scale} * sum(pairs * likelihood) as likelihood
      from odds where kind = 'candidates'`,
    )
    const now = sums as { matches: number; households: number; likelihood: number }
    const isSettled = Math.abs(now.matches - at.matches) / Math.max(1, at.matches) < 1e-5
    at = { ...now, matches: Math.max(0.5, now.matches), households: Math.max(0.5, now.households) }
    await db.run(PARAMETERS)
    await db.run(U_BY_NAMES, { has_namesakes: true, ...fullNames })
    if (isSettled || rounds === 60)
      return { rounds, likelihood: at.likelihood, ...(await learned(db, at, totalPairs + 100_000)) }
  }
}

async function learned(
  db: DuckDBConnection,
  at: { matches: number; households: number },
  pairs: number,
): Promise<Pick<End, 'values' | 'explained' | 'anchors'>> {
  const rows = await rowsOf(
    db,
    `select names || ' ' || comparison || ' ' || level as key, u as value from u_by_names
    union all select 'm ' || comparison || ' ' || level, m from parameters
    union all select 'h ' || comparison || ' ' || level, h from parameters`,
  )
  const [anchors] = await rowsOf(db, ANCHORS)
  const priors = [['match', Math.min(0.3, at.matches / pairs)], ['household', Math.min(0.3, at.households / pairs)]] as const // prettier-ignore
  return {
    values: new Map([...priors, ...rows.map(({ key, value }) => [String(key), Number(value)] as const)]),
    explained: Number(anchors!['explained']),
    anchors: Number(anchors!['pairs']),
  }
}

async function load(db: DuckDBConnection, input: TrainingInput): Promise<void> {
  const comparisons = comparisonsOf(input.attributes)
  await replace(db, 'main.levels', comparisons.flatMap(({ name, levels, isShared, isFixed, repeatsNames }, c) =>
    levels.map(({ name: level, m: prior_m, u: prior_u, household: prior_h = null, most = 1, byFrequency = false }) => ({
      comparison: name, level, prior_m, prior_u, prior_h, most, by_frequency: byFrequency, is_shared: isShared, is_fixed: isFixed === true, repeats_names: repeatsNames === true,
      is_identifier: input.attributes[c - comparisons.length + input.attributes.length]?.isIdentifier === true })))) // prettier-ignore
  await replace(db, 'main.agreements', Object.entries(input.agreements).map(([field, agreement]) => ({ field, agreement }))) // prettier-ignore
  const births = comparisons.find(({ name }) => name === 'birth_date')!.levels
  await replace(db, 'main.births', births.map(({ name }, l) =>
    ({ comparison: 'birth_date', level: name, pairs: input.births!.levels[l + 1]!, share: input.births!.share }))) // prettier-ignore
  const { candidates, random, namesakes = [] } = input
  await replace(db, 'main.patterns', Object.entries({ candidates, random, namesakes }).flatMap(([kind, patterns]) =>
    patterns.flatMap((one, pattern) => levelsOf(one).map((found) => ({ kind, pattern, pairs: one.count, ...found }))))) // prettier-ignore
  const share = random.reduce((sum, { count }) => sum + count, 0) / input.totalPairs
  for (const statement of FIXED) await db.run(statement, statement.includes('$share') ? { share } : {})

  function levelsOf({ levels: all, frequency: all_bits, sharedFrequency: shared_bits }: Pattern): object[] {
    const found = comparisons.flatMap(({ name, levels }, c) => {
      const level = all[c]!
      return level === 0 ? [] : [{ comparison: name, level: levels[level - 1]!.name, all_bits, shared_bits }]
    })
    // A pair may share a key and have no comparison with both values.
    return found.length > 0 ? found : [{ comparison: '', level: '', all_bits, shared_bits }]
  }
}
