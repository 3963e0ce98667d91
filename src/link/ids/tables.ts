import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'

/** Tables of the schema `link` that TypeScript fills and that keep their rows from run to run. SQL models in `sql/link` make further tables. */
const LINK_TABLES = {
  /** The cluster of each mention. `cluster_key` is the key of the cluster's first mention. */
  'link.clusters': 'mention_key varchar, cluster_key varchar',
  /** The highest match weight between a mention and another mention of its cluster. Mentions without an edge have no row. */
  'link.strongest_edges': 'mention_key varchar, bits double',
  /** The person id of each mention in the last run. The next run matches its mentions by the other columns. */
  'link.person_mentions':
    'mention_key varchar, record_hash ubigint, first_name varchar, nickname_class varchar, ' +
    'last_name varchar, person_id varchar',
  /** Every person id that was ever allocated, with the date and the number of the run. */
  'link.people': 'person_id varchar, allocated_on date, allocated_in integer, first_mention_key varchar',
  'link.person_redirects': 'old_person_id varchar, person_id varchar, merged_on date, reason varchar',
  /**
   * Events of person ids: `merged`, `split` or `gone`. `other_person_id` is the id that stays after a merge, or the id of the part that was split
   * off. `reason` is null for splits that an early version of Platbook wrote.
   */
  'link.person_history':
    'person_id varchar, happened_on date, event varchar, other_person_id varchar, mention_count integer, reason varchar',
  /** One row per run. A run with the same `fingerprint` (a hash of mentions, source traits and rules) as the run before links nothing. */
  'link.runs':
    'run_number integer, linked_at timestamp, fingerprint varchar, mention_count integer, person_count integer',
} as const

/** Tables with the person ids and their history. A warehouse that is built again needs them to give the same ids. */
export const IDENTITY_TABLES = [
  'link.person_mentions',
  'link.people',
  'link.person_redirects',
  'link.person_history',
  'link.runs',
] as const satisfies (keyof typeof LINK_TABLES)[]

/** Creates the tables of LINK_TABLES that are missing. */
export async function createLinkTables(db: DuckDBConnection): Promise<void> {
  for (const [table, columns] of Object.entries(LINK_TABLES)) {
    await execute(db, `create table if not exists ${table} (${columns})`)
  }
  // Warehouses of early versions of Platbook lack the first column and have the second.
  await execute(db, 'alter table link.person_history add column if not exists reason varchar')
  await execute(db, 'alter table link.person_mentions drop column if exists mention_number')
}

/** Creates the view `link.edges`: the edges within clusters, by record id. It joins large tables, so it suits questions about few records. */
export async function createEdgesView(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create or replace view link.edges as
     select left_records.record_id as left_id, right_records.record_id as right_id, edges.bits,
       1 / (1 + pow(2, -edges.bits)) as probability, printf('match weight %.1f', edges.bits) as rule
     from link.pair_edges as edges
     inner join link.groups as left_groups on left_groups.record_number = edges.left_number
     inner join link.groups as right_groups
       on right_groups.record_number = edges.right_number and right_groups.cluster = left_groups.cluster
     inner join link.coded_records as left_records on left_records.record_number = edges.left_number
     inner join link.coded_records as right_records on right_records.record_number = edges.right_number`,
  )
}

/** Replaces `link.strongest_edges`: the highest match weight between a record and another record of its cluster. */
export async function fillStrongestEdges(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create or replace table link.strongest_edges as
     select records.record_id as mention_key, strongest.bits
     from (
       select record_number, max(bits) as bits
       from (
         select unnest([edges.left_number, edges.right_number]) as record_number, edges.bits
         from link.pair_edges as edges
         inner join link.groups as left_groups on left_groups.record_number = edges.left_number
         inner join link.groups as right_groups
           on right_groups.record_number = edges.right_number and right_groups.cluster = left_groups.cluster
       )
       group by record_number
     ) as strongest
     inner join link.coded_records as records using (record_number)`,
  )
}
