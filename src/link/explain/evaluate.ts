import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { type ClusterFigures, clusterFigures } from './cluster-figures.ts'
import { execute, query } from '../../warehouse/query.ts'

export interface Evaluation extends ClusterFigures {
  /** Truth records that are no mention (refused rows, names that could not be read): each counts as a person of its own. */
  readonly missing: number
}

/** Compares `published.crosswalk` with a truth file (CSV: record_id, cluster), over all pairs of its records. */
export async function evaluateCrosswalk(db: DuckDBConnection, truth: string): Promise<Evaluation> {
  await execute(
    db,
    `create or replace temp table judged as
     with truth as (
       select record_id, any_value(cluster) as cluster
       from read_csv($truth, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')
       group by record_id
     )
     select truth.record_id, crosswalk.person_id, truth.cluster
     from truth left join published.crosswalk as crosswalk on truth.record_id = crosswalk.mention_key`,
    { truth },
  )
  // A person id holds no blank, so no record without a person shares its name with one.
  const figures = await clusterFigures(
    db,
    `select coalesce(person_id, 'no mention ' || record_id) as found, cluster as truth, null::integer as source from temp.judged`,
  )
  const [counts] = await query(
    db,
    'select (count(*) filter (where person_id is null))::integer as missing from temp.judged',
    z.object({ missing: z.int() }),
  )
  await execute(db, 'drop table temp.judged')
  return { ...figures, missing: counts!.missing }
}
