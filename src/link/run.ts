import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'
import { type BlockParts, blockParts } from './block/block-parts.ts'
import { blockLimit, type Blocks, type DroppedBlock, joinedBlocks } from './block/blocking.ts'
import { codeRecords, codeSources, dropCoding, keepNumbers, resetCoding } from './records/coding.ts'
import { appendColumns } from './records/columns.ts'
import type { TermSource } from './model/frequencies.ts'
import { GrowingIntegers } from './records/growing.ts'
import { type Linked, linkMentions, type LinkOptions } from './score-and-cluster.ts'
import { loadMentions } from './records/load-mentions.ts'
import type { Mentions } from './records/mentions.ts'
import type { LinkModel } from './model/model.ts'
import { writeState } from './incremental/state-file.ts'
import { keepRuns, nextFolder, storeDropped, storedRuns, storeGroups } from './incremental/stored-state.ts'
import { loadTerms, storeRandom, storeTerms } from './model/stored-terms.ts'
import { type LinkThreads, withThreads } from './threads/threads.ts'
import { type Trained, trainModel } from './model/train-model.ts'

export interface FullRun extends Linked {
  readonly mentions: Mentions
  readonly blocks: Blocks
  readonly dropped: readonly DroppedBlock[]
}

export interface FullOptions extends LinkOptions {
  /** The model to link by; without one, a model is trained on these records (and its frequencies stored). */
  readonly model?: LinkModel | undefined
  readonly today: string
  /** Where the next night finds what it goes on from; without it there is no next night. */
  readonly stateFolder?: string | undefined
}

/**
 * Links all of `link.records` from nothing. Leaves in `link`: the numbers of records and sources, `oversized_keys`, `dropped_blocks`,
 * `pair_edges` and `groups` (component and cluster of every record that has an edge), and `term_counts` of a new model.
 */
export async function linkRecords(db: DuckDBConnection, options: FullOptions): Promise<FullRun> {
  return withThreads(options.threads, async (threads) => linkAll(db, options, threads))
}

/** The same on threads that the caller goes on with. */
export async function linkAll(
  db: DuckDBConnection,
  options: FullOptions,
  threads: LinkThreads,
): Promise<FullRun> {
  const { lap } = options
  await resetCoding(db)
  await codeSources(db, 'link.records')
  await codeRecords(db)
  await keepNumbers(db)
  lap?.('code', 0)
  const mentions = await loadMentions(db, options.model?.attributes)
  await dropCoding(db)
  lap?.('load', mentions.count)
  const limit = options.model?.block_limit ?? blockLimit(mentions.count)
  const parts = blockParts(mentions)
  const { stateFolder } = options
  const run = stateFolder === undefined ? undefined : nextFolder(stateFolder, await storedRuns(db))
  const into = run === undefined ? undefined : join(stateFolder!, run)
  const { blocks, dropped } = await blockRecords(db, parts, { limit, into }, threads)
  lap?.('block', blocks.count)
  let model: Trained['model'] | undefined = options.model
  let terms: TermSource | undefined =
    options.model === undefined ? undefined : await loadTerms(db, options.model)
  if (model === undefined || terms === undefined) {
    const { today } = options
    const trained = await trainModel(mentions, blocks, { threads, blockLimit: limit, today })
    model = trained.model
    await storeTerms(db, trained.terms, mentions)
    await storeRandom(db, trained.random)
    // What was just counted is what was stored.
    terms = trained.terms.source()
    lap?.('train', 0)
  }
  const linked = await linkMentions(mentions, blocks, model, terms, threads, lap)
  const { edges } = linked
  await execute(
    db,
    'create or replace table link.pair_edges (left_number integer, right_number integer, bits double)',
  )
  await appendColumns(db, 'link.pair_edges', [edges.left, edges.right, edges.bits], edges.count)
  await execute(
    db,
    'create or replace table link.groups (record_number integer, component integer, cluster integer)',
  )
  await storeGroups(db, linked.clusters.components, linked.clusters.smallest)
  if (run !== undefined) {
    writeState(into!, mentions, terms.stored ?? (await loadTerms(db, linked.model)).stored)
    await keepRuns(db, stateFolder!, run, null)
  }
  lap?.('store', edges.count)
  return { ...linked, mentions, blocks, dropped }
}

async function blockRecords(
  db: DuckDBConnection,
  parts: BlockParts,
  options: { limit: number; into: string | undefined },
  threads: LinkThreads,
): Promise<{ blocks: Blocks; dropped: DroppedBlock[] }> {
  const found = (await threads.run({ kind: 'blocks', parts, ...options }))
    .flat()
    .sort((a, b) => a.rule - b.rule)
  const [nodes, keys] = [new GrowingIntegers(), new GrowingIntegers()]
  for (const rule of found) {
    nodes.append(rule.oversizedNodes)
    keys.append(rule.oversizedKeys)
  }
  await execute(db, 'create or replace table link.oversized_keys (node integer, key integer)')
  await appendColumns(db, 'link.oversized_keys', [nodes.view(), keys.view()], nodes.length)
  await execute(
    db,
    'create or replace table link.dropped_blocks (node integer, key integer, record_count integer, record_number integer)',
  )
  const dropped = found
    .flatMap((rule) => rule.dropped)
    .sort((a, b) => b.size - a.size || a.node - b.node || a.mention - b.mention)
  await storeDropped(db, dropped)
  return { blocks: joinedBlocks(found, parts.count), dropped }
}
