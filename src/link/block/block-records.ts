import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'
import { appendColumns } from '../../warehouse/column-vectors.ts'
import { GrowingIntegers } from '../../arrays.ts'
import type { Records } from '../records/records.ts'
import type { LinkThreads } from '../threads/threads.ts'
import { blockParts } from './block-parts.ts'
import {
  BLOCK_BY_RULES,
  type Blocks,
  RULE_COUNT,
  type DroppedBlock,
  joinedBlocks,
  type OversizedKeys,
} from './blocking.ts'

export interface BlockedRecords {
  readonly blocks: Blocks
  readonly oversized: OversizedKeys
  /** Largest first. */
  readonly dropped: readonly DroppedBlock[]
}

/**
 * Blocks all records on the worker threads. Each tree of rules is blocked by one thread. A block of more than `limit` records is split by the
 * child rules of its rule. Replaces the tables `link.oversized_keys` (blocks that were split or dropped) and `link.dropped_blocks`.
 */
export async function blockRecords(
  db: DuckDBConnection,
  records: Records,
  limit: number,
  threads: LinkThreads,
): Promise<BlockedRecords> {
  const parts = blockParts(records)
  const found = (
    await threads.run(BLOCK_BY_RULES, { parts, limit }, { units: RULE_COUNT, records: parts.count })
  )
    .flat()
    .sort((a, b) => a.rule - b.rule)
  const oversized = joinedKeys(found.map((rule) => rule.oversized))
  const dropped = found
    .flatMap((rule) => rule.dropped)
    .sort((a, b) => b.size - a.size || a.node - b.node || a.record - b.record)
  await storeOversized(db, oversized)
  await storeDropped(db, dropped)
  return { blocks: joinedBlocks(found, parts.count), oversized, dropped }
}

function joinedKeys(parts: readonly OversizedKeys[]): OversizedKeys {
  const [nodes, keys] = [new GrowingIntegers(), new GrowingIntegers()]
  for (const part of parts) {
    nodes.append(part.nodes)
    keys.append(part.keys)
  }
  return { nodes: nodes.view(), keys: keys.view() }
}

async function storeOversized(db: DuckDBConnection, { nodes, keys }: OversizedKeys): Promise<void> {
  await execute(db, 'create or replace table link.oversized_keys (node integer, key integer)')
  await appendColumns(db, 'link.oversized_keys', [nodes, keys], nodes.length)
}

async function storeDropped(db: DuckDBConnection, dropped: readonly DroppedBlock[]): Promise<void> {
  await execute(
    db,
    'create or replace table link.dropped_blocks (node integer, key integer, record_count integer, record_number integer)',
  )
  const columns = (['node', 'key', 'size', 'record'] as const).map((name) =>
    Int32Array.from(dropped, (block) => block[name]),
  )
  await appendColumns(db, 'link.dropped_blocks', columns, dropped.length)
}
