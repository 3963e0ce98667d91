import type { DuckDBConnection } from '@duckdb/node-api'
import { readNumbers } from '../warehouse/column-vectors.ts'
import { execute, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'

/** The clusters of all rows. The index is the row's `ordinal` in `link.file_rows`, which counts the rows of all files from 0. */
export interface RowClusters {
  /** Cluster number. Clusters are numbered from 1 by their first row. */
  readonly cluster: Int32Array
  readonly size: Int32Array
  /** Highest match weight of the row with another row of its cluster; NaN when no such pair was kept. */
  readonly weight: Float64Array
}

/** Writes the clusters of the last run to `link.file_clusters`, numbered by their first row, and returns them. */
export async function numberClusters(db: DuckDBConnection, rows: number): Promise<RowClusters> {
  await execute(
    db,
    `create or replace table link.file_clusters as
     with found as (
       select rows.ordinal, record_number, coalesce(groups.cluster, -1 - record_number) as cluster
       from link.file_rows as rows
       join link.coded_records using (record_id)
       left join link.groups as groups using (record_number)
     ),
     numbered as (
       select cluster, count(*)::integer as size, row_number() over (order by min(ordinal))::integer as cluster_id from found group by cluster
     )
     select found.ordinal, found.record_number, numbered.cluster_id, numbered.size
     from found join numbered using (cluster)`,
  )
  const clusters = {
    cluster: new Int32Array(rows),
    size: new Int32Array(rows),
    weight: new Float64Array(rows).fill(Number.NaN),
  }
  await readNumbers(
    db,
    `with inside as (
       select least(l.ordinal, r.ordinal) as one, greatest(l.ordinal, r.ordinal) as other, bits
       from link.pair_edges
       join link.file_clusters as l on l.record_number = left_number
       join link.file_clusters as r on r.record_number = right_number
       where l.cluster_id = r.cluster_id
     ),
     best as (
       select ordinal, max(bits) as bits
       from (select one as ordinal, bits from inside union all select other, bits from inside) group by ordinal
     )
     select ordinal, cluster_id, size, coalesce(bits, 'nan'::double) as bits
     from link.file_clusters left join best using (ordinal)`,
    ([ordinal, cluster, size, bits], n) => {
      for (let k = 0; k < n; k++) {
        clusters.cluster[ordinal![k]!] = cluster![k]!
        clusters.size[ordinal![k]!] = size![k]!
        clusters.weight[ordinal![k]!] = bits![k]!
      }
    },
  )
  return clusters
}

/**
 * Writes each edge (a pair with a match weight of −2 or more and no conflict) to a CSV file, sorted by the row of the first and of the second
 * record. Adds the ids of the records when a file has an id column.
 */
export async function writeEdges(
  db: DuckDBConnection,
  path: string,
  { names, hasIds }: { readonly names: readonly string[]; readonly hasIds: boolean },
): Promise<void> {
  await execute(db, 'create or replace temp table file_names (file_number integer, name varchar)')
  for (const [at, name] of names.entries())
    await execute(db, 'insert into temp.file_names values ($number, $name)', { number: at + 1, name })
  const side = (which: 'left' | 'right'): string[] => [
    `${which}_file.name as ${quotedIdentifier(`${which}_file`)}`,
    `${which}_row.row_number as ${quotedIdentifier(`${which}_row`)}`,
    ...(hasIds ? [`${which}_row.id as ${quotedIdentifier(`${which}_id`)}`] : []),
  ]
  await execute(db, 'set preserve_insertion_order = true')
  await execute(
    db,
    `copy (
       with pairs as (
         select least(l.ordinal, r.ordinal) as one, greatest(l.ordinal, r.ordinal) as other, bits, l.cluster_id = r.cluster_id as is_joined
         from link.pair_edges
         join link.file_clusters as l on l.record_number = left_number
         join link.file_clusters as r on r.record_number = right_number
       )
       select ${[...side('left'), ...side('right')].join(', ')}, round(bits, 3) as match_weight,
         round(1 / (1 + pow(2, -bits)), 6) as match_probability, is_joined as same_cluster
       from pairs ${joinOf('left', 'one')} ${joinOf('right', 'other')}
       order by one, other
     ) to ${quotedLiteral(path)} (format csv, header)`,
  )
}

function joinOf(which: 'left' | 'right', ordinal: string): string {
  return `join link.file_rows as ${which}_row on ${which}_row.ordinal = ${ordinal}
     join temp.file_names as ${which}_file on ${which}_file.file_number = ${which}_row.file_number`
}
