import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { execute, query } from '../../warehouse/query.ts'
import { findSplits, STRONGEST_EDGE } from './splits.ts'

export interface Identities {
  readonly people: number
  readonly allocated: number
  readonly merged: number
  readonly split: number
  /** Ids that lost all their records: no file contains them any more. */
  readonly removed: number
}

/**
 * SQL expression that describes a row of `link.person_history` as text. It is null for a merged id, because `link.person_redirects` has the
 * reason of a merge.
 */
export const EVENT_TEXT = `case event
  when 'split' then 'was split: ' || mention_count || case when mention_count = 1 then ' record' else ' records' end
    || ' went to ' || other_person_id || coalesce(': ' || reason, '')
  when 'gone' then 'is gone: no file has its records any more' end`

const Count = z.object({ count: z.int() })

/**
 * Gives every cluster of `link.clusters` a person id. A cluster with mentions of the last run keeps their id. Other clusters get a new id. When
 * a cluster has several old ids, the oldest id stays, and redirects lead from the other ids to it. When the mentions of one id are in several
 * clusters, the cluster with most of them keeps the id. `isNewModel`: this run has trained the model. Call it inside a transaction.
 */
export async function carryIdentities(
  db: DuckDBConnection,
  today: string,
  isNewModel = false,
): Promise<Identities> {
  const run = await count(db, 'select coalesce(max(run_number), 0)::integer + 1 as count from link.runs')
  await execute(db, KEPT_MENTIONS)
  await execute(db, CLAIMS)
  await allocate(db, today, run)
  await redirect(db, today)
  await findSplits(db, isNewModel)
  await recordHistory(db, today)
  const split = await count(db, 'select count(distinct person_id)::double as count from temp.splits')
  const removed = await count(db, 'select count(*)::double as count from temp.gone_people')
  await execute(db, 'delete from link.person_mentions')
  await execute(db, PERSON_MENTIONS)
  const merged = await count(db, 'select count(*)::double as count from temp.claims where not survives')
  const allocated = await count(
    db,
    `select count(*)::double as count from link.people where allocated_in = ${run}`,
  )
  const people = await count(db, 'select count(*)::double as count from temp.assigned')
  for (const table of ['kept_mentions', 'claims', 'assigned', 'unnamed', 'splits', 'gone_people'])
    await execute(db, `drop table temp.${table}`)
  return { people, allocated, merged, split, removed }
}

// Matches the mentions of the last run (`link.person_mentions`) with the mentions of this run. Record and name must agree, because after a sale
// the same record names another owner. When a record names a couple, mentions with an equal full name match first. Only without an equal full
// name does an equal last name, or an equal nickname class, suffice. When a record names two people of one name, equal mention keys match.
const KEPT_MENTIONS = `
create or replace temp table kept_mentions as
with today as (
  select mentions.mention_key, mentions.first_name, mentions.nickname_class, mentions.last_name,
    text_key(mentions.record_key) as record_hash, clusters.cluster_key
  from normal.person_mentions as mentions
  inner join link.clusters using (mention_key)
),
matched as (
  select before.mention_key, before.person_id, today.cluster_key,
    case when before.first_name is not distinct from today.first_name and before.last_name = today.last_name
      then 2 else 1 end as weight,
    before.mention_key = today.mention_key as is_same
  from link.person_mentions as before
  inner join today
    on before.record_hash = today.record_hash
    and (before.last_name = today.last_name or before.nickname_class = today.nickname_class)
),
best as (
  select * from matched
  qualify rank() over (partition by mention_key order by weight desc, is_same desc) = 1
)
select person_id, cluster_key, sum(weight)::integer as weight,
  (count(*) filter (where weight = 2))::integer as named_count
from best
group by person_id, cluster_key`

// Each old id claims the cluster that has most of its mentions. When several ids claim one cluster, the id that was allocated first survives.
const CLAIMS = `
create or replace temp table claims as
with homes as (
  select * from temp.kept_mentions
  qualify row_number() over (partition by person_id order by weight desc, cluster_key) = 1
)
select homes.person_id, homes.cluster_key, homes.weight,
  row_number() over (
    partition by homes.cluster_key order by people.allocated_in, homes.weight desc, homes.person_id
  ) = 1 as survives
from homes
inner join link.people as people using (person_id)`

const PERSON_MENTIONS = `
insert into link.person_mentions
select mentions.mention_key, text_key(mentions.record_key), mentions.first_name,
  mentions.nickname_class, mentions.last_name, assigned.person_id
from normal.person_mentions as mentions
inner join link.clusters using (mention_key)
inner join temp.assigned using (cluster_key)`

// For each merged id, the edge with the highest match weight between a record of this id and a record of the id that stays. Its text names the
// sources and not the records, because a record key may contain a person's name.
const STRONGEST = `
named as (
  select records.record_number, groups.cluster, before.person_id, mentions.source_id
  from link.person_mentions as before
  inner join normal.person_mentions as mentions using (mention_key)
  inner join link.coded_records as records on records.record_id = before.mention_key
  inner join link.groups as groups using (record_number)
  where before.person_id in (select unnest([person_id, kept_id]) from merged)
),
strongest as (
  select merged.person_id,
    ${STRONGEST_EDGE} as reason
  from link.pair_edges as edges
  inner join named as a on a.record_number = edges.left_number
  inner join named as b on b.record_number = edges.right_number and b.cluster = a.cluster
  inner join merged
    on (merged.person_id = a.person_id and merged.kept_id = b.person_id)
    or (merged.person_id = b.person_id and merged.kept_id = a.person_id)
  group by merged.person_id
)`

/**
 * Fills `temp.assigned` with the person id of each cluster. New ids are derived from the key of the cluster's first mention, so a warehouse that
 * is built again allocates the same ids.
 */
async function allocate(db: DuckDBConnection, today: string, run: number): Promise<void> {
  await execute(
    db,
    `create or replace temp table assigned as
     select cluster_key, person_id from temp.claims where survives`,
  )
  await execute(
    db,
    `create or replace temp table unnamed as
     select distinct cluster_key from link.clusters
     anti join temp.assigned using (cluster_key)`,
  )
  for (let attempt = 0; attempt < 20; attempt++) {
    if ((await count(db, 'select count(*)::double as count from temp.unnamed')) === 0) return
    const text = attempt === 0 ? 'cluster_key' : `cluster_key || '~${attempt}'`
    // An id without records is allocated again when its records return. A redirected id is never allocated again.
    await execute(
      db,
      `create or replace temp table given as
       with derived as (
         select cluster_key, derived_id('P', ${text}) as person_id from temp.unnamed
       )
       select * from derived
       where person_id not in (select person_id from temp.assigned)
         and person_id not in (select old_person_id from link.person_redirects)
         and person_id not in (select person_id from temp.claims)
       qualify row_number() over (partition by person_id order by cluster_key) = 1`,
    )
    await execute(db, 'insert into temp.assigned select cluster_key, person_id from temp.given')
    await execute(
      db,
      `insert into link.people
       select person_id, $today::date, ${run}, cluster_key from temp.given
       where person_id not in (select person_id from link.people)
       order by person_id`,
      { today },
    )
    await execute(db, 'delete from temp.unnamed where cluster_key in (select cluster_key from temp.given)')
    await execute(db, 'drop table temp.given')
  }
  throw new AppError('model_failed', 'no free person id was found in 20 attempts: link.people may be damaged')
}

async function redirect(db: DuckDBConnection, today: string): Promise<void> {
  await execute(
    db,
    `insert into link.person_redirects
     with merged as (
       select lost.person_id, kept.person_id as kept_id
       from temp.claims as lost
       inner join temp.claims as kept on lost.cluster_key = kept.cluster_key and kept.survives
       where not lost.survives
     ),
     ${STRONGEST}
     select merged.person_id, merged.kept_id, $today::date,
       'records of both turned out to be one person''s' || coalesce(': ' || strongest.reason, ', by way of others')
     from merged left join strongest using (person_id)
     order by merged.person_id`,
    { today },
  )
  // Older redirects to an id that was merged now lead to the surviving id, so no redirect takes two steps.
  await execute(
    db,
    `update link.person_redirects as redirects
     set person_id = kept.person_id
     from temp.claims as lost
     inner join temp.claims as kept on lost.cluster_key = kept.cluster_key and kept.survives
     where not lost.survives and redirects.person_id = lost.person_id`,
  )
}

async function recordHistory(db: DuckDBConnection, today: string): Promise<void> {
  await execute(
    db,
    `insert into link.person_history
     select lost.person_id, $today::date, 'merged', kept.person_id, null, redirects.reason
     from temp.claims as lost
     inner join temp.claims as kept on lost.cluster_key = kept.cluster_key and kept.survives
     inner join link.person_redirects as redirects on redirects.old_person_id = lost.person_id
     where not lost.survives
     order by lost.person_id`,
    { today },
  )
  await execute(
    db,
    `insert into link.person_history
     select person_id, $today::date, 'split', other_person_id, mention_count, reason
     from temp.splits order by person_id, other_person_id`,
    { today },
  )
  await execute(
    db,
    `create or replace temp table gone_people as
     select person_id, count(*)::integer as mention_count
     from link.person_mentions
     where person_id not in (select person_id from temp.claims)
       and person_id not in (select person_id from temp.assigned)
     group by person_id`,
  )
  await execute(
    db,
    `insert into link.person_history
     select person_id, $today::date, 'gone', null, mention_count, null
     from temp.gone_people order by person_id`,
    { today },
  )
}

async function count(db: DuckDBConnection, sql: string): Promise<number> {
  return (await query(db, sql, Count))[0]?.count ?? 0
}
