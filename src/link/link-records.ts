import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { execute, query } from '../warehouse/query.ts'
import { checkModel, type RefusedModel } from './model/check-model.ts'
import { defaultModel } from './model/default-model.ts'
import { type FullRun, linkAll } from './run.ts'
import type { LinkModel } from './model/model.ts'
import {
  LINKAGE_VERSION,
  storedLinkage,
  type StoredLinkage,
  storeLinkageFacts,
} from './model/stored-linkage.ts'
import { driftBetween, type Drift, readModel, saveModel } from './model/model-file.ts'
import { linkChanges } from './incremental/incremental.ts'
import { type LinkThreads, type OnStep, withThreads } from './threads/threads.ts'
import { trainModel } from './model/train-model.ts'

/** If a larger share of the records changed, a full run is faster than an incremental run. */
const MOST_CHANGED = 0.2

export interface LinkRunOptions {
  /**
   * The model file (`link-model.json`); the state for incremental runs lies beside it. Without it, the model is kept
   * in the warehouse only, and each run is a full run.
   */
  readonly modelFile?: string | undefined
  readonly threads: number
  readonly today: string
  /** Compare all records again by the existing model. */
  readonly full?: boolean
  /** Train a new model and link all records by it. */
  readonly train?: boolean
  /** Use the newly trained model even when it fails the model checks. */
  readonly accept?: boolean
  readonly onStep?: OnStep | undefined
  /** Links all records by a known model instead of `linkAll`: in units. Such a run keeps no state for incremental runs. */
  readonly linkByModel?: LinkByModel | undefined
}

/**
 * Links all of `link.records` by a model, whose value frequencies are in `link.term_counts`. Replaces the tables of
 * `storeLinkage`, and those with the numbers of records and sources.
 */
export type LinkByModel = (
  db: DuckDBConnection,
  model: LinkModel,
  onStep?: OnStep,
) => Promise<{ readonly pairs: number; readonly cut: number }>

export interface LinkRunReport {
  readonly kind: 'trained' | 'full' | 'changes' | 'unchanged'
  readonly records: number
  readonly edges: number
  /** Candidate pairs that this run scored. */
  readonly pairs: number
  /** Records added, changed or removed. */
  readonly changed: number
  /** Blocks above the size limit that no child rule splits. Their pairs are not compared. */
  readonly dropped: number
  /** Connected components with more records than the limit. They were cut at their weak edges. */
  readonly cut: number
  /**
   * Levels whose match weight differs between the model before and a model trained on these records. Empty in an
   * incremental run, which does not train.
   */
  readonly drift: readonly Drift[]
  readonly model: LinkModel
  /** The newly trained model that failed the model checks and is not used; null otherwise. */
  readonly refused: RefusedModel | null
  /** The damage found in the stored state that made this run a full run; null otherwise. */
  readonly stateFault: string | null
}

/**
 * Links `link.records`. Trains a model if there is none. Runs incrementally if the stored state belongs to the same
 * model and few records changed; otherwise links all records. Call it inside a transaction, so that a killed run
 * keeps the linkage of the run before.
 */
export async function linkRecords(db: DuckDBConnection, options: LinkRunOptions): Promise<LinkRunReport> {
  const { modelFile } = options
  const stateFolder = modelFile === undefined ? undefined : stateFolderOf(modelFile)
  const stored = await storedLinkage(db)
  const before = await modelBefore(db, options, stored)
  const known = options.train === true ? undefined : before
  if (known !== undefined && options.linkByModel !== undefined)
    return linkElsewhere(db, known, options, options.linkByModel)
  let stateFault: string | null = null
  if (
    known !== undefined &&
    stateFolder !== undefined &&
    options.full !== true &&
    known === stored?.model &&
    (await isNearby(db, stored))
  ) {
    const changes = await linkChanges(db, known, { ...options, stateFolder })
    if (!('fault' in changes)) {
      return {
        kind: changes.added + changes.removed === 0 ? 'unchanged' : 'changes',
        pairs: changes.pairs,
        changed: Math.max(changes.added, changes.removed),
        cut: changes.cut,
        drift: [],
        model: known,
        refused: null,
        stateFault: null,
        ...(await counts(db)),
      }
    }
    stateFault = changes.fault
  }
  return withThreads(options.threads, async (threads) =>
    linkAnew(db, { ...options, stateFolder, stateFault, before, known }, threads),
  )
}

async function linkElsewhere(
  db: DuckDBConnection,
  model: LinkModel,
  { onStep }: LinkRunOptions,
  linkByModel: LinkByModel,
): Promise<LinkRunReport> {
  const { pairs, cut } = await linkByModel(db, model, onStep)
  await storeLinkageFacts(db, model, await traitsText(db))
  await execute(db, 'drop table if exists link.state_file')
  const found = await counts(db)
  return {
    kind: 'full',
    pairs,
    changed: found.records,
    cut,
    drift: [],
    model,
    refused: null,
    stateFault: null,
    ...found,
  }
}

/** Returns the state folder of incremental runs for a model file: `link-model.json` has `link-model.state`. */
export function stateFolderOf(modelFile: string): string {
  return modelFile.replace(/(\.json)?$/, '.state')
}

// A new model may change person ids. So a run trains one only for an empty warehouse, or when the caller asks for it
// with `train`.
async function modelBefore(
  db: DuckDBConnection,
  { modelFile, train }: LinkRunOptions,
  stored: StoredLinkage | undefined,
): Promise<LinkModel | undefined> {
  if (modelFile === undefined) return stored?.model
  if (train === true) return readModel(db, modelFile, stored?.model).catch(() => undefined)
  const model = await readModel(db, modelFile, stored?.model)
  if (model !== undefined || stored === undefined) return model
  throw new AppError(
    'bad_config',
    `${modelFile} is missing, but this warehouse is linked by a model of ${stored.model.trained_on}. ` +
      'Put the file back to keep all person ids, ' +
      'or learn a new model with `platbook link --train`: person ids may change then',
  )
}

interface AnewOptions extends LinkRunOptions {
  readonly stateFault: string | null
  readonly stateFolder: string | undefined
  /**
   * `before` is the model of the last run. `known` is the model to link by; without `known`, the run trains a model.
   */
  readonly before: LinkModel | undefined
  readonly known: LinkModel | undefined
}

async function linkAnew(
  db: DuckDBConnection,
  options: AnewOptions,
  threads: LinkThreads,
): Promise<LinkRunReport> {
  const { modelFile, before, known } = options
  if (known === undefined) await setTermsAside(db, before)
  let run = await linkAll(db, { ...options, model: known }, threads)
  const learned = run.model
  const refused = known === undefined ? await refusedModel(run, options, threads) : null
  if (refused !== null) {
    if (before !== undefined)
      await execute(db, 'create or replace table link.term_counts as from temp.terms_before')
    const model = before ?? defaultModel(run.records, learned, options.today)
    run = await linkAll(db, { ...options, model }, threads)
  }
  await execute(db, 'drop table if exists temp.terms_before')
  await storeLinkageFacts(db, run.model, await traitsText(db))
  const isKept = known !== undefined || refused?.instead === 'last'
  if (!isKept && modelFile !== undefined) await saveModel(db, modelFile, run.model)
  let drift: readonly Drift[] = []
  if (before !== undefined) {
    const fresh = known === undefined ? learned : await retrained(run, options.today, threads)
    drift = driftBetween(before, fresh)
  }
  return {
    kind: isKept ? 'full' : 'trained',
    pairs: run.pairs,
    changed: run.records.count,
    cut: run.clusters.cut.length,
    drift,
    model: run.model,
    refused,
    stateFault: options.stateFault,
    ...(await counts(db)),
  }
}

async function refusedModel(
  run: FullRun,
  { accept, before }: AnewOptions,
  threads: LinkThreads,
): Promise<RefusedModel | null> {
  if (accept === true) return null
  const faults = await checkModel(run, before, threads)
  if (faults.length === 0) return null
  const { trained_on: trainedOn, record_count: records } = run.model
  return { trainedOn, records, faults, instead: before === undefined ? 'default' : 'last' }
}

// Training replaces `link.term_counts`. The counts of the model before are needed again if the model checks refuse
// the new model.
async function setTermsAside(db: DuckDBConnection, before: LinkModel | undefined): Promise<void> {
  if (before !== undefined)
    await execute(db, 'create or replace temp table terms_before as from link.term_counts')
}

// Trains a model on the current records, to report drift. All records are in memory already, and training reads only
// a sample of the pairs.
async function retrained(
  { records, blocks, model }: FullRun,
  today: string,
  threads: LinkThreads,
): Promise<LinkModel> {
  const trained = await trainModel(records, blocks, { threads, today, blockLimit: model.block_limit })
  // `driftBetween` compares only the weights of levels, so the old counts can stay.
  return { ...trained.model, people_by_records: model.people_by_records }
}

// Tells whether an incremental run is possible and worthwhile: same linkage version, same traits of the sources, and
// few changed records.
async function isNearby(db: DuckDBConnection, { version, traits }: StoredLinkage): Promise<boolean> {
  return (
    version === LINKAGE_VERSION &&
    traits === (await traitsText(db)) &&
    (await changedShare(db)) <= MOST_CHANGED
  )
}

/**
 * Selects the cluster of each record, also of records without an edge. `cluster_id` is the smallest record id of the
 * cluster.
 */
export const CLUSTERS = `
select c.record_id, min(c.record_id) over (partition by g.cluster) as cluster_id
from link.coded_records as c join link.groups as g using (record_number)
union all
select c.record_id, c.record_id from link.coded_records as c anti join link.groups as g using (record_number)`

async function traitsText(db: DuckDBConnection): Promise<string> {
  const rows = await query(
    db,
    `select coalesce(string_agg(concat_ws(' ', source_id, is_duplicate_free, is_household_like), ', ' order by source_id), '') as traits
    from link.source_traits where is_duplicate_free or is_household_like`,
    z.object({ traits: z.string() }),
  )
  return rows[0]!.traits
}

async function changedShare(db: DuckDBConnection): Promise<number> {
  const rows = await query(
    db,
    // Record numbers are never reused. The arrays of the state keep the rows of removed records until the next full
    // run.
    `select greatest(
        abs((select count(*) from link.records) - count(*)),
        coalesce(max(record_number) + 1, 0) - count(*)
      )::double / greatest(1, count(*)) as share
    from link.coded_records`,
    z.object({ share: z.number() }),
  )
  return rows[0]!.share
}

async function counts(db: DuckDBConnection): Promise<{ records: number; edges: number; dropped: number }> {
  const rows = await query(
    db,
    `select (select count(*) from link.coded_records)::double as records, (select count(*) from link.pair_edges)::double as edges,
      (select count(*) from link.dropped_blocks)::double as dropped`,
    z.object({ records: z.int(), edges: z.int(), dropped: z.int() }),
  )
  return rows[0]!
}
