import type { DuckDBConnection } from '@duckdb/node-api'
import { blockRecords } from '../block/block-records.ts'
import type { Blocks } from '../block/blocking.ts'
import { clusterRecords, LEAST_BITS } from '../cluster/clusters.ts'
import { type Components, componentsOf } from '../cluster/components.ts'
import { chosenEdges, type Edges, joinedEdges } from '../cluster/edges.ts'
import { storeLinkage } from '../cluster/store-linkage.ts'
import { applyModel } from '../model/applied-model.ts'
import type { LinkModel } from '../model/model.ts'
import { loadTerms } from '../model/stored-terms.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { isRemoved, markRemoved, type Records } from '../records/records.ts'
import { readRecords } from '../records/read-records.ts'
import { sharedCopy } from '../records/texts.ts'
import { amountOf, FIND_EDGES } from '../score/score.ts'
import { type LinkThreads, type OnStep, withThreads } from '../threads/threads.ts'
import { appendRecords } from './append-records.ts'
import { dropChanges, findChanges, listChanges } from './find-changes.ts'
import { newPairs, shareBlock } from './new-pairs.ts'
import { keepState, lastState, type LinkState } from './state.ts'

export interface IncrementalOptions {
  /** Folder with the state of the last run. This run writes its own state to the same folder. */
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
  /** Records whose clusters this run computed again. */
  readonly decided: number
  /** Components that this run cut apart because they were above the size limit of a cluster. */
  readonly cut: number
}

/**
 * Updates the stored edges and clusters to the present content of `link.records`. Blocks all records, but scores only pairs that the last run
 * did not compare, and clusters only components that changed. The result is equal to the result of a full run with the same model. Returns
 * `{ fault }` and changes nothing when the state of the last run is missing, damaged, or of another version.
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
    onStep?.('state', state.records.count)
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
  const first = last.records.count
  const records = await readChanges(db, model, last)
  onStep?.('read', records.count - first)
  const { blocks, oversized } = await blockRecords(db, records, model.block_limit, threads)
  onStep?.('block', blocks.count)
  const applied = applyModel(records, await loadTerms(db, model), model)
  const toScore = { ...applied, blocks, newPairs: newPairs(blocks, first, last.oversized) }
  const scored = await threads.run(FIND_EDGES, toScore, amountOf(toScore))
  const found = scored.map((part) => part.edges)
  const pairs = scored.reduce((total, part) => total + part.pairs, 0)
  onStep?.('score', pairs)
  const { kept, lost } = partedEdges(last.edges, records, blocks)
  const edges = joinedEdges([kept, ...found])
  const touched = touchedRecords(records.count, first, [lost, ...found])
  const components = componentsOf(records.count, edges, LEAST_BITS)
  const open = openComponents(components, touched)
  const { smallest, cut } = await clusterRecords(applied, open, edges, threads)
  // All other records keep their cluster, because their components have the same records and edges as in the last run.
  for (const record of open.members) touched[record] = 1
  for (let i = 0; i < first; i++) if (touched[i] === 0) smallest[i] = last.smallest[i]!
  await storeLinkage(db, edges, components, smallest)
  const decided = open.members.length
  onStep?.('cluster', decided)
  return {
    report: { pairs, decided, cut: cut.length },
    state: { records, edges, smallest, oversized },
  }
}

/** Returns the records of the last run, followed by the added records. Marks the removed records. */
async function readChanges(db: DuckDBConnection, model: LinkModel, last: LinkState): Promise<Records> {
  const removed = await listChanges(db)
  const added = await readRecords(db, {
    from: 'temp.added',
    first: last.records.count,
    attributes: model.attributes,
  })
  const records = appendRecords(last.records, added)
  markRemoved(records, removed)
  return records
}

/** Parts the edges of the last run. `kept`: the two records still exist and share a block. `lost`: all other edges. */
function partedEdges(edges: Edges, records: Records, blocks: Blocks): { kept: Edges; lost: Edges } {
  const kept = new GrowingIntegers(edges.count)
  const lost = new GrowingIntegers()
  for (let k = 0; k < edges.count; k++) {
    const left = edges.left[k]!
    const right = edges.right[k]!
    const stays = !isRemoved(records, left) && !isRemoved(records, right) && shareBlock(blocks, left, right)
    ;(stays ? kept : lost).push(k)
  }
  return { kept: chosenEdges(edges, kept.view()), lost: chosenEdges(edges, lost.view()) }
}

/** Returns 1 for each record that was added (number `first` or more) or has an edge in `changed`, and 0 for each other record. */
function touchedRecords(count: number, first: number, changed: readonly Edges[]): Uint8Array {
  const touched = new Uint8Array(count)
  touched.fill(1, first)
  for (const { left, right } of changed) {
    for (const record of left) touched[record] = 1
    for (const record of right) touched[record] = 1
  }
  return touched
}

/** Returns the components that contain a touched record. */
function openComponents({ count, starts, members }: Components, touched: Uint8Array): Components {
  const open = new GrowingIntegers()
  const openStarts = new GrowingIntegers()
  openStarts.push(0)
  for (let c = 0; c < count; c++) {
    const own = members.subarray(starts[c], starts[c + 1])
    if (!own.some((member) => touched[member] === 1)) continue
    open.append(own)
    openStarts.push(open.length)
  }
  return {
    count: openStarts.length - 1,
    starts: sharedCopy(Int32Array, openStarts.view()),
    members: sharedCopy(Int32Array, open.view()),
  }
}
