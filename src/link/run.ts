import type { DuckDBConnection } from '@duckdb/node-api'
import { blockRecords } from './block/block-records.ts'
import { blockLimit, type Blocks, type DroppedBlock } from './block/blocking.ts'
import { CLUSTER_OPTIONS, clusterRecords, type Clusters, LEAST_BITS } from './cluster/clusters.ts'
import { type Components, componentsOf } from './cluster/components.ts'
import { type Edges, joinedEdges } from './cluster/edges.ts'
import { countPeople, sampleOf } from './cluster/people-counts.ts'
import { storeLinkage } from './cluster/store-linkage.ts'
import { keepState } from './incremental/state.ts'
import { type AppliedModel, applyModel } from './model/applied-model.ts'
import type { FrequencyWeights, TermSource } from './model/frequencies.ts'
import type { LinkModel } from './model/model.ts'
import { loadTerms, storeTerms } from './model/stored-terms.ts'
import { trainModel } from './model/train-model.ts'
import { levelWeights } from './model/weights.ts'
import { resetCoding } from './records/coding.ts'
import type { Records } from './records/records.ts'
import { readRecords } from './records/read-records.ts'
import { amountOf, FIND_EDGES } from './score/score.ts'
import { type LinkThreads, type OnStep, withThreads } from './threads/threads.ts'

export interface Linked {
  readonly pairs: number
  readonly edges: Edges
  /** The connected components of the records, with the edges as links. */
  readonly components: Components
  readonly clusters: Clusters
  readonly frequencies: FrequencyWeights
  readonly model: LinkModel
}

export interface FullRun extends Linked {
  readonly records: Records
  readonly blocks: Blocks
  readonly dropped: readonly DroppedBlock[]
}

export interface FullOptions {
  readonly threads: number
  readonly onStep?: OnStep | undefined
  /** The model to link by. Without it, the run trains a model on these records and stores its value frequencies. */
  readonly model?: LinkModel | undefined
  readonly today: string
  /**
   * The folder to which the run writes its state for the next incremental run. Without it, the next run is a full
   * run.
   */
  readonly stateFolder?: string | undefined
}

/**
 * Links all of `link.records` in six steps: read, block, train (only without a given model), score, cluster, store.
 * Replaces these tables of `link`: `coded_records`, the numbers of sources, `oversized_keys`, `dropped_blocks`,
 * `pair_edges` and `groups` (component and cluster of each record that has an edge). With a new model, also replaces
 * `term_counts`.
 */
export async function linkAllRecords(db: DuckDBConnection, options: FullOptions): Promise<FullRun> {
  return withThreads(options.threads, async (threads) => linkAll(db, options, threads))
}

/** Does the work of `linkAllRecords` on the caller's threads. The threads stay open for the caller. */
export async function linkAll(
  db: DuckDBConnection,
  { model: given, today, stateFolder, onStep }: FullOptions,
  threads: LinkThreads,
): Promise<FullRun> {
  await resetCoding(db)
  const records = await readRecords(db, { from: 'link.records', first: 0, attributes: given?.attributes })
  onStep?.('read', records.count)
  const limit = given?.block_limit ?? blockLimit(records.count)
  const { blocks, oversized, dropped } = await blockRecords(db, records, limit, threads)
  onStep?.('block', blocks.count)
  const { model, terms } =
    given === undefined
      ? await trainOn(db, { records, blocks, limit, today }, threads)
      : { model: given, terms: await loadTerms(db, given) }
  if (given === undefined) onStep?.('train', 0)
  const linked = await scoreAndCluster(records, blocks, model, terms, threads, onStep)
  const { edges, clusters, components } = linked
  await storeLinkage(db, edges, components, clusters.smallest)
  if (stateFolder !== undefined)
    await keepState(db, stateFolder, { records, edges, smallest: clusters.smallest, oversized })
  onStep?.('store', edges.count)
  return { ...linked, records, blocks, dropped }
}

interface TrainInput {
  readonly records: Records
  readonly blocks: Blocks
  readonly limit: number
  readonly today: string
}

async function trainOn(
  db: DuckDBConnection,
  { records, blocks, limit, today }: TrainInput,
  threads: LinkThreads,
): Promise<Pick<Awaited<ReturnType<typeof trainModel>>, 'model'> & { terms: TermSource }> {
  const { model, terms } = await trainModel(records, blocks, { threads, blockLimit: limit, today })
  await storeTerms(db, terms, records)
  return { model, terms: terms.source() }
}

/**
 * Scores the candidate pairs of the blocked records and clusters the records. For a newly trained model, also counts
 * how many records people have (`people_by_records`).
 */
export async function scoreAndCluster(
  records: Records,
  blocks: Blocks,
  trained: LinkModel | Omit<LinkModel, 'people_by_records'>,
  terms: TermSource,
  threads: LinkThreads,
  onStep?: OnStep,
): Promise<Linked> {
  const known = { people_by_records: [], ...trained }
  const applied = applyModel(records, terms, known)
  const input = { ...applied, blocks }
  const found = await threads.run(FIND_EDGES, input, amountOf(input))
  const pairs = found.reduce((total, part) => total + part.pairs, 0)
  const edges = joinedEdges(found.flatMap((part) => part.edges))
  onStep?.('score', pairs)
  const components = componentsOf(records.count, edges, LEAST_BITS)
  const model =
    'people_by_records' in trained
      ? trained
      : { ...trained, people_by_records: await peopleFound(applied, components, edges, threads) }
  const clusters = await clusterRecords(
    { ...applied, weights: levelWeights(model, records.attributes) },
    components,
    edges,
    threads,
  )
  onStep?.('cluster', edges.count)
  return { pairs, edges, components, clusters, frequencies: applied.frequencies, model }
}

/**
 * Clusters a sample of the records by the model without `people_by_records`. Returns how many people have 1, 2, 3 …
 * records.
 */
async function peopleFound(
  model: AppliedModel,
  components: Components,
  edges: Edges,
  threads: LinkThreads,
): Promise<number[]> {
  const sample = sampleOf(model.records, components)
  const { smallest } = await clusterRecords(model, sample, edges, threads)
  return countPeople(sample, smallest, CLUSTER_OPTIONS.mostRecords)
}
