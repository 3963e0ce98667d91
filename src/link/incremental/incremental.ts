import type { DuckDBConnection } from '@duckdb/node-api'
import { blockRecords } from '../block/block-records.ts'
import type { Blocks } from '../block/blocking.ts'
import {
  CLUSTER_OPTIONS,
  clusterMentions,
  type Clusters,
  decideOnThreads,
  LEAST_BITS,
} from '../cluster/clusters.ts'
import { type Components, componentsOf } from '../cluster/components.ts'
import { chosenEdges, type Edges, mergedEdges, sortedEdges } from '../cluster/edges.ts'
import { storeLinkage } from '../cluster/store-linkage.ts'
import { type FrequencyWeights, frequencyWeights } from '../model/frequencies.ts'
import type { LinkModel } from '../model/model.ts'
import { loadTerms } from '../model/stored-terms.ts'
import { type LevelWeights, levelWeights } from '../model/weights.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { isRemoved, markRemoved, type Mentions } from '../records/mentions.ts'
import { readRecords } from '../records/read-records.ts'
import { amountOf, FIND_EDGES } from '../score/score.ts'
import { type LinkThreads, type OnStep, withThreads } from '../threads/threads.ts'
import { appendMentions } from './append-mentions.ts'
import { dropChanges, findChanges, listChanges } from './find-changes.ts'
import { newPairs, shareBlock } from './new-pairs.ts'
import { keepState, lastState, type LinkState } from './state.ts'

export interface IncrementalOptions {
  /** Where the run before left its state, and this one leaves its own. */
  readonly stateFolder: string
  readonly threads: number
  readonly onStep?: OnStep | undefined
}

export interface IncrementalReport {
  /** Records that were added and removed since the last run; a changed record counts as both. */
  readonly added: number
  readonly removed: number
  /** Pairs that this run scored. */
  readonly pairs: number
  /** Records whose clusters this run decided, and components among them that were above the limit. */
  readonly decided: number
  readonly cut: number
}

/**
 * Brings the stored linkage up to `link.records`. Blocks all records, scores only pairs that the last run did not compare, and decides only
 * components that changed. Ends with exactly what a full run by the same model gives. Does nothing and returns `{ fault }` when the state of
 * the last run is missing, damaged, or of another version.
 */
export async function linkChanges(
  db: DuckDBConnection,
  model: LinkModel,
  { stateFolder, threads: count, onStep }: IncrementalOptions,
): Promise<IncrementalReport | { readonly fault: string }> {
  const changes = await findChanges(db)
  try {
    onStep?.('changes', changes.added + changes.removed)
    if (changes.added + changes.removed === 0) return { ...changes, pairs: 0, decided: 0, cut: 0 }
    const state = await lastState(db, stateFolder)
    if (typeof state === 'string') return { fault: state }
    onStep?.('state', state.mentions.count)
    const linked = await withThreads(count, async (threads) => linkAdded(db, model, state, threads, onStep))
    await keepState(db, stateFolder, linked.state)
    onStep?.('store', linked.state.edges.count)
    return { ...changes, ...linked.report }
  } finally {
    await dropChanges(db)
  }
}

interface Linked {
  readonly report: Omit<IncrementalReport, 'added' | 'removed'>
  readonly state: LinkState
}

async function linkAdded(
  db: DuckDBConnection,
  model: LinkModel,
  last: LinkState,
  threads: LinkThreads,
  onStep: OnStep | undefined,
): Promise<Linked> {
  const first = last.mentions.count
  const mentions = await readChanges(db, model, last)
  onStep?.('read', mentions.count - first)
  const { blocks, oversized } = await blockRecords(db, mentions, model.block_limit, threads)
  onStep?.('block', blocks.count)
  const frequencies = frequencyWeights(mentions, await loadTerms(db, model), model)
  const weights = levelWeights(model, mentions.attributes)
  const input = { mentions, blocks, frequencies, weights }
  const toScore = { ...input, newPairs: newPairs(blocks, first, last.oversized) }
  const scored = await threads.run(FIND_EDGES, toScore, amountOf(toScore))
  const found = sortedEdges(scored.flatMap((part) => part.edges))
  const pairs = scored.reduce((total, part) => total + part.pairs, 0)
  onStep?.('score', pairs)
  const { kept, lost } = partedEdges(last.edges, mentions, blocks)
  const edges = mergedEdges(kept, found)
  const touched = touchedRecords(mentions.count, first, [found, lost])
  const components = componentsOf(mentions.count, edges, LEAST_BITS)
  const decided = await decideTouched({ ...input, edges, components, touched }, threads)
  const smallest = decided.clusters.smallest
  for (let i = 0; i < first; i++) if (decided.isOpen[i] === 0) smallest[i] = last.smallest[i]!
  await storeLinkage(db, edges, components, smallest)
  const members = decided.clusters.components.members.length
  onStep?.('cluster', members)
  return {
    report: { pairs, decided: members, cut: decided.clusters.cut.length },
    state: { mentions, edges, smallest, oversized },
  }
}

/** Returns the records of the last run, the removed ones marked, followed by the added ones. */
async function readChanges(db: DuckDBConnection, model: LinkModel, last: LinkState): Promise<Mentions> {
  const removed = await listChanges(db)
  const added = await readRecords(db, {
    from: 'temp.added',
    first: last.mentions.count,
    attributes: model.attributes,
  })
  const mentions = appendMentions(last.mentions, added)
  markRemoved(mentions, removed)
  return mentions
}

/** Parts the edges of the last run into those whose records are still compared, and those whose records are not. */
function partedEdges(edges: Edges, mentions: Mentions, blocks: Blocks): { kept: Edges; lost: Edges } {
  const kept = new GrowingIntegers(edges.count)
  const lost = new GrowingIntegers()
  for (let k = 0; k < edges.count; k++) {
    const left = edges.left[k]!
    const right = edges.right[k]!
    const stays = !isRemoved(mentions, left) && !isRemoved(mentions, right) && shareBlock(blocks, left, right)
    ;(stays ? kept : lost).push(k)
  }
  return { kept: chosenEdges(edges, kept.view()), lost: chosenEdges(edges, lost.view()) }
}

/** Returns 1 for each record that was added, or that has an edge that was found or lost. */
function touchedRecords(count: number, first: number, changed: readonly Edges[]): Uint8Array {
  const touched = new Uint8Array(count)
  touched.fill(1, first)
  for (const { left, right } of changed) {
    for (const record of left) touched[record] = 1
    for (const record of right) touched[record] = 1
  }
  return touched
}

interface DecideInput {
  readonly mentions: Mentions
  readonly frequencies: FrequencyWeights
  readonly weights: LevelWeights
  readonly edges: Edges
  readonly components: Components
  readonly touched: Uint8Array
}

/**
 * Decides the components with a touched record. Any other component has the records and edges that it had in the last run. `isOpen` is 1
 * for every record that this run decided: those of such components, and touched records without an edge.
 */
async function decideTouched(
  { edges, components, touched, ...input }: DecideInput,
  threads: LinkThreads,
): Promise<{ clusters: Clusters; isOpen: Uint8Array }> {
  const isOpen = touched.slice()
  for (let c = 0; c < components.count; c++) {
    const members = components.members.subarray(components.starts[c], components.starts[c + 1])
    if (members.some((member) => touched[member] === 1)) for (const member of members) isOpen[member] = 1
  }
  const open = new GrowingIntegers()
  for (let k = 0; k < edges.count; k++) if (isOpen[edges.left[k]!] === 1) open.push(k)
  const clusters = await clusterMentions(
    touched.length,
    chosenEdges(edges, open.view()),
    decideOnThreads(input, threads),
    CLUSTER_OPTIONS,
  )
  return { clusters, isOpen }
}
