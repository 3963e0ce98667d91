import type { DuckDBConnection } from '@duckdb/node-api'
import { blockParts } from '../../link/block/block-parts.ts'
import { BLOCK_BY_RULES, type DroppedBlock, joinedBlocks, RULE_COUNT } from '../../link/block/blocking.ts'
import { type Edges, joinedEdges } from '../../link/cluster/edges.ts'
import { applyModel } from '../../link/model/applied-model.ts'
import { amountOf, FIND_EDGES } from '../../link/score/score.ts'
import { withThreads } from '../../link/threads/threads.ts'
import { appendColumns } from '../../warehouse/column-vectors.ts'
import { execute } from '../../warehouse/query.ts'
import type { RunFolder } from '../run-folder.ts'
import type { Stage } from '../stage.ts'
import { type LinkPlan, readTerms } from './link-plan.ts'
import { readUnit, type UnitRecords, withLinkWarehouse } from './unit.ts'

/**
 * The stage `pairs`: blocks the records of a unit of `to_pair` under the keys of the unit, and scores the candidate
 * pairs. Writes `found_edges` and `dropped_blocks`. Several units may find the same edge, with the same match weight.
 */
export function pairs(folder: RunFolder, plan: LinkPlan): Stage {
  return async (unit) => {
    const files = await folder.files('to_pair', unit)
    if (files.length === 0) return { records: 0, pairs: 0, edges: 0 }
    return withLinkWarehouse(folder, async (db) => {
      const read = await readUnit(db, folder, plan, files)
      const { dropped, scored } = await scoreUnit(db, folder, plan, { ...read, unit })
      const edges = joinedEdges(scored.flatMap((part) => part.edges))
      await createEdges(db, edges, read)
      await folder.write(db, EDGES, 'found_edges', unit)
      if (dropped.length > 0) {
        await createDropped(db, dropped, read)
        await folder.write(db, DROPPED, 'dropped_blocks', unit)
      }
      const compared = scored.reduce((sum, part) => sum + part.pairs, 0)
      return { records: read.records.count, pairs: compared, edges: edges.count }
    })
  }
}

async function scoreUnit(
  db: DuckDBConnection,
  folder: RunFolder,
  { keys, limit, model }: LinkPlan,
  { records, unit }: UnitRecords & { readonly unit: number },
): Promise<{ dropped: DroppedBlock[]; scored: { pairs: number; edges: Edges }[] }> {
  const applied = applyModel(records, await readTerms(db, folder, model, records.texts), model)
  return withThreads(1, async (threads) => {
    const toBlock = { parts: blockParts(records), limit, own: { ...keys, unit } }
    const amount = { units: RULE_COUNT, records: records.count }
    const blocked = (await threads.run(BLOCK_BY_RULES, toBlock, amount)).flat()
    const input = { ...applied, blocks: joinedBlocks(blocked, records.count) }
    const scored = await threads.run(FIND_EDGES, input, amountOf(input))
    return { dropped: blocked.flatMap((rule) => rule.dropped), scored }
  })
}

async function createEdges(
  db: DuckDBConnection,
  { left, right, bits, count }: Edges,
  { numbers }: UnitRecords,
): Promise<void> {
  const numbersOf = (records: Int32Array): Float64Array =>
    Float64Array.from(records, (record) => numbers[record]!)
  await execute(db, 'create table link.found (one double, other double, match_weight double)')
  await appendColumns(db, 'link.found', [numbersOf(left), numbersOf(right), bits], count)
}

const EDGES = `
select least(one, other)::bigint as left_record, greatest(one, other)::bigint as right_record, match_weight
from link.found order by left_record, right_record`

async function createDropped(
  db: DuckDBConnection,
  dropped: readonly DroppedBlock[],
  { numbers }: UnitRecords,
): Promise<void> {
  await execute(
    db,
    'create table link.dropped (node integer, key integer, record_count integer, record double)',
  )
  const columns = (['node', 'key', 'size'] as const).map((name) =>
    Int32Array.from(dropped, (block) => block[name]),
  )
  const record = Float64Array.from(dropped, (block) => numbers[block.record]!)
  await appendColumns(db, 'link.dropped', [...columns, record], dropped.length)
}

const DROPPED = 'select * replace (record::bigint as record) from link.dropped'
