import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'

/** The tables of `link` that outlive a night or that TypeScript fills; the others are models in sql/link. */
const LINK_TABLES = {
  /** The clustering's answer: cluster_number is the cluster's smallest mention number. */
  'link.clusters': 'mention_number integer, cluster_number integer',
  /** Every mention's person tonight, with what the next night needs to find the person again. */
  'link.person_mentions':
    'mention_number integer, mention_key varchar, record_hash ubigint, first_name varchar, nickname_class varchar, ' +
    'last_name varchar, person_id varchar',
  /** Every person id ever allocated. */
  'link.people': 'person_id varchar, allocated_on date, allocated_in integer, first_mention_key varchar',
  'link.person_redirects': 'old_person_id varchar, person_id varchar, merged_on date, reason varchar',
  /** What happened to an id: merged, split, gone; other_person_id is the survivor, or the one that left. A split before there were reasons has none. */
  'link.person_history':
    'person_id varchar, happened_on date, event varchar, other_person_id varchar, mention_count integer, reason varchar',
  /** One row a run; the fingerprint tells whether tonight's mentions and rules are last night's. */
  'link.runs':
    'run_number integer, linked_at timestamp, fingerprint varchar, mention_count integer, person_count integer',
} as const

/** The person ids and their history: another warehouse of the same files needs to give the same ids. */
export const IDENTITY_TABLES = [
  'link.person_mentions',
  'link.people',
  'link.person_redirects',
  'link.person_history',
  'link.runs',
] as const satisfies (keyof typeof LINK_TABLES)[]

/** Makes them where they are missing. */
export async function createLinkTables(db: DuckDBConnection): Promise<void> {
  for (const [table, columns] of Object.entries(LINK_TABLES)) {
    await execute(db, `create table if not exists ${table} (${columns})`)
  }
  // Of a warehouse that an earlier Platbook made.
  await execute(db, 'alter table link.person_history add column if not exists reason varchar')
}

/** `link.edges`: pairs of one person's mentions that tie them, by mention key, for whoever asks about a few of them. */
export async function createEdgesView(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create or replace view link.edges as
     select left_records.record_id as left_id, right_records.record_id as right_id, edges.bits,
       1 / (1 + pow(2, -edges.bits)) as probability, printf('%.1f bits', edges.bits) as rule
     from link.pair_edges as edges
     inner join link.groups as left_groups on left_groups.record_number = edges.left_number
     inner join link.groups as right_groups
       on right_groups.record_number = edges.right_number and right_groups.cluster = left_groups.cluster
     inner join link.coded_records as left_records on left_records.record_number = edges.left_number
     inner join link.coded_records as right_records on right_records.record_number = edges.right_number`,
  )
}
