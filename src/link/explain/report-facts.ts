import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../../warehouse/query.ts'
import { ruleName } from '../block/rules.ts'
import { findInputFaults, type InputFault } from '../records/input-faults.ts'
import type { LinkRunReport } from '../link-records.ts'
import type { UnknownKind } from '../model/unknown-kinds.ts'

export interface ReportInput {
  readonly report: LinkRunReport
  readonly today: string
  /**
   * Counts of this run and of the run before; `before` is null when there was none. `people` is null when people have
   * no ids, as in `platbook link-file`.
   */
  readonly people: readonly { label: string; now: number; before: number | null }[] | null
  /** Person ids that were merged, split or removed on `today`, one line of text each. */
  readonly events: readonly string[]
  /** More tables of the caller, with texts in the cells. */
  readonly sections?: readonly {
    title: string
    titles: readonly string[]
    rows: readonly (readonly string[])[]
  }[]
  readonly unknown: readonly UnknownKind[]
}

/** The facts that the page shows. They are read from the tables of the last run. */
export interface ReportFacts extends ReportInput {
  readonly faults: readonly InputFault[]
  readonly scores: readonly Bar[]
  readonly sizes: readonly Bar[]
  readonly reliability: readonly Band[]
  /** Blocks above the size limit, by rule. `dropped`: how many of them no second key splits. */
  readonly oversized: readonly { rule: string; blocks: number; dropped: number }[]
  /**
   * The largest dropped blocks: rule, number of records, and the source of one record. The shared value is left out
   * on purpose.
   */
  readonly dropped: readonly { rule: string; records: number; source_id: string }[]
}

const Bar = z.object({ label: z.string(), size: z.number() })
export type Bar = z.output<typeof Bar>

const Band = z.object({ label: z.string(), edges: z.number(), expected: z.number(), joined: z.number() })
export type Band = z.output<typeof Band>

/** Reads the facts of the report from the tables of the last run. */
export async function readReportFacts(db: DuckDBConnection, input: ReportInput): Promise<ReportFacts> {
  return {
    ...input,
    faults: await findInputFaults(db),
    scores: await query(db, SCORES, Bar),
    sizes: await query(db, SIZES, Bar),
    reliability: await query(db, reliabilitySql(input.report.edges), Band),
    oversized: await oversizedBlocks(db),
    dropped: await droppedBlocks(db),
  }
}

const SCORES = `
select case when step < 20 then step * 2 || ' to ' || step * 2 + 2 else '40 and more' end as label, count(*)::double as size
from (select least(20, floor(bits / 2)::integer) as step from link.pair_edges)
group by step order by step`

const SIZES = `
with sizes as (
  select count(*) as size from link.groups group by cluster
  union all select 1 from link.coded_records anti join link.groups using (record_number)
), steps as (
  select unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 21, 51, 101]) as least, unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 50, 100, null]) as most
)
select case when least = most then least::varchar when most is null then 'more than 100' else least || ' to ' || most end as label,
  count(*)::double as size
from sizes join steps on size >= least and (most is null or size <= most)
group by least, most order by least`

const MOST_EDGES_READ = 1_000_000

// With many edges, reads a sample of them to keep the query fast.
function reliabilitySql(edges: number): string {
  return `
  with sampled as (
    select left_number, right_number, 1 / (1 + pow(2, -bits)) as probability from link.pair_edges
    where left_number % ${Math.max(1, Math.floor(edges / MOST_EDGES_READ))} = 0
  ), bands as (
    select unnest([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]) as least, unnest([0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 2]) as most
  )
  select case when most > 1 then least || ' and more' else least || ' to ' || most end as label,
    count(*)::double as edges, avg(probability) as expected, avg((l.cluster = r.cluster)::integer) as joined
  from sampled
  join bands on probability >= least and probability < most
  join link.groups as l on l.record_number = left_number
  join link.groups as r on r.record_number = right_number
  group by least, most order by least`
}

async function oversizedBlocks(db: DuckDBConnection): Promise<ReportFacts['oversized']> {
  const rows = await query(
    db,
    `select node, count(*)::integer as blocks, count(dropped.key)::integer as dropped
     from link.oversized_keys left join (select distinct node, key from link.dropped_blocks) as dropped using (node, key)
     group by node order by node`,
    z.object({ node: z.int(), blocks: z.int(), dropped: z.int() }),
  )
  return rows
    .map(({ node, ...counts }) => ({ rule: ruleName(node), ...counts }))
    .filter(({ rule }) => rule !== 'any')
}

// The report may be shown to others. A shared value may be a name, a phone or an address, so the page shows none.
async function droppedBlocks(db: DuckDBConnection): Promise<ReportFacts['dropped']> {
  const blocks = await query(
    db,
    `select node, record_count as records, records.source_id
     from link.dropped_blocks
     join link.coded_records using (record_number)
     join link.records as records using (record_id)
     order by record_count desc, node, record_id limit 30`,
    z.object({ node: z.int(), records: z.int(), source_id: z.string() }),
  )
  return blocks.map(({ node, ...block }) => ({ rule: ruleName(node), ...block }))
}
