import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { type Clock, dayOf } from '../clock.ts'
import type { Log } from '../log.ts'
import type { OnProgress } from '../progress.ts'
import { type BuildTables, type Model, buildModels, loadModels } from '../warehouse/models.ts'
import { CLUSTERS, type LinkByModel, linkRecords, type LinkRunReport } from './link-records.ts'
import type { RefusedModel } from './model/check-model.ts'
import { reportPage } from './explain/report.ts'
import type { Drift } from './model/model-file.ts'
import { LINKAGE_VERSION } from './model/stored-linkage.ts'
import { type UnknownKind, unknownKinds } from './model/unknown-kinds.ts'
import { execute, inTransaction, query } from '../warehouse/query.ts'
import { carryIdentities, EVENT_TEXT, type Identities } from './ids/identities.ts'
import { keepIdentities, restoreIdentities } from './ids/kept-identities.ts'
import { createEdgesView, createLinkTables, fillStrongestEdges } from './ids/tables.ts'

export interface LinkOptions {
  readonly db: DuckDBConnection
  readonly now: Clock
  readonly log: Log
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
  /** Compares all records again, also when neither records nor rules have changed. */
  readonly full?: boolean
  /** Trains a new model first and links all records by it. Person ids may change. */
  readonly train?: boolean
  /** Uses the newly trained model even when it fails the model checks. */
  readonly accept?: boolean
  /** The model file (`link-model.json`). Without it, the model is kept in the warehouse only. */
  readonly modelFile?: string | undefined
  /**
   * The folder that keeps the person ids when the warehouse file is lost (see `ids/kept-identities.ts`). Without it,
   * no copy is kept.
   */
  readonly identities?: string | undefined
  /** The HTML report to write (`link-report.html`). Without it, no report is written. */
  readonly reportFile?: string | undefined
  /** Links all records in units instead of in this process; see `LinkRunOptions.linkByModel`. */
  readonly linkByModel?: LinkByModel | undefined
  /** Builds the tables of `sql/link` in place of this process. */
  readonly buildTables?: BuildTables | undefined
  /** More connections to the same warehouse. Models of the SQL layer are built in parallel on them. */
  readonly extraConnections?: readonly DuckDBConnection[] | undefined
}

export interface LinkReport {
  /** False when the input and the rules equal those of the last run, so nothing was linked. */
  readonly changed: boolean
  readonly records: number
  readonly edges: number
  readonly people: number
  /** Counts of person ids that this run allocated, merged into another id, split, and left without records. */
  readonly allocated: number
  readonly merged: number
  readonly split: number
  readonly removed: number
  /** Connected components with more records than the limit. They were cut at their weak edges. */
  readonly cutComponents: number
  /** Blocks above the size limit that no child rule splits. Their pairs are not compared. */
  readonly droppedBlocks: number
  /** The model of this run; null when nothing was linked. */
  readonly model: { readonly trainedOn: string; readonly records: number } | null
  /**
   * Levels whose match weight differs from that of a model trained on the current records. Only runs that link all
   * records report it.
   */
  readonly drift: readonly Drift[]
  /** True when this run trained its model. Then `drift` compares the model before with the new one. */
  readonly trained: boolean
  /** The newly trained model that failed the model checks and is not used; null otherwise. */
  readonly refusedModel: RefusedModel | null
  /**
   * Kinds of identifiers and traits that the model has no weights for. A new training is needed before they count.
   */
  readonly unknown: readonly UnknownKind[]
  /** Count of input problems that the HTML report lists; 0 when no report was written. */
  readonly faults: number
  /** The damage found in the stored state that made this run a full run; null otherwise. */
  readonly stateFault: string | null
  /** The HTML report that was written; null when there is none. */
  readonly reportFile: string | null
}

/**
 * Links the records of `normal.person_mentions` into people and writes the result to `link.*`. When records and rules
 * are unchanged since the last run, returns without linking. A repeated call is safe.
 */
export async function link(options: LinkOptions): Promise<LinkReport> {
  const { db, log, signal, progress, extraConnections, buildTables } = options
  const models = await loadModels()
  await createLinkTables(db)
  const { identities: keptIn, modelFile } = options
  if (keptIn !== undefined) {
    const restored = await restoreIdentities(db, keptIn, modelFile)
    if (restored !== null)
      log.warn({ run: restored }, 'this warehouse has no person ids yet: those of an earlier run are used')
  }
  const fingerprint = await fingerprintOf(
    db,
    models.filter((model) => model.layer === 'link'),
  )
  const last = (await query(db, LAST_RUN, LastRun))[0]
  if (options.full === true || options.train === true) {
    // Clear the stored fingerprint first. The fingerprint does not cover the model, and the model file is replaced
    // before the run commits. After a killed run, the next run must not take the input for unchanged.
    await execute(db, `update link.runs set fingerprint = '' where fingerprint = $fingerprint`, {
      fingerprint,
    })
  } else if (last?.fingerprint === fingerprint) {
    log.info({ records: last.mention_count, people: last.person_count }, 'nothing new to link')
    if (keptIn !== undefined) await keepIdentities(db, keptIn, modelFile)
    return { ...NOTHING, records: last.mention_count, people: last.person_count }
  }
  if (buildTables !== undefined) await buildTables(db, 'link')
  else await buildModels(db, models, { layers: ['link'], log, signal, progress, extraConnections })
  signal.throwIfAborted()
  const { linkage, identities } = await decide(options, fingerprint)
  if (keptIn !== undefined) await keepIdentities(db, keptIn, modelFile)
  const linked = {
    changed: true,
    records: linkage.records,
    edges: linkage.edges,
    cutComponents: linkage.cut,
    droppedBlocks: linkage.dropped,
    model: { trainedOn: linkage.model.trained_on, records: linkage.model.record_count },
    drift: linkage.drift,
    trained: linkage.kind === 'trained',
    refusedModel: linkage.refused,
    stateFault: linkage.stateFault,
    unknown: await unknownKinds(db, linkage.model),
    reportFile: options.reportFile ?? null,
    ...identities,
  }
  const faults =
    options.reportFile === undefined
      ? 0
      : await writePage(options.reportFile, options, { linkage, linked, last })
  const report = { ...linked, faults }
  log.info(report, 'linked')
  return report
}

interface RunFacts {
  readonly linkage: LinkRunReport
  readonly linked: Omit<LinkReport, 'faults'>
  readonly last: z.output<typeof LastRun> | undefined
}

async function writePage(
  path: string,
  { db, now }: LinkOptions,
  { linkage, linked, last }: RunFacts,
): Promise<number> {
  const people = [
    { label: 'records', now: linked.records, before: last?.mention_count ?? null },
    { label: 'people', now: linked.people, before: last?.person_count ?? null },
    { label: 'ids allocated', now: linked.allocated, before: null },
    { label: 'ids merged into others', now: linked.merged, before: null },
    { label: 'ids split', now: linked.split, before: null },
    { label: 'ids removed', now: linked.removed, before: null },
  ]
  const today = dayOf(now())
  const events = await eventsOf(db, today)
  const { page, faults } = await reportPage(db, {
    report: linkage,
    today,
    people,
    events,
    unknown: linked.unknown,
  })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, page)
  return faults
}

/** Returns what happened to person ids on a day as lines of text, at most twenty for each kind of event. */
async function eventsOf(db: DuckDBConnection, day: string): Promise<string[]> {
  const rows = await query(
    db,
    `(select old_person_id || ' became ' || person_id || ': ' || reason as line
      from link.person_redirects where merged_on = $day::date order by line limit 20)
     union all
     (select person_id || ' ' || ${EVENT_TEXT} as line
      from link.person_history where happened_on = $day::date and event <> 'merged'
      qualify row_number() over (partition by event order by person_id, other_person_id) <= 20
      order by event, line)`,
    z.object({ line: z.string() }),
    { day },
  )
  return rows.map(({ line }) => line)
}

const NOTHING = {
  changed: false,
  edges: 0,
  allocated: 0,
  merged: 0,
  split: 0,
  removed: 0,
  cutComponents: 0,
  droppedBlocks: 0,
  model: null,
  drift: [],
  trained: false,
  refusedModel: null,
  stateFault: null,
  unknown: [],
  faults: 0,
  reportFile: null,
}

const Counted = z.object({ count: z.int() })
const LastRun = z.object({ fingerprint: z.string(), mention_count: z.int(), person_count: z.int() })
const LAST_RUN = `
select fingerprint, mention_count, person_count from link.runs order by run_number desc limit 1`

const Fingerprint = z.object({ rows: z.int(), mixed: z.string() })

/**
 * Returns a hash of everything that the linkage depends on except the model: compared columns of all records, traits
 * of the sources, SQL models of the `link` layer, and `LINKAGE_VERSION`. It uses DuckDB's `hash`, so another DuckDB
 * version may change it.
 */
async function fingerprintOf(db: DuckDBConnection, models: readonly Model[]): Promise<string> {
  const [found] = await query(
    db,
    `select count(*)::double as rows,
       coalesce(bit_xor(hash(
         mention_key, first_name, middle_name, last_name, name_suffix, other_last_name, birth_number,
         gender, phone, email, address_id, mail_address_id, situs_address_id, is_work_address, property_id, parcel_number,
         employer_key, occupation, identifier, traits
       )), 0)::varchar as mixed
     from normal.person_mentions`,
    Fingerprint,
  )
  const hash = createHash('sha256').update(`${found?.rows}|${found?.mixed}\n`)
  const traits = await query(
    db,
    `select concat_ws(' ', source_id, is_duplicate_free, is_household_like) as source
     from reference.sources where is_duplicate_free or is_household_like order by source_id`,
    z.object({ source: z.string() }),
  )
  for (const { source } of traits) hash.update(`${source}\n`)
  for (const model of models) hash.update(model.select)
  return `${LINKAGE_VERSION} ${hash.digest('hex')}`
}

/**
 * Links `link.records` and assigns person ids in one transaction, so edges, clusters and people always belong to one
 * run.
 */
async function decide(
  options: LinkOptions,
  fingerprint: string,
): Promise<{ linkage: LinkRunReport; identities: Identities }> {
  const { db, now, log, signal, progress, modelFile, linkByModel } = options
  const { full = false, train = false, accept = false } = options
  const [found] = await query(db, `select current_setting('threads')::integer as count`, Counted)
  const today = dayOf(now())
  const started = performance.now()
  let carried = started
  const decided = await inTransaction(db, async () => {
    const linkage = await linkRecords(db, {
      modelFile,
      threads: found?.count ?? 1,
      today,
      full,
      train,
      accept,
      linkByModel,
    })
    if (linkage.stateFault !== null)
      log.warn(
        { reason: linkage.stateFault },
        'the stored state of the last run cannot be used: this run links all records again',
      )
    const mentions = linkage.records
    await fillClusters(db)
    await fillStrongestEdges(db)
    await createEdgesView(db)
    carried = performance.now()
    progress?.({ step: 'link', detail: 'clusters', rows: mentions, seconds: secondsSince(started) })
    signal.throwIfAborted()
    const identities = await carryIdentities(db, today, linkage.kind === 'trained')
    await execute(
      db,
      `insert into link.runs
       select coalesce(max(run_number), 0) + 1, $linkedAt::timestamp, $fingerprint, $mentions, $people from link.runs`,
      {
        linkedAt: now().toISOString().replace('Z', ''),
        fingerprint,
        mentions,
        people: identities.people,
      },
    )
    return { linkage, identities }
  })
  const { people } = decided.identities
  progress?.({ step: 'link', detail: 'people', rows: people, seconds: secondsSince(carried) })
  return decided
}

/** Replaces `link.clusters`. A cluster is named by its first mention, ordered by hash and then by person in the record. */
async function fillClusters(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    `create or replace table link.clusters as
     select mentions.mention_key,
       first_value(mentions.mention_key) over (
         partition by clusters.cluster_id order by mentions.mention_hash, mentions.person_sequence, mentions.mention_key
       ) as cluster_key
     from (${CLUSTERS}) as clusters
     inner join normal.person_mentions as mentions on mentions.mention_key = clusters.record_id`,
  )
}

function secondsSince(started: number): number {
  return Math.round(performance.now() - started) / 1000
}
