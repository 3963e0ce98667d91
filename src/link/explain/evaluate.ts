import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { type ClusterFigures, clusterFigures } from './cluster-figures.ts'
import { execute, query } from '../../warehouse/query.ts'

export interface Evaluation extends ClusterFigures {
  /**
   * Records of the truth file that have no person: rejected rows, or rows whose name could not be read. Each counts
   * as a person of its own.
   */
  readonly missing: number
}

/**
 * Compares the person ids of the last link run with a truth file (CSV with the columns `record_id`, `cluster`), over all
 * records of the truth file.
 */
export async function evaluatePersonIds(db: DuckDBConnection, truth: string): Promise<Evaluation> {
  await execute(
    db,
    `create or replace temp table judged as
     with truth as (
       select record_id, any_value(cluster) as cluster
       from read_csv($truth, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')
       group by record_id
     )
     select truth.record_id, assigned.person_id, truth.cluster
     from truth left join link.person_mentions as assigned on truth.record_id = assigned.mention_key`,
    { truth },
  )
  // Person ids contain no space, so the invented name of a record without a person equals no person id.
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
