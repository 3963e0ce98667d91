import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../../warehouse/query.ts'

/**
 * Fills `temp.splits` with the person ids whose mentions are now in several clusters. Each cluster except the one that keeps the id has a row
 * with its new id and the reason. Clusters without a mention of unchanged name are left out: a new owner in an old record is no split of the
 * seller. Reads the temporary tables of `carryIdentities` and the `link.person_mentions` of the last run.
 */
export async function findSplits(db: DuckDBConnection, isNewModel: boolean): Promise<void> {
  await execute(db, SPLIT_PARTS)
  await execute(
    db,
    'create or replace temp table splits (person_id varchar, other_person_id varchar, mention_count integer, reason varchar)',
  )
  const [found] = await query(
    db,
    'select exists(from temp.split_parts) as is_any',
    z.object({ is_any: z.boolean() }),
  )
  // Most runs split no id, and the search for reasons scans all records.
  if (found?.is_any === true)
    await execute(db, SPLITS, { cause: isNewModel ? '; weighed by a new model' : '' })
  await execute(db, 'drop table temp.split_parts')
}

/**
 * SQL aggregate over `edges` between records `a` and `b`: the edge with the highest match weight, as text. It names the sources of the two records
 * and not their keys, because a key may contain a person's name.
 */
export const STRONGEST_EDGE = `arg_max(
      printf('%s and %s, match weight %.1f', least(a.source_id, b.source_id), greatest(a.source_id, b.source_id), edges.bits),
      (edges.bits, least(a.source_id, b.source_id), greatest(a.source_id, b.source_id))
    )`

const SPLIT_PARTS = `
create or replace temp table split_parts as
select kept.person_id, assigned.person_id as other_person_id, kept.named_count as mention_count,
  claims.cluster_key as kept_cluster, kept.cluster_key as left_cluster
from temp.kept_mentions as kept
inner join temp.claims as claims using (person_id)
inner join temp.assigned as assigned on kept.cluster_key = assigned.cluster_key
where kept.cluster_key <> claims.cluster_key and kept.named_count > 0`

// The reason of a split is a conflict between records of the two clusters (the rules of `compare/conflicts.ts`). Without a conflict, the reason
// is the strongest edge between the clusters, which was too weak. A reason names sources and not records: a record key may contain a name.
const SPLITS = `
insert into temp.splits
with members as (
  select clusters.cluster_key, records.record_id, records.source_id, records.name_suffix, records.identifiers,
    coalesce(traits.is_duplicate_free, false) as is_duplicate_free
  from link.clusters as clusters
  inner join link.records as records on records.record_id = clusters.mention_key
  left join link.source_traits as traits on traits.source_id = records.source_id
  where clusters.cluster_key in (select unnest([kept_cluster, left_cluster]) from temp.split_parts)
),
bars as (
  select parts.kept_cluster, parts.left_cluster,
    case
      when l.is_duplicate_free and l.source_id = r.source_id and not list_has_any(l.identifiers, r.identifiers)
        then 'both have a record of ' || l.source_id || ', which lists nobody twice'
      when l.name_suffix <> r.name_suffix and list_sort([l.name_suffix, r.name_suffix]) <> ['II', 'JR']
        then 'one is ' || least(l.name_suffix, r.name_suffix) || ', the other ' || greatest(l.name_suffix, r.name_suffix)
    end as reason
  from temp.split_parts as parts
  inner join members as l on l.cluster_key = parts.kept_cluster
  inner join members as r on r.cluster_key = parts.left_cluster
),
barred as (
  select kept_cluster, left_cluster, min(reason) as reason
  from bars where reason is not null
  group by kept_cluster, left_cluster
),
numbered as (
  select members.cluster_key, members.source_id, coded.record_number
  from members
  inner join link.coded_records as coded using (record_id)
),
tied as (
  select parts.kept_cluster, parts.left_cluster,
    ${STRONGEST_EDGE} as most
  from link.pair_edges as edges
  inner join numbered as a on a.record_number = edges.left_number
  inner join numbered as b on b.record_number = edges.right_number
  inner join temp.split_parts as parts
    on (a.cluster_key = parts.kept_cluster and b.cluster_key = parts.left_cluster)
    or (b.cluster_key = parts.kept_cluster and a.cluster_key = parts.left_cluster)
  group by parts.kept_cluster, parts.left_cluster
),
gone as (
  select before.person_id, count(*) as mention_count
  from link.person_mentions as before
  semi join temp.split_parts as parts on parts.person_id = before.person_id
  anti join normal.person_mentions as mentions on mentions.mention_key = before.mention_key
  group by before.person_id
)
select parts.person_id, parts.other_person_id, parts.mention_count,
  coalesce(barred.reason, 'too little ties them: at most ' || tied.most, 'nothing ties their records')
    || case when gone.mention_count = 1 then '; a record is gone' else coalesce('; ' || gone.mention_count || ' records are gone', '') end
    || $cause as reason
from temp.split_parts as parts
left join barred using (kept_cluster, left_cluster)
left join tied using (kept_cluster, left_cluster)
left join gone using (person_id)`
