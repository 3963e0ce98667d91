import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'
import { appendMentions } from './append-mentions.ts'
import { markedRecords, type RuleChanges } from './block-changes.ts'
import { appendParts, type BlockParts, blockParts } from './block-parts.ts'
import { joinedBlocks } from './blocking.ts'
import { CLUSTER_OPTIONS, clusterMentions } from './clusters.ts'
import { codeRecords, codeSources, CONTENT, dropCoding, keepNumbers } from './coding.ts'
import { appendColumns, readIntegers } from './columns.ts'
import { componentsOf } from './components.ts'
import { type FrequencyWeights, frequencyWeights } from './frequencies.ts'
import { LEAST_BITS, type LinkOptions } from './link-mentions.ts'
import { loadMentions } from './load-mentions.ts'
import type { Mentions } from './mentions.ts'
import type { LinkModel } from './model.ts'
import { keyNumber, SharedBlocks } from './shared-blocks.ts'
import { type Edges, joinedEdges } from './score.ts'
import type { LinkState } from './state-file.ts'
import { keepState, lastState, storeDropped, storeGroups } from './stored-state.ts'
import { loadTerms } from './stored-terms.ts'
import { type LinkThreads, withThreads } from './threads.ts'
import { levelWeights } from './weights.ts'

export interface NightOptions extends LinkOptions {
  /** What the last run kept. */
  readonly stateFile: string
}

export interface NightReport {
  /** Records that came or changed, and that left or changed. */
  readonly come: number
  readonly gone: number
  readonly pairs: number
  /** Records whose clusters were decided anew, and components among them that were above the limit. */
  readonly decided: number
  readonly cut: number
}

const NOTHING = { come: 0, gone: 0, pairs: 0, decided: 0, cut: 0 }

/**
 * Brings the stored linkage up to `link.records`: only records that came, changed or left are compared (with everything), and only
 * the components that they touch are clustered anew. Ends with exactly what linking everything with the same model gives.
 * Undefined, and nothing done, where the state of the last run is not there.
 */
export async function linkChanges(
  db: DuckDBConnection,
  model: LinkModel,
  options: NightOptions,
): Promise<NightReport | undefined> {
  const changes = await findChanges(db)
  options.lap?.('changes', changes.come + changes.gone)
  if (changes.come + changes.gone === 0) return NOTHING
  const before = await lastState(db, options.stateFile)
  if (before === undefined) return undefined
  options.lap?.('state', before.mentions.count)
  return withThreads(options.threads, async (threads) => {
    const night = new Night(db, model, threads, options)
    return { ...changes, ...(await night.link(before)) }
  })
}

async function findChanges(db: DuckDBConnection): Promise<{ come: number; gone: number }> {
  await execute(
    db,
    `create or replace temp table contents as
    select r.rowid as row_number, r.record_id, ${CONTENT} as content from link.records as r`,
  )
  await execute(
    db,
    `create or replace temp table gone as
    select record_number from link.coded_records anti join temp.contents using (record_id, content)`,
  )
  await execute(
    db,
    `create or replace temp table come as
    select * from link.records
    where rowid in (select row_number from temp.contents anti join link.coded_records using (record_id, content))`,
  )
  await execute(db, 'drop table temp.contents')
  const counts = await query(
    db,
    `select (select count(*) from temp.come)::integer as come, (select count(*) from temp.gone)::integer as gone`,
    z.object({ come: z.int(), gone: z.int() }),
  )
  return counts[0]!
}

class Night {
  readonly #db: DuckDBConnection
  readonly #model: LinkModel
  readonly #threads: LinkThreads
  readonly #options: NightOptions

  constructor(db: DuckDBConnection, model: LinkModel, threads: LinkThreads, options: NightOptions) {
    this.#db = db
    this.#model = model
    this.#threads = threads
    this.#options = options
  }

  async link(before: LinkState): Promise<Pick<NightReport, 'pairs' | 'decided' | 'cut'>> {
    const { lap, stateFile } = this.#options
    const first = before.mentions.count
    const mentions = await this.#readMentions(before.mentions)
    lap?.('load', mentions.count - before.mentions.count)
    const parts = appendParts(before.parts, blockParts(mentions, first))
    const isGone = await this.#markGone(mentions)
    const marked = markedRecords(
      mentions.count,
      (i) => i < first && (mentions.ranks[i]! >= 0 || isGone[i] === 1),
      (i) => mentions.ranks[i]! >= 0,
    )
    const changes = await this.#changedBlocks(parts, marked)
    lap?.(
      'block',
      changes.reduce((total, { starts }) => total + starts.length, 0),
    )
    const frequencies = frequencyWeights(
      mentions,
      await loadTerms(this.#db, this.#model),
      this.#model.agreements,
      this.#model.own_records,
    )
    const { pairs, edges: found } = await this.#score(mentions, frequencies, changes, first)
    lap?.('score', pairs)
    const loose = await this.#looseEdges(mentions, parts, changes, before.edges)
    const { edges, touched } = this.#joinEdges(mentions, before.edges, found, loose, first)
    const { smallest, decided, cut } = await this.#decide(
      mentions,
      frequencies,
      edges,
      touched,
      before.smallest,
    )
    lap?.('cluster', decided)
    await this.#store(mentions, changes, edges, smallest)
    await keepState(this.#db, stateFile, { mentions, parts, edges, smallest })
    lap?.('store', edges.count)
    return { pairs, decided, cut }
  }

  async #readMentions(before: Mentions): Promise<Mentions> {
    await codeSources(this.#db, 'temp.come')
    await codeRecords(this.#db, 'temp.come', before.count)
    await execute(
      this.#db,
      'delete from link.coded_records where record_number in (select record_number from temp.gone)',
    )
    await keepNumbers(this.#db, 'temp.come')
    const fresh = await loadMentions(this.#db, before.count, this.#model.attributes)
    await dropCoding(this.#db)
    return appendMentions(before, fresh)
  }

  async #markGone({ count, ranks }: Mentions): Promise<Uint8Array> {
    const isGone = new Uint8Array(count)
    await readIntegers(this.#db, 'select record_number from temp.gone', ([numbers], rows) => {
      for (let k = 0; k < rows; k++) {
        isGone[numbers![k]!] = 1
        ranks[numbers![k]!] = -1
      }
    })
    return isGone
  }

  async #changedBlocks(parts: BlockParts, marked: Int32Array): Promise<RuleChanges[]> {
    const found = await this.#threads.run({ kind: 'changes', parts, marked, limit: this.#model.block_limit })
    return found.flat()
  }

  async #score(
    mentions: Mentions,
    frequencies: FrequencyWeights,
    changes: readonly RuleChanges[],
    first: number,
  ): Promise<{ pairs: number; edges: Edges }> {
    const blocks = joinedBlocks(changes, mentions.count)
    const isNew = new Uint8Array(new SharedArrayBuffer(mentions.count))
    isNew.fill(1, first)
    const isWhole = new Uint8Array(new SharedArrayBuffer(blocks.count))
    isWhole.set(changes.flatMap((rule) => rule.isWhole.map(Number)))
    const found = await this.#threads.run({
      kind: 'edges',
      input: { mentions, blocks, frequencies },
      weights: levelWeights(this.#model, mentions.attributes),
      atLeast: LEAST_BITS,
      wanted: { isNew, isWhole },
    })
    return {
      pairs: found.reduce((total, part) => total + part.pairs, 0),
      edges: joinedEdges(found.flatMap((part) => part.edges)),
    }
  }

  /** Edges between members of blocks that are above the limit now, and who share no other block. */
  async #looseEdges(
    mentions: Mentions,
    parts: BlockParts,
    changes: readonly RuleChanges[],
    edges: Edges,
  ): Promise<Set<number>> {
    const loosened = new Uint8Array(mentions.count)
    for (const { loosened: groups } of changes)
      for (const members of groups) for (const member of members) loosened[member] = 1
    const loose = new Set<number>()
    if (!loosened.includes(1)) return loose
    const blocks = new SharedBlocks(parts, await this.#oversizedKeys(changes))
    for (let k = 0; k < edges.count; k++) {
      const [i, j] = [edges.left[k]!, edges.right[k]!]
      if (loosened[i] === 1 && loosened[j] === 1 && !blocks.areTogether(i, j)) loose.add(k)
    }
    return loose
  }

  async #oversizedKeys(changes: readonly RuleChanges[]): Promise<Set<number>> {
    const oversized = new Set<number>()
    await readIntegers(this.#db, 'select node, key from link.oversized_keys', ([nodes, keys], rows) => {
      for (let k = 0; k < rows; k++) oversized.add(keyNumber(nodes![k]!, keys![k]!))
    })
    for (const { grownNodes, grownKeys, shrunkNodes, shrunkKeys } of changes) {
      grownNodes.forEach((node, k) => oversized.add(keyNumber(node, grownKeys[k]!)))
      shrunkNodes.forEach((node, k) => oversized.delete(keyNumber(node, shrunkKeys[k]!)))
    }
    return oversized
  }

  /** Last night's edges less those that went, and tonight's; `touched` are the records at whose edges something changed. */
  #joinEdges(
    { count, ranks }: Mentions,
    before: Edges,
    found: Edges,
    loose: ReadonlySet<number>,
    first: number,
  ): { edges: Edges; touched: Uint8Array } {
    const touched = new Uint8Array(count).fill(1, first)
    const again = new Set<number>()
    for (let k = 0; k < found.count; k++) {
      touched[found.left[k]!] = 1
      touched[found.right[k]!] = 1
      // A block that came together again holds pairs that another block had already.
      if (found.right[k]! < first) again.add(found.left[k]! * count + found.right[k]!)
    }
    const kept = new Int32Array(before.count)
    let size = 0
    for (let k = 0; k < before.count; k++) {
      const [i, j] = [before.left[k]!, before.right[k]!]
      const isGone = ranks[i]! < 0 || ranks[j]! < 0 || loose.has(k)
      if (isGone) touched[i] = touched[j] = 1
      if (!isGone && (again.size === 0 || !again.has(i * count + j))) kept[size++] = k
    }
    return { edges: mergedEdges(before, kept.subarray(0, size), found), touched }
  }

  async #decide(
    mentions: Mentions,
    frequencies: FrequencyWeights,
    edges: Edges,
    touched: Uint8Array,
    before: Int32Array,
  ): Promise<{ smallest: Int32Array; decided: number; cut: number }> {
    const open = edgesOfTouched(mentions.count, edges, touched)
    const weights = levelWeights(this.#model, mentions.attributes)
    const found = await clusterMentions(mentions.count, open, async (components, smallest) => {
      const input = { mentions, weights, frequencies, components, smallest, options: CLUSTER_OPTIONS }
      await this.#threads.run({ kind: 'clusters', input })
    })
    const { smallest, cut } = found
    let decided = 0
    for (let i = 0; i < before.length; i++) {
      if (touched[i] === 0) smallest[i] = before[i]!
    }
    for (let i = 0; i < touched.length; i++) if (touched[i] === 1 && mentions.ranks[i]! >= 0) decided++
    return { smallest, decided, cut: cut.length }
  }

  async #store(
    mentions: Mentions,
    changes: readonly RuleChanges[],
    edges: Edges,
    smallest: Int32Array,
  ): Promise<void> {
    const db = this.#db
    await execute(
      db,
      'create or replace table link.pair_edges (left_number integer, right_number integer, bits double)',
    )
    await appendColumns(db, 'link.pair_edges', [edges.left, edges.right, edges.bits], edges.count)
    await storeGroups(db, mentions.count, edges, smallest)
    for (const change of changes) {
      await this.#deleteKeys('link.oversized_keys', change.shrunkNodes, change.shrunkKeys)
      await appendColumns(
        db,
        'link.oversized_keys',
        [change.grownNodes, change.grownKeys],
        change.grownNodes.length,
      )
      const { droppedBefore } = change
      await this.#deleteKeys(
        'link.dropped_blocks',
        Int32Array.from(droppedBefore, ({ node }) => node),
        Int32Array.from(droppedBefore, ({ key }) => key),
      )
      await storeDropped(db, change.dropped)
    }
  }

  async #deleteKeys(table: string, nodes: Int32Array, keys: Int32Array): Promise<void> {
    if (nodes.length === 0) return
    await execute(this.#db, 'create or replace table link.passed_keys (node integer, key integer)')
    await appendColumns(this.#db, 'link.passed_keys', [nodes, keys], nodes.length)
    await execute(
      this.#db,
      `delete from ${table} where (node, key) in (select (node, key) from link.passed_keys)`,
    )
    await execute(this.#db, 'drop table link.passed_keys')
  }
}

// Edges of the components in which anything is touched; all their records count as touched then.
function edgesOfTouched(count: number, edges: Edges, touched: Uint8Array): Edges {
  const { members, starts, count: components } = componentsOf(count, edges, LEAST_BITS)
  const isOpen = new Uint8Array(count)
  for (let c = 0; c < components; c++) {
    const all = members.subarray(starts[c], starts[c + 1])
    if (!all.some((member) => touched[member] === 1)) continue
    for (const member of all) isOpen[member] = touched[member] = 1
  }
  const kept: number[] = []
  for (let k = 0; k < edges.count; k++) if (isOpen[edges.left[k]!] === 1) kept.push(k)
  return {
    count: kept.length,
    left: Int32Array.from(kept, (k) => edges.left[k]!),
    right: Int32Array.from(kept, (k) => edges.right[k]!),
    bits: Float64Array.from(kept, (k) => edges.bits[k]!),
  }
}

// Both are by left and then right mention.
function mergedEdges(one: Edges, kept: Int32Array, other: Edges): Edges {
  const count = kept.length + other.count
  const left = new Int32Array(count)
  const right = new Int32Array(count)
  const bits = new Float64Array(count)
  let b = 0
  for (let at = 0, a = 0; at < count; at++) {
    const k = a < kept.length ? kept[a]! : -1
    const isFirst =
      k >= 0 &&
      (b >= other.count ||
        one.left[k]! < other.left[b]! ||
        (one.left[k] === other.left[b] && one.right[k]! < other.right[b]!))
    const [from, index] = isFirst ? [one, k] : [other, b]
    left[at] = from.left[index]!
    right[at] = from.right[index]!
    bits[at] = from.bits[index]!
    if (isFirst) a++
    else b++
  }
  return { count, left, right, bits }
}
