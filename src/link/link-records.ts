import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { execute, query } from '../warehouse/query.ts'
import { checkModel, type RefusedModel } from './model/check-model.ts'
import { defaultModel } from './model/default-model.ts'
import { type FullRun, linkAll } from './run.ts'
import { type LinkModel, parseModel } from './model/model.ts'
import { driftBetween, type Drift, readModel, saveModel } from './model/model-file.ts'
import { linkChanges } from './incremental/incremental.ts'
import { type LinkThreads, type OnStep, withThreads } from './threads/threads.ts'
import { trainModel } from './model/train-model.ts'

/**
 * To be raised with every change of what is decided about the same records by the same model, or of the tables that keep it: what another
 * version left is linked anew.
 */
export const LINKAGE_VERSION = 5

/** When more than this share of the records changed, linking everything anew is the shorter way. */
const MOST_CHANGED = 0.2

export interface LinkRunOptions {
  /**
   * Where the model lies (`link-model.json`), and beside it what the next night goes on from. Without it the model is kept in the
   * warehouse alone, and every night links everything.
   */
  readonly modelFile?: string | undefined
  readonly threads: number
  readonly today: string
  /** Link everything anew, by the model that is there. */
  readonly full?: boolean
  /** Learn a new model (and link everything by it). */
  readonly train?: boolean
  /** Use the model that is learned although the checks refuse it. */
  readonly accept?: boolean
  readonly onStep?: OnStep | undefined
}

export interface LinkRunReport {
  readonly kind: 'trained' | 'full' | 'changes' | 'unchanged'
  readonly records: number
  readonly edges: number
  /** Candidate pairs that this run weighed. */
  readonly pairs: number
  /** Records that came, changed or left. */
  readonly changed: number
  /** Blocks that could not be split and are not compared. */
  readonly dropped: number
  /** Components that were above the limit and were cut. */
  readonly cut: number
  /** Where training on these records differs from the model used until now. Empty in an incremental run, which does not train. */
  readonly drift: readonly Drift[]
  readonly model: LinkModel
  /** The model that this run learned and did not use, because it failed the checks; null otherwise. */
  readonly refused: RefusedModel | null
  /** Why everything was linked anew although little changed: what is wrong with the state of the last run. Null otherwise. */
  readonly stateFault: string | null
}

/**
 * Links `link.records`: trains where there is no model, compares only what changed where there is last night's state of
 * the same model, everything otherwise. To be run inside a transaction, so that a killed run leaves last night's linkage.
 */
export async function linkRecords(db: DuckDBConnection, options: LinkRunOptions): Promise<LinkRunReport> {
  const { modelFile } = options
  const stateFolder = modelFile === undefined ? undefined : stateFolderOf(modelFile)
  const stored = await storedLinkage(db)
  const before = await modelBefore(db, options, stored)
  const known = options.train === true ? undefined : before
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

/** Where the next run finds what it goes on from, beside the model. */
export function stateFolderOf(modelFile: string): string {
  return modelFile.replace(/(\.json)?$/, '.state')
}

// Another model makes other people. One is learned only where nothing was linked yet, and where it is asked for.
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
  /** The model used until now, and the one to link by; without that one is learned. */
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
  await execute(
    db,
    'create or replace table link.linkage_state as select $model::varchar as model, $traits::varchar as traits, $version::integer as version',
    {
      model: JSON.stringify(run.model),
      traits: await traitsText(db),
      version: LINKAGE_VERSION,
    },
  )
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

// Training replaces the frequencies of the model before; they are needed again when its successor is refused.
async function setTermsAside(db: DuckDBConnection, before: LinkModel | undefined): Promise<void> {
  if (before !== undefined)
    await execute(db, 'create or replace temp table terms_before as from link.term_counts')
}

// What training would give now. Every record is in memory already, and pairs are a sample: the cost is a third of the run's.
async function retrained(
  { records, blocks, model }: FullRun,
  today: string,
  threads: LinkThreads,
): Promise<LinkModel> {
  const trained = await trainModel(records, blocks, { threads, today, blockLimit: model.block_limit })
  // Drift is of levels; how many records people have is not asked.
  return { ...trained.model, people_by_records: model.people_by_records }
}

// The stored linkage is of this version and of sources with these traits, and near enough to tonight's records that going on from it is the shorter way.
async function isNearby(db: DuckDBConnection, { version, traits }: StoredLinkage): Promise<boolean> {
  return (
    version === LINKAGE_VERSION &&
    traits === (await traitsText(db)) &&
    (await changedShare(db)) <= MOST_CHANGED
  )
}

/** Cluster of every record, singles included: `cluster_id` is the smallest record id of the cluster. */
export const CLUSTERS = `
select c.record_id, min(c.record_id) over (partition by g.cluster) as cluster_id
from link.coded_records as c join link.groups as g using (record_number)
union all
select c.record_id, c.record_id from link.coded_records as c anti join link.groups as g using (record_number)`

// The first version told none.
const Stored = z.object({ model: z.string(), traits: z.string(), version: z.int().optional() })

/** What the stored linkage was made by: the tables of another version than `LINKAGE_VERSION` may be others. */
export interface StoredLinkage {
  readonly model: LinkModel
  readonly traits: string
  readonly version?: number | undefined
}

/** Undefined before the first linkage. @throws `bad_config` when its model is of another shape than this version's. */
export async function storedLinkage(db: DuckDBConnection): Promise<StoredLinkage | undefined> {
  const columns = await query(
    db,
    `select count(*)::integer as n from duckdb_columns()
    where schema_name = 'link' and table_name = 'linkage_state' and column_name = 'traits'`,
    z.object({ n: z.int() }),
  )
  if (columns[0]!.n === 0) return undefined
  const [stored] = await query(db, 'select * from link.linkage_state', Stored)
  return stored === undefined ? undefined : { ...stored, model: parseModel(stored.model) }
}

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
    // Numbers are not given twice, so what left stays in the arrays until everything is linked anew.
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
    `select (select count(*) from link.coded_records)::integer as records, (select count(*) from link.pair_edges)::integer as edges,
      (select count(*) from link.dropped_blocks)::integer as dropped`,
    z.object({ records: z.int(), edges: z.int(), dropped: z.int() }),
  )
  return rows[0]!
}
