import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../../warehouse/query.ts'

/**
 * Fills `temp.partings` with the ids whose mentions are now in several clusters. It has a row for each part except the one that keeps the id:
 * the new id of the part and the reason of the split. A part counts only when it has mentions with an unchanged name, because a new owner in
 * an old record is no split of the seller. Reads `temp.kept_mentions`, `temp.claims`, `temp.assigned`, and the `link.person_mentions` of the last
 * run.
 */
export async function findPartings(db: DuckDBConnection, isNewModel: boolean): Promise<void> {
  await execute(db, PARTED)
  await execute(
    db,
    'create or replace temp table partings (person_id varchar, other_person_id varchar, mention_count integer, reason varchar)',
  )
  const [found] = await query(
    db,
    'select exists(from temp.parted) as is_any',
    z.object({ is_any: z.boolean() }),
  )
  // Most runs split no id, and the search for reasons scans all records.
  if (found?.is_any === true)
    await execute(db, PARTINGS, { cause: isNewModel ? '; weighed by a new model' : '' })
  await execute(db, 'drop table temp.parted')
}

/**
 * SQL aggregate over `edges` between records `a` and `b`: the edge with the highest match weight, as text. It names the sources of the two records
 * and not their keys, because a key may contain a person's name.
 */
export const STRONGEST_TIE = `arg_max(
      printf('%s and %s, match weight %.1f', least(a.source_id, b.source_id), greatest(a.source_id, b.source_id), edges.bits),
      (edges.bits, least(a.source_id, b.source_id), greatest(a.source_id, b.source_id))
    )`

const PARTED = `
create or replace temp table parted as
select kept.person_id, assigned.person_id as other_person_id, kept.named_count as mention_count,
  claims.cluster_number as kept_cluster, kept.cluster_number as left_cluster
from temp.kept_mentions as kept
inner join temp.claims as claims using (person_id)
inner join temp.assigned as assigned on kept.cluster_number = assigned.cluster_number
where kept.cluster_number <> claims.cluster_number and kept.named_count > 0`

// The reason of a split is a conflict between records of the two clusters, as in `compare/conflicts.ts`. Without a conflict, the reason is the
// strongest edge between the clusters, which was too weak. It names sources and not records, because a record key may contain a name.
const PARTINGS = `
insert into temp.partings
with members as (
  select clusters.cluster_number, records.record_id, records.source_id, records.name_suffix, records.identifiers,
    coalesce(traits.is_duplicate_free, false) as is_duplicate_free
  from link.clusters as clusters
  inner join normal.person_mentions as mentions using (mention_number)
  inner join link.records as records on records.record_id = mentions.mention_key
  left join link.source_traits as traits on traits.source_id = records.source_id
  where clusters.cluster_number in (select unnest([kept_cluster, left_cluster]) from temp.parted)
),
bars as (
  select parted.kept_cluster, parted.left_cluster,
    case
      when l.is_duplicate_free and l.source_id = r.source_id and not list_has_any(l.identifiers, r.identifiers)
        then 'both have a record of ' || l.source_id || ', which lists nobody twice'
      when l.name_suffix <> r.name_suffix and list_sort([l.name_suffix, r.name_suffix]) <> ['II', 'JR']
        then 'one is ' || least(l.name_suffix, r.name_suffix) || ', the other ' || greatest(l.name_suffix, r.name_suffix)
    end as reason
  from temp.parted as parted
  inner join members as l on l.cluster_number = parted.kept_cluster
  inner join members as r on r.cluster_number = parted.left_cluster
),
barred as (
  select kept_cluster, left_cluster, min(reason) as reason
  from bars where reason is not null
  group by kept_cluster, left_cluster
),
numbered as (
  select members.cluster_number, members.source_id, coded.record_number
  from members
  inner join link.coded_records as coded using (record_id)
),
tied as (
  select parted.kept_cluster, parted.left_cluster,
    ${STRONGEST_TIE} as most
  from link.pair_edges as edges
  inner join numbered as a on a.record_number = edges.left_number
  inner join numbered as b on b.record_number = edges.right_number
  inner join temp.parted as parted
    on (a.cluster_number = parted.kept_cluster and b.cluster_number = parted.left_cluster)
    or (b.cluster_number = parted.kept_cluster and a.cluster_number = parted.left_cluster)
  group by parted.kept_cluster, parted.left_cluster
),
gone as (
  select before.person_id, count(*) as mention_count
  from link.person_mentions as before
  semi join temp.parted as parted on parted.person_id = before.person_id
  anti join normal.person_mentions as mentions on mentions.mention_key = before.mention_key
  group by before.person_id
)
select parted.person_id, parted.other_person_id, parted.mention_count,
  coalesce(barred.reason, 'too little ties them: at most ' || tied.most, 'nothing ties their records')
    || case when gone.mention_count = 1 then '; a record is gone' else coalesce('; ' || gone.mention_count || ' records are gone', '') end
    || $cause as reason
from temp.parted as parted
left join barred using (kept_cluster, left_cluster)
left join tied using (kept_cluster, left_cluster)
left join gone using (person_id)`
