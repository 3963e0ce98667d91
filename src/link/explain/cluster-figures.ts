import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../../warehouse/query.ts'

const Figures = z.object({ precision: z.number(), recall: z.number(), f1: z.number() })
export type Figures = z.output<typeof Figures>

/** Agreement of found clusters with true clusters. */
export interface ClusterFigures {
  readonly records: number
  /** Precision and recall over pairs of records. */
  readonly pairwise: Figures
  /** B³ (B-cubed): the mean of precision and recall over records. */
  readonly bCubed: Figures
  /**
   * `split`: true clusters whose records are in several found clusters. `merged`: found clusters with records of
   * several true clusters.
   */
  readonly split: number
  readonly merged: number
}

const Counts = z.object({
  records: z.int(),
  together: z.number(),
  predicted: z.number(),
  actual: z.number(),
  precision_sum: z.number(),
  recall_sum: z.number(),
  split: z.int(),
  merged: z.int(),
})

/**
 * Compares clusters with the truth. `judged` is a query with one row per record: `found` and `truth` name its
 * clusters. Pairs of records with the same `source` are not counted; a null `source` counts all pairs.
 */
export async function clusterFigures(db: DuckDBConnection, judged: string): Promise<ClusterFigures> {
  const [counts] = await query(db, `with judged as (${judged}), ${COUNTS}`, Counts)
  if (counts === undefined) throw new Error('counting gave no row')
  const { records, together, predicted, actual } = counts
  return {
    records,
    pairwise: figures(together / predicted, together / actual),
    bCubed: figures(counts.precision_sum / records, counts.recall_sum / records),
    split: counts.split,
    merged: counts.merged,
  }
}

const COUNTS = `
cells as (
  select found, truth, count(*)::double as size from judged group by all
),
beside as (
  select *,
    sum(size) over (partition by found) as found_size,
    sum(size) over (partition by truth) as truth_size,
    count(*) over (partition by found) as found_parts,
    count(*) over (partition by truth) as truth_parts
  from cells
),
-- Pairs of records of one source, which are not counted.
inner_cells as (
  select found, truth, count(*)::double as size from judged where source is not null group by found, truth, source
),
inner_found as (
  select count(*)::double as size from judged where source is not null group by found, source
),
inner_truth as (
  select count(*)::double as size from judged where source is not null group by truth, source
)
select
  coalesce(sum(size), 0)::double as records,
  coalesce(sum(size * (size - 1)), 0)::double - (select coalesce(sum(size * (size - 1)), 0) from inner_cells) as together,
  coalesce(sum(size * (found_size - 1)), 0)::double - (select coalesce(sum(size * (size - 1)), 0) from inner_found) as predicted,
  coalesce(sum(size * (truth_size - 1)), 0)::double - (select coalesce(sum(size * (size - 1)), 0) from inner_truth) as actual,
  coalesce(sum(size * size / found_size), 0)::double as precision_sum,
  coalesce(sum(size * size / truth_size), 0)::double as recall_sum,
  count(distinct truth) filter (where truth_parts > 1)::double as split,
  count(distinct found) filter (where found_parts > 1)::double as merged
from beside`

// Without any found pair, precision is 1. Without any true pair, recall is 1.
function figures(precision: number, recall: number): Figures {
  const p = Number.isFinite(precision) ? precision : 1
  const r = Number.isFinite(recall) ? recall : 1
  return { precision: p, recall: r, f1: p + r === 0 ? 0 : (2 * p * r) / (p + r) }
}
