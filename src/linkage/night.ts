import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'
import { blockArrays, type Blocks } from './blocking.ts'
import { clusterMentions } from './clusters.ts'
import { codeRecords, CONTENT } from './coding.ts'
import { appendColumns, readIntegers } from './columns.ts'
import { componentsOf } from './components.ts'
import { frequencyWeights } from './frequencies.ts'
import { GrowingIntegers } from './growing.ts'
import { LEAST_BITS, pairBits } from './link-mentions.ts'
import { loadMentions, type Mentions } from './mentions.ts'
import type { LinkModel } from './model.ts'
import { recordNumbers, updateKeys } from './night-keys.ts'
import type { Edges, WantedPairs } from './score.ts'
import type { StoredTerms } from './stored-terms.ts'
import { scoreBlocks } from './threads.ts'
import { levelWeights } from './weights.ts'

export interface NightOptions {
  readonly threads: number
  readonly lap?: ((step: string, rows: number) => void) | undefined
}

export interface NightReport {
  /** Records that came or changed, and that left or changed. */
  readonly come: number
  readonly gone: number
  readonly pairs: number
  /** Records whose clusters were decided anew. */
  readonly decided: number
}

const Count = z.object({ n: z.number() })

/**
 * Brings the stored linkage up to `link.records`: only records that came, changed or left are compared (with everything), and only
 * the components that they touch are clustered anew. Ends with exactly what linking everything with the same model gives.
 */
export async function linkChanges(
  db: DuckDBConnection,
  model: LinkModel,
  terms: StoredTerms,
  options: NightOptions,
): Promise<NightReport> {
  const { lap } = options
  await findChanges(db)
  const [come, gone] = [await countOf(db, 'temp.come'), await countOf(db, 'temp.gone')]
  lap?.('changes', come + gone)
  if (come + gone === 0) return { come, gone, pairs: 0, decided: 0 }
  await removeGone(db)
  await codeRecords(db, 'temp.come')
  await execute(
    db,
    `create or replace temp table fresh as
    select c.record_number from link.coded_records as c semi join temp.come as r on r.record_id = c.record_id`,
  )
  lap?.('code', come)
  await updateKeys(db, model.block_limit, model.attributes)
  lap?.('keys', await countOf(db, 'temp.flipped'))
  await removeFlippedEdges(db)
  const pairs = await scoreFresh(db, model, terms, options)
  lap?.('score', pairs)
  const decided = await decideAnew(db, model, terms)
  lap?.('cluster', decided)
  return { come, gone, pairs, decided }
}

async function findChanges(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create or replace temp table gone as
    select c.record_number from link.coded_records as c
    anti join (select r.record_id, ${CONTENT} as content from link.records as r) as now
      on now.record_id = c.record_id and now.content = c.content`,
  )
  await execute(
    db,
    `create or replace temp table come as
    select r.* from link.records as r
    anti join link.coded_records as c on c.record_id = r.record_id and c.content = ${CONTENT}`,
  )
}

// Everything of the records that left; whom their edges tied stays behind as a seed of new decisions.
async function removeGone(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create or replace temp table seeds as
    select record_number from link.groups
    where component in (select component from link.groups semi join temp.gone using (record_number))
      and record_number not in (select record_number from temp.gone)`,
  )
  await execute(
    db,
    `create or replace temp table touched_keys as
    select distinct node, key from link.block_keys semi join temp.gone using (record_number)`,
  )
  if ((await countOf(db, 'temp.gone')) === 0) return
  for (const table of ['coded_records', 'coded_lists', 'block_keys', 'groups']) {
    await execute(
      db,
      `delete from link.${table} where record_number in (select record_number from temp.gone)`,
    )
  }
  await execute(
    db,
    `delete from link.pair_edges
    where left_number in (select record_number from temp.gone) or right_number in (select record_number from temp.gone)`,
  )
}

async function removeFlippedEdges(db: DuckDBConnection): Promise<void> {
  if ((await countOf(db, 'temp.flipped')) === 0) return
  await execute(
    db,
    `create or replace temp table loose as
    select e.left_number, e.right_number from link.pair_edges as e
    where exists (
      select 1 from temp.flipped as a join temp.flipped as b using (flip)
      where a.record_number = e.left_number and b.record_number = e.right_number)`,
  )
  await execute(
    db,
    `delete from link.pair_edges where (left_number, right_number) in (select (left_number, right_number) from temp.loose)`,
  )
  await execute(
    db,
    'insert into temp.seeds select left_number from temp.loose union select right_number from temp.loose',
  )
}

async function scoreFresh(
  db: DuckDBConnection,
  model: LinkModel,
  terms: StoredTerms,
  options: NightOptions,
): Promise<number> {
  await execute(
    db,
    `create or replace temp table fresh_keys as
    select node, key, record_number from link.block_keys
    semi join (select distinct node, key from link.block_keys semi join temp.fresh using (record_number)) using (node, key)
    anti join link.oversized_keys using (node, key)`,
  )
  await execute(
    db,
    `insert into temp.fresh_keys
    select node, key, record_number from link.block_keys
    semi join (select distinct record_number from temp.flipped) using (record_number)
    anti join link.oversized_keys using (node, key)
    anti join (select distinct node, key from temp.fresh_keys) using (node, key)`,
  )
  await chooseRecords(db, 'select distinct record_number from temp.fresh_keys')
  const mentions = await loadMentions(db, { chosen: 'temp.chosen', attributes: model.attributes })
  const numbers = await recordNumbers(db, 'temp.chosen', mentions.count)
  const blocks = await blocksOf(db, mentions.count)
  options.lap?.('load mates', mentions.count)
  const frequencies = frequencyWeights(
    mentions,
    terms.of(mentions.texts),
    model.agreements,
    model.own_records,
  )
  const wanted = await wantedPairs(db, mentions.count)
  const weights = levelWeights(model, model.attributes)
  const { pairs, edges } = await scoreBlocks(
    { mentions, blocks, frequencies, wanted },
    { kind: 'edges', weights, atLeast: LEAST_BITS },
    options.threads,
  )
  const left = edges!.left.map((i) => numbers[i]!)
  const right = edges!.right.map((i) => numbers[i]!)
  await execute(
    db,
    'create or replace table link.new_edges (left_number integer, right_number integer, bits double)',
  )
  await appendColumns(db, 'link.new_edges', [left, right, edges!.bits], edges!.count)
  await execute(db, 'insert into link.pair_edges from link.new_edges')
  return pairs
}

async function chooseRecords(db: DuckDBConnection, numbers: string): Promise<void> {
  await execute(
    db,
    `create or replace temp table chosen as
    select c.record_number, (row_number() over (order by c.record_id) - 1)::integer as mention
    from link.coded_records as c semi join (${numbers}) as wanted using (record_number)`,
  )
}

async function blocksOf(db: DuckDBConnection, count: number): Promise<Blocks> {
  const starts = new GrowingIntegers()
  const members = new GrowingIntegers()
  let node = -1
  let key = 0
  await readIntegers(
    db,
    `select node, key, mention from temp.fresh_keys join temp.chosen using (record_number) order by node, key, mention`,
    ([nodes, keys, mentions], rows) => {
      for (let k = 0; k < rows; k++) {
        if (nodes![k] !== node || keys![k] !== key) {
          node = nodes![k]!
          key = keys![k]!
          starts.push(members.length)
        }
        members.push(mentions![k]!)
      }
    },
  )
  return {
    count: starts.length,
    ...blockArrays(starts.view(), members.view(), count),
    dropped: [],
    splitCount: 0,
  }
}

async function wantedPairs(db: DuckDBConnection, count: number): Promise<WantedPairs> {
  const isNew = new Uint8Array(new SharedArrayBuffer(Math.max(1, count)))
  await readIntegers(
    db,
    'select mention from temp.chosen semi join temp.fresh using (record_number)',
    ([mentions], rows) => {
      for (let k = 0; k < rows; k++) isNew[mentions![k]!] = 1
    },
  )
  const groupStarts = new Int32Array(count + 1)
  const groups = new GrowingIntegers()
  await readIntegers(
    db,
    'select distinct mention, flip from temp.chosen join temp.flipped using (record_number) order by mention, flip',
    ([mentions, flips], rows) => {
      for (let k = 0; k < rows; k++) {
        groupStarts[mentions![k]! + 1]!++
        groups.push(flips![k]!)
      }
    },
  )
  for (let i = 0; i < count; i++) groupStarts[i + 1]! += groupStarts[i]!
  return { isNew, groupStarts, groups: groups.view() }
}

// Components that lost, gained or could gain an edge, whole; all others stand as they were decided.
async function decideAnew(db: DuckDBConnection, model: LinkModel, terms: StoredTerms): Promise<number> {
  await execute(
    db,
    `insert into temp.seeds
    select record_number from temp.fresh
    union select left_number from link.new_edges union select right_number from link.new_edges`,
  )
  await execute(
    db,
    `create or replace temp table scope as
    select record_number from temp.seeds
    union
    select record_number from link.groups
    where component in (select component from link.groups semi join temp.seeds using (record_number))`,
  )
  await execute(db, 'delete from link.groups where record_number in (select record_number from temp.scope)')
  await execute(
    db,
    `create or replace temp table scope_edges as
    select left_number, right_number, bits from link.pair_edges
    where left_number in (select record_number from temp.scope)`,
  )
  await chooseRecords(
    db,
    'select left_number as record_number from temp.scope_edges union select right_number from temp.scope_edges',
  )
  const mentions = await loadMentions(db, { chosen: 'temp.chosen', attributes: model.attributes })
  const numbers = await recordNumbers(db, 'temp.chosen', mentions.count)
  const edges = await scopeEdges(db)
  const frequencies = frequencyWeights(
    mentions,
    terms.of(mentions.texts),
    model.agreements,
    model.own_records,
  )
  const { smallest } = clusterMentions(mentions.count, edges, pairBits(mentions, model, frequencies))
  await storeGroups(db, mentions, edges, smallest, numbers)
  return countOf(db, 'temp.scope')
}

async function scopeEdges(db: DuckDBConnection): Promise<Edges> {
  const left = new GrowingIntegers()
  const right = new GrowingIntegers()
  const bits: number[] = []
  await readIntegers(
    db,
    `select l.mention, r.mention, e.bits from temp.scope_edges as e
    join temp.chosen as l on l.record_number = e.left_number join temp.chosen as r on r.record_number = e.right_number
    order by 1, 2`,
    ([lefts, rights, weights], rows) => {
      for (let k = 0; k < rows; k++) {
        left.push(Math.min(lefts![k]!, rights![k]!))
        right.push(Math.max(lefts![k]!, rights![k]!))
        bits.push(weights![k]!)
      }
    },
  )
  return { count: bits.length, left: left.view(), right: right.view(), bits: Float64Array.from(bits) }
}

/** Writes component and cluster of every mention that has an edge; a cluster is named by one of its record numbers. */
export async function storeGroups(
  db: DuckDBConnection,
  mentions: Mentions,
  edges: Edges,
  smallest: Int32Array,
  numbers?: Int32Array,
): Promise<void> {
  const components = componentsOf(mentions.count, edges, LEAST_BITS)
  const total = components.members.length
  const numberOf = (i: number): number => (numbers === undefined ? i : numbers[i]!)
  const columns = [new Int32Array(total), new Int32Array(total), new Int32Array(total)] as const
  for (let c = 0; c < components.count; c++) {
    const first = numberOf(components.members[components.starts[c]!]!)
    for (let k = components.starts[c]!; k < components.starts[c + 1]!; k++) {
      columns[0][k] = numberOf(components.members[k]!)
      columns[1][k] = first
      columns[2][k] = numberOf(smallest[components.members[k]!]!)
    }
  }
  await appendColumns(db, 'link.groups', columns, total)
}

async function countOf(db: DuckDBConnection, table: string): Promise<number> {
  return (await query(db, `select count(*)::integer as n from ${table}`, Count))[0]!.n
}
