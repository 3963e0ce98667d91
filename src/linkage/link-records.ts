import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'
import { blockLimit, type Blocks, buildBlocks } from './blocking.ts'
import { codeRecords, resetCoding } from './coding.ts'
import { appendColumns } from './columns.ts'
import { type Linked, linkMentions, type LinkOptions } from './link-mentions.ts'
import { loadMentions, type Mentions } from './mentions.ts'
import type { LinkModel } from './model.ts'
import { storeGroups } from './night.ts'
import { createKeyTables, openKeySink } from './night-keys.ts'
import { loadTerms, storeTerms } from './stored-terms.ts'
import { trainModel } from './train-model.ts'

/** Of blocks that were dropped, the largest so many are named. */
const MOST_NAMED = 100

export interface FullRun extends Linked {
  readonly mentions: Mentions
  readonly model: LinkModel
}

export interface FullOptions extends LinkOptions {
  /** The model to link by; without one, a model is trained on these records (and its frequencies stored). */
  readonly model?: LinkModel | undefined
  readonly today: string
}

/**
 * Links all of `link.records` from nothing. Leaves in `link`: the coded records, their keys, `pair_edges`, `groups`
 * (component and cluster of every record that has an edge) and `term_counts`: all that `linkChanges` starts from.
 */
export async function linkRecords(db: DuckDBConnection, options: FullOptions): Promise<FullRun> {
  const { lap } = options
  await resetCoding(db)
  await codeRecords(db, 'link.records')
  lap?.('code', 0)
  const mentions = await loadMentions(
    db,
    options.model === undefined ? {} : { attributes: options.model.attributes },
  )
  lap?.('load', mentions.count)
  const limit = options.model?.block_limit ?? blockLimit(mentions.count)
  const blocks = await storedBlocks(db, mentions, limit)
  lap?.('block', blocks.count)
  const { model, terms } =
    options.model === undefined
      ? await trainModel(mentions, blocks, {
          threads: options.threads,
          blockLimit: limit,
          today: options.today,
        })
      : { model: options.model, terms: undefined }
  if (terms !== undefined) await storeTerms(db, terms, mentions)
  lap?.('train', 0)
  // What was just counted is what was stored.
  const counted = terms ?? (await loadTerms(db, model)).of(mentions.texts)
  const linked = await linkMentions(mentions, model, counted, { ...options, blocks })
  await storeEdges(db, linked)
  await execute(
    db,
    'create or replace table link.groups (record_number integer, component integer, cluster integer)',
  )
  await storeGroups(db, mentions, linked.edges, linked.clusters.smallest)
  lap?.('store', linked.edges.count)
  return { ...linked, mentions, model }
}

async function storedBlocks(db: DuckDBConnection, mentions: Mentions, limit: number): Promise<Blocks> {
  await createKeyTables(db)
  const sink = await openKeySink(db)
  const blocks = buildBlocks(mentions, limit, sink)
  sink.close()
  await execute(db, 'create or replace table link.dropped_blocks (rule varchar, record_count integer)')
  for (const { rule, size } of blocks.dropped.slice(0, MOST_NAMED)) {
    await execute(db, 'insert into link.dropped_blocks values ($rule, $size)', { rule, size })
  }
  return blocks
}

async function storeEdges(db: DuckDBConnection, { edges }: Linked): Promise<void> {
  await execute(
    db,
    'create or replace table link.pair_edges (left_number integer, right_number integer, bits double)',
  )
  await appendColumns(db, 'link.pair_edges', [edges.left, edges.right, edges.bits], edges.count)
}
