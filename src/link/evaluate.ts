import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'

const Figures = z.object({ precision: z.number(), recall: z.number(), f1: z.number() })
export type Figures = z.output<typeof Figures>

export interface Evaluation {
  /** Records that both the truth and the crosswalk have: the figures are over these. */
  readonly records: number
  /** Records of the truth that are no mention (refused rows, names that could not be read). */
  readonly missing: number
  readonly pairwise: Figures
  readonly bCubed: Figures
  /** Truth clusters whose records became several people, and people whose records are of several truth clusters. */
  readonly split: number
  readonly merged: number
}

const Counts = z.object({
  records: z.int(),
  missing: z.int(),
  together: z.number(),
  predicted: z.number(),
  actual: z.number(),
  precision_sum: z.number(),
  recall_sum: z.number(),
  split: z.int(),
  merged: z.int(),
})

/** Compares `published.crosswalk` with a truth file (CSV: record_id, cluster), over all pairs of records. */
export async function evaluateCrosswalk(db: DuckDBConnection, truth: string): Promise<Evaluation> {
  await execute(
    db,
    `create or replace temp table cells as
     with truth as (
       select record_id, any_value(cluster) as cluster
       from read_csv($truth, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')
       group by record_id
     )
     select crosswalk.person_id, truth.cluster, count(*)::double as size
     from truth left join published.crosswalk as crosswalk on truth.record_id = crosswalk.mention_key
     group by all`,
    { truth },
  )
  const [counts] = await query(db, COUNTS, Counts)
  await execute(db, 'drop table temp.cells')
  if (counts === undefined) throw new Error('counting gave no row')
  return {
    records: counts.records,
    missing: counts.missing,
    pairwise: figures(counts.together / counts.predicted, counts.together / counts.actual),
    bCubed: figures(counts.precision_sum / counts.records, counts.recall_sum / counts.records),
    split: counts.split,
    merged: counts.merged,
  }
}

const COUNTS = `
with found as (
  select *,
    sum(size) over (partition by person_id) as person_size,
    sum(size) over (partition by cluster) as cluster_size,
    count(*) over (partition by person_id) as person_parts,
    count(*) over (partition by cluster) as cluster_parts
  from temp.cells where person_id is not null
)
select
  coalesce(sum(size), 0)::integer as records,
  (select coalesce(sum(size), 0)::integer from temp.cells where person_id is null) as missing,
  coalesce(sum(size * (size - 1)), 0)::double as together,
  coalesce(sum(size * (person_size - 1)), 0)::double as predicted,
  coalesce(sum(size * (cluster_size - 1)), 0)::double as actual,
  coalesce(sum(size * size / person_size), 0)::double as precision_sum,
  coalesce(sum(size * size / cluster_size), 0)::double as recall_sum,
  count(distinct cluster) filter (where cluster_parts > 1)::integer as split,
  count(distinct person_id) filter (where person_parts > 1)::integer as merged
from found`

// Nothing claimed is nothing wrong: no pairs at all is precision 1, as no pairs to find is recall 1.
function figures(precision: number, recall: number): Figures {
  const p = Number.isFinite(precision) ? precision : 1
  const r = Number.isFinite(recall) ? recall : 1
  return { precision: p, recall: r, f1: p + r === 0 ? 0 : (2 * p * r) / (p + r) }
}
