import { extname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError, messageOf } from '../../errors.ts'
import { execute, query, quotedIdentifier } from '../../warehouse/query.ts'

export interface EnrichedFile {
  /** An output file of `platbook enrich`: CSV, TSV, JSON lines or Parquet, by the ending of its name. */
  readonly path: string
  /** The column with the true cluster of each row; an empty cell means that the truth has no such person. */
  readonly truthColumn: string
  /** The prefix of the columns that `platbook enrich` added. */
  readonly prefix: string
}

const Counts = z.object({
  rows: z.int(),
  known: z.int(),
  unknown: z.int(),
  matched: z.int(),
  right: z.int(),
  strictly_right: z.int(),
  ambiguous: z.int(),
})
/**
 * Counts of rows. `known`: the true person has records in the warehouse. `unknown`: a true person is named but has no
 * record. `strictly_right`: matched rows whose person id has more records of the true person than of any other.
 * `right` also counts matched rows whose person id has the largest share of the true person's records.
 */
export type EnrichmentEvaluation = z.output<typeof Counts>

const READERS: Readonly<Record<string, string>> = {
  '.csv': 'read_csv($path, header = true, all_varchar = true)',
  '.tsv': `read_csv($path, header = true, all_varchar = true, delim = '\t')`,
  '.jsonl': 'read_json_auto($path)',
  '.ndjson': 'read_json_auto($path)',
  '.parquet': 'read_parquet($path)',
}

/**
 * Compares the matches of an enriched file with a truth file about records (CSV with the columns `record_id`,
 * `cluster`). `link.person_mentions` connects record ids and person ids.
 * @throws `bad_usage` when the file has another format or lacks a needed column.
 */
export async function evaluateEnrichment(
  db: DuckDBConnection,
  truth: string,
  { path, truthColumn, prefix }: EnrichedFile,
): Promise<EnrichmentEvaluation> {
  const reader = READERS[extname(path).toLowerCase()]
  if (reader === undefined)
    throw new AppError(
      'bad_usage',
      `${path}: evaluate reads ${Object.keys(READERS).join(', ')} files: write the output of \`platbook enrich\` to one of these`,
    )
  const columns = [truthColumn, `${prefix}person_id`, `${prefix}match_status`]
  const [cluster, person_id, status] = columns.map((name) => `enriched.${quotedIdentifier(name)}::varchar`)
  await execute(
    db,
    `create or replace temp table enriched_rows as
     select nullif(${cluster}, '') as cluster, nullif(${person_id}, '') as person_id, ${status} as status
     from ${reader} as enriched`,
    { path },
  ).catch((cause: unknown) => {
    throw new AppError(
      'bad_usage',
      `${path} cannot be evaluated: it needs the columns ${columns.join(', ')} (--truth-column and --prefix choose other names). ${messageOf(cause).split('\n')[0]}`,
      { cause },
    )
  })
  const [counts] = await query(db, COUNTS, Counts, { truth })
  await execute(db, 'drop table temp.enriched_rows')
  if (counts === undefined) throw new Error('counting gave no row')
  return counts
}

const COUNTS = `
with truth as (
  select record_id, any_value(cluster) as cluster
  from read_csv($truth, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')
  group by record_id
), cells as (
  select assigned.person_id, truth.cluster, count(*) as size
  from link.person_mentions as assigned
  join truth on truth.record_id = assigned.mention_key
  group by all
), homes as (
  select cluster, arg_max(person_id, (size, person_id)) as person_id from cells group by cluster
), majorities as (
  select person_id, arg_max(cluster, (size, cluster)) as cluster from cells group by person_id
), judged as (
  select given.cluster, given.status, homes.cluster is not null as is_known,
    coalesce(majorities.cluster = given.cluster, false) as is_strictly_right,
    coalesce(majorities.cluster = given.cluster or homes.person_id = given.person_id, false) as is_right
  from temp.enriched_rows as given
  left join homes on homes.cluster = given.cluster
  left join majorities on majorities.person_id = given.person_id
)
select count(*)::integer as "rows", (count(*) filter (is_known))::integer as known,
  (count(*) filter (cluster is not null and not is_known))::integer as unknown,
  (count(*) filter (status = 'matched'))::integer as matched,
  (count(*) filter (status = 'matched' and is_right))::integer as "right",
  (count(*) filter (status = 'matched' and is_strictly_right))::integer as strictly_right,
  (count(*) filter (status = 'ambiguous'))::integer as ambiguous
from judged`
