import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { blockParts } from '../../link/block/block-parts.ts'
import { findGiants, type GiantKeys } from '../../link/block/key-units.ts'
import { CLUSTER_OPTIONS } from '../../link/cluster/clusters.ts'
import type { LinkModel } from '../../link/model/model.ts'
import { codeSources, resetCoding } from '../../link/records/coding.ts'
import { readRecords } from '../../link/records/read-records.ts'
import type { OnStep } from '../../link/threads/threads.ts'
import { execute, query } from '../../warehouse/query.ts'
import type { Engine, UnitResult } from '../engine.ts'
import { FinishedSteps } from '../finished-steps.ts'
import { parquetRows, type RunFolder } from '../run-folder.ts'
import { findParts } from './components.ts'
import { changeGiants, writeLinkPlan } from './link-plan.ts'
import { LINKED_COLUMNS } from './unit.ts'

/** A unit gets about this many records before they are copied; each record has about six copies. */
const RECORDS_PER_UNIT = 100_000
/** A key that more records have is divided among units by its child rules. */
const GIANT_RECORDS = 100_000
/** Giant keys are looked for in this many records. */
const SAMPLE_RECORDS = 50_000

export interface UnitsOptions {
  readonly engine: Engine
  readonly folder: RunFolder
  /** Number of units; by default one for each 100,000 records. */
  readonly units?: number | undefined
  /** Keys with more records are divided among units; at least the block limit. */
  readonly giantRecords?: number | undefined
  /** Giant keys are looked for in about this many records. A wrong guess costs time and changes no result. */
  readonly sampleRecords?: number | undefined
  readonly onStep?: OnStep | undefined
}

export interface LinkedInUnits {
  readonly [name: string]: number
  /** Candidate pairs that were scored. A pair that several units find counts several times. */
  readonly pairs: number
  readonly edges: number
  /** Components above the size limit, which were cut at weak edges. */
  readonly cut: number
  /** Rounds that the search for components took. */
  readonly rounds: number
}

/**
 * Links all of `link.records` by a model in units. Edges, match weights and clusters are those of `linkAllRecords` by the
 * same model. The model's value frequencies are in `link.term_counts`. Replaces the same tables of `link`; records have
 * other numbers.
 */
export async function linkInUnits(
  db: DuckDBConnection,
  model: LinkModel,
  options: UnitsOptions,
): Promise<LinkedInUnits> {
  const { engine, folder, onStep } = options
  const steps = new FinishedSteps(folder)
  const { records } = await countRecords(db)
  const units = options.units ?? Math.max(1, Math.ceil(records / RECORDS_PER_UNIT))
  const limit = model.block_limit
  const { giants } = await steps.once('plan', async () => {
    const select = `select *, (hash(record_id) % ${units})::integer as unit from link.records`
    await folder.writeUnits(db, select, 'records')
    const { giantRecords: most = GIANT_RECORDS, sampleRecords: sample = SAMPLE_RECORDS } = options
    const likely = await likelyGiants(db, model, { records, limit, most, sample })
    await writeLinkPlan(db, folder, { keys: { units, giants: likely }, limit, model })
    return { giants: likely.size }
  })
  const stage = async (name: string): Promise<readonly UnitResult[]> =>
    engine.run({ args: [name, '--run', folder.path], units })
  const { copies } = await steps.once('routes', async () => {
    const routed = totals(await stage('routes'))
    const confirmed = await trueGiants(db, folder, limit)
    if (confirmed.size === giants) return { copies: routed['copies'] ?? 0 }
    await changeGiants(folder, confirmed)
    return { copies: totals(await stage('routes'))['copies'] ?? 0 }
  })
  onStep?.('routes', copies)
  await steps.once('to_pair', async () => {
    await engine.exchange({ from: 'routed', by: 'units', to: 'to_pair', units })
    return {}
  })
  const { pairs } = await steps.once('pairs', async () => ({
    pairs: totals(await stage('pairs'))['pairs'] ?? 0,
  }))
  onStep?.('pairs', pairs)
  const { edges } = await steps.once('edges', async () => distinctEdges(engine, folder))
  onStep?.('edges', edges)
  const { rounds, cut } =
    edges === 0 ? { rounds: 0, cut: 0 } : await clusterInUnits({ engine, folder, steps, units, stage })
  await importLinkage(db, folder)
  onStep?.('store', edges)
  return { pairs, edges, cut, rounds }
}

interface ClusterInput {
  readonly engine: Engine
  readonly folder: RunFolder
  readonly steps: FinishedSteps
  readonly units: number
  readonly stage: (name: string) => Promise<readonly UnitResult[]>
}

async function clusterInUnits({
  engine,
  steps,
  units,
  stage,
}: ClusterInput): Promise<{ rounds: number; cut: number }> {
  const parts = await steps.once('components', async () => findParts(engine, CLUSTER_OPTIONS))
  await steps.once('to_cluster', async () => {
    await engine.select({
      sql: `select ${LINKED_COLUMNS.map((column) => `r.${column}`).join(', ')}, r.record, p.component,
          cast(p.component % ${units} as integer) as unit
        from routed as r inner join parts as p on r.record = p.record`,
      folders: { routed: 'routed', parts: parts.table },
      to: 'members',
    })
    await engine.exchange({ from: 'members', by: 'unit', to: 'to_cluster', units })
    return {}
  })
  await steps.once('clusters', async () => totals(await stage('clusters')))
  return parts
}

const Counted = z.object({ records: z.int() })

async function countRecords(db: DuckDBConnection): Promise<z.output<typeof Counted>> {
  const [found] = await query(db, 'select count(*)::double as records from link.records', Counted)
  return found!
}

function totals(results: readonly UnitResult[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { counts } of results)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

interface GiantSearch {
  readonly records: number
  readonly limit: number
  readonly most: number
  /** Number of records in which the keys are counted. */
  readonly sample: number
}

/** Finds the keys that probably have more than `most` records, in a sample of the records. */
async function likelyGiants(
  db: DuckDBConnection,
  model: LinkModel,
  { records, limit, most, sample: wanted }: GiantSearch,
): Promise<GiantKeys> {
  const every = Math.max(1, Math.floor(records / wanted))
  await execute(
    db,
    `create or replace temp table giant_sample as select * from link.records where hash(record_id) % ${every} = 0`,
  )
  await resetCoding(db)
  const sample = await readRecords(db, { from: 'temp.giant_sample', first: 0, attributes: model.attributes })
  await execute(db, 'drop table temp.giant_sample')
  return findGiants(blockParts(sample), { most: Math.max(most, limit) / every, all: records > limit })
}

const GiantCount = z.object({ giant: z.number(), records: z.number() })

/**
 * Returns the giant keys that have more records than the block limit. A key with fewer is one block, so it must not be
 * divided.
 */
async function trueGiants(db: DuckDBConnection, folder: RunFolder, limit: number): Promise<GiantKeys> {
  const files = await folder.files('giant_counts')
  if (files.length === 0) return new Set()
  const found = await query(
    db,
    `select giant, sum(records) as records from ${parquetRows(files)} group by giant having sum(records) > ${limit}`,
    GiantCount,
  )
  return new Set(found.map(({ giant }) => giant))
}

async function distinctEdges(engine: Engine, folder: RunFolder): Promise<{ edges: number }> {
  if ((await folder.files('found_edges')).length === 0) return { edges: 0 }
  await engine.select({
    sql: 'select distinct left_record, right_record, match_weight from found',
    folders: { found: 'found_edges' },
    to: 'edges',
  })
  const [counted] = await engine.select({
    sql: 'select count(*) as edges from edges',
    folders: { edges: 'edges' },
  })
  return { edges: Number(counted!['edges']) }
}

/** Replaces the tables of the linkage in the warehouse. Records get numbers without gaps, in the order of `record`. */
async function importLinkage(db: DuckDBConnection, folder: RunFolder): Promise<void> {
  const rows = async (table: string, empty: string): Promise<string> => {
    const files = await folder.files(table)
    return files.length === 0 ? `(select ${empty} where false)` : parquetRows(files)
  }
  await resetCoding(db)
  await codeSources(db, 'link.records')
  await execute(
    db,
    `create or replace temp table numbered as
     select (row_number() over (order by record) - 1)::integer as record_number, record, record_id
     from ${await rows('routed', 'null::bigint as record, null::varchar as record_id')}`,
  )
  const statements = [
    `insert into link.coded_records
     select n.record_number, n.record_id, hash(n.record_id), r.content
     from temp.numbered as n inner join link.records as r using (record_id) order by n.record_number`,
    'create or replace table link.oversized_keys (node integer, key integer)',
    `create or replace table link.dropped_blocks as
     select d.node, d.key, d.record_count, n.record_number
     from ${await rows('dropped_blocks', '0 as node, 0 as key, 0 as record_count, 0::bigint as record')} as d
     inner join temp.numbered as n using (record)
     order by d.record_count desc, d.node, n.record_number`,
    `create or replace table link.pair_edges as
     select l.record_number as left_number, r.record_number as right_number, e.match_weight as bits
     from ${await rows('edges', '0::bigint as left_record, 0::bigint as right_record, 0::double as match_weight')} as e
     inner join temp.numbered as l on l.record = e.left_record
     inner join temp.numbered as r on r.record = e.right_record
     order by left_number, right_number`,
    `create or replace table link.groups as
     select n.record_number, c.record_number as component, k.record_number as cluster
     from ${await rows('components', '0::bigint as record, 0::bigint as component')} as found
     left join ${await rows('groups', '0::bigint as record, 0::bigint as cluster')} as g using (record)
     inner join temp.numbered as n on n.record = found.record
     inner join temp.numbered as c on c.record = found.component
     inner join temp.numbered as k on k.record = coalesce(g.cluster, found.record)
     order by n.record_number`,
    'drop table temp.numbered',
  ]
  for (const statement of statements) await execute(db, statement)
}
