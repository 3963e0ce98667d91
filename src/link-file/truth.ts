import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { type ClusterFigures, clusterFigures } from '../link/explain/cluster-figures.ts'
import { query } from '../warehouse/query.ts'

const Shape = z.object({ known: z.int(), clusters: z.int(), unknown: z.int(), inside: z.int() })

/** Counts of the column `--truth`, which names the true person of each record. */
export interface Truth {
  readonly records: number
  readonly people: number
  /** Records without a truth value. They are linked but not evaluated. */
  readonly unknown: number
  /** True duplicates inside one file. With `--duplicate-free`, there should be none. */
  readonly inside: number
}

/**
 * Checks the truth column.
 * @throws `bad_usage` when it is blank, has one value for all records, or has a different value for each record.
 */
export async function checkTruth(db: DuckDBConnection, column: string): Promise<Truth> {
  const [shape] = await query(
    db,
    `select count(*) filter (where truth <> '')::integer as known, count(distinct truth) filter (where truth <> '')::integer as clusters,
       count(*) filter (where coalesce(truth, '') = '')::integer as unknown,
       (select coalesce(sum(records - 1), 0)::integer from (
          select count(*) as records from link.file_rows where truth <> '' group by truth, file_number
        )) as inside
     from link.file_rows`,
    Shape,
  )
  const { known, clusters, unknown, inside } = shape!
  const refuse = (why: string): never => {
    throw new AppError('bad_usage', `--truth ${column}: ${why}. Name the column that has one value for all records of a person, or leave --truth out`) // prettier-ignore
  }
  if (known === 0) refuse('the column is blank in every row')
  if (clusters === 1 && known > 2) refuse(`all ${known} records have one value, so it names one person for all of them`) // prettier-ignore
  if (clusters === known) refuse(`no two of the ${known} records have the same value, so it names a person for each record (an id of the row?)`) // prettier-ignore
  return { records: known, people: clusters, unknown, inside }
}

/**
 * Compares the clusters with the truth column. With `betweenFiles`, only pairs of records of different files count.
 */
export async function judge(db: DuckDBConnection, betweenFiles: boolean): Promise<ClusterFigures> {
  return clusterFigures(
    db,
    `select clusters.cluster_id::varchar as found, rows.truth, ${betweenFiles ? 'rows.file_number' : 'null::integer'} as source
     from link.file_clusters as clusters join link.file_rows as rows using (ordinal) where rows.truth <> ''`,
  )
}
