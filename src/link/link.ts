import { createHash } from 'node:crypto'
import { type DuckDBConnection, DuckDBDataChunk, INTEGER } from '@duckdb/node-api'
import { z } from 'zod'
import { type Clock, dayOf } from '../clock.ts'
import { fillDictionaries } from '../ingest/dictionaries.ts'
import type { Log } from '../log.ts'
import type { OnProgress } from '../progress.ts'
import { type Model, buildModels, loadModels } from '../warehouse/models.ts'
import { execute, inTransaction, query } from '../warehouse/query.ts'
import { type Edges, type Traits, clusterMentions, generationOf } from './clusters.ts'
import { carryIdentities } from './identities.ts'
import { createEdgesView, createLinkTables } from './tables.ts'

export interface LinkOptions {
  readonly db: DuckDBConnection
  readonly now: Clock
  readonly log: Log
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
  /** Links even when neither mentions nor rules have changed. */
  readonly full?: boolean
}

export interface LinkReport {
  /** False: mentions and rules are the last run's, and so is the answer. */
  readonly changed: boolean
  readonly mentions: number
  readonly edges: number
  readonly people: number
  /** Person ids given out, redirected, and parted, by this run. */
  readonly allocated: number
  readonly merged: number
  readonly split: number
  /** Mergers that a guard forbade. */
  readonly refused: number
  /** Keys too common to compare under. */
  readonly skippedBlocks: number
}

/**
 * Normalises what staging holds (`normal.*`), then decides which mentions are one person, and which person (`link.*`).
 * Safe to run again; mentions and rules that are last night's are not compared again.
 */
export async function link(options: LinkOptions): Promise<LinkReport> {
  const { db, now, log, signal, progress } = options
  const models = await loadModels()
  await fillDictionaries({ db, log, signal, progress })
  await buildModels(db, models, { layers: ['normal'], log, signal, progress })
  await createLinkTables(db)
  const fingerprint = await fingerprintOf(
    db,
    models.filter((model) => model.layer === 'link'),
  )
  const last = (await query(db, LAST_RUN, LastRun))[0]
  if (last?.fingerprint === fingerprint && options.full !== true) {
    log.info({ mentions: last.mention_count, people: last.person_count }, 'nothing new to link')
    return { ...NOTHING, mentions: last.mention_count, people: last.person_count }
  }
  await buildModels(db, models, { layers: ['link'], log, signal, progress })
  await createEdgesView(db)
  signal.throwIfAborted()
  const started = performance.now()
  const { mentions, edges, refused } = await cluster(db)
  progress?.({ step: 'link', detail: 'clusters', rows: mentions, seconds: secondsSince(started) })
  signal.throwIfAborted()
  const carried = performance.now()
  const identities = await inTransaction(db, async () => {
    const result = await carryIdentities(db, dayOf(now()))
    await execute(
      db,
      `insert into link.runs
       select coalesce(max(run_number), 0) + 1, $linkedAt::timestamp, $fingerprint, $mentions, $people from link.runs`,
      { linkedAt: now().toISOString().replace('Z', ''), fingerprint, mentions, people: result.people },
    )
    return result
  })
  progress?.({ step: 'link', detail: 'people', rows: identities.people, seconds: secondsSince(carried) })
  const skipped = await query(db, 'select count(*)::integer as count from link.skipped_blocks', Counted)
  const report = {
    changed: true,
    mentions,
    edges,
    refused,
    skippedBlocks: skipped[0]?.count ?? 0,
    ...identities,
  }
  log.info(report, 'linked')
  return report
}

const NOTHING = {
  changed: false,
  edges: 0,
  allocated: 0,
  merged: 0,
  split: 0,
  refused: 0,
  skippedBlocks: 0,
}

const Counted = z.object({ count: z.int() })
const LastRun = z.object({ fingerprint: z.string(), mention_count: z.int(), person_count: z.int() })
const LAST_RUN = `
select fingerprint, mention_count, person_count from link.runs order by run_number desc limit 1`

const Fingerprint = z.object({ rows: z.int(), mixed: z.string() })

/** What the answer follows from: every compared column of every mention, the rules, the engine's hash. */
async function fingerprintOf(db: DuckDBConnection, models: readonly Model[]): Promise<string> {
  const [found] = await query(
    db,
    `select count(*)::integer as rows,
       coalesce(bit_xor(hash(
         mention_number, mention_key, first_name, middle_name, last_name, name_suffix, other_last_name, birth_number,
         gender, phone, email, address_id, mail_address_id, situs_address_id, is_work_address, property_id, employer_key,
         identifier
       )), 0)::varchar as mixed
     from normal.person_mentions`,
    Fingerprint,
  )
  const hash = createHash('sha256').update(`${found?.rows}|${found?.mixed}\n`)
  for (const model of models) hash.update(model.select)
  return hash.digest('hex')
}

async function cluster(db: DuckDBConnection): Promise<{ mentions: number; edges: number; refused: number }> {
  const traits = await readTraits(db)
  const edges = await readEdges(db)
  const { clusterOf, refused } = clusterMentions(traits, edges)
  await writeClusters(db, clusterOf)
  return { mentions: clusterOf.length - 1, edges: edges.left.length, refused }
}

async function readTraits(db: DuckDBConnection): Promise<Traits> {
  const [counted] = await query(db, 'select count(*)::integer as count from link.mentions', Counted)
  const size = (counted?.count ?? 0) + 1
  const traits = {
    birth: new Int32Array(size),
    generation: new Uint8Array(size),
    middle: new Int32Array(size),
    gender: new Uint8Array(size),
  }
  const result = await db.run(`
    select mention_number, birth_number, name_suffix,
      case when middle_name between 'A' and 'ZZZZ' then ascii(middle_name) - 64 else 0 end::integer as letter,
      case gender when 'F' then 1 when 'M' then 2 else 0 end::integer as gender
    from link.mentions`)
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    const numbers = chunk.getColumnValues(0) as number[]
    const births = chunk.getColumnValues(1) as number[]
    const suffixes = chunk.getColumnValues(2) as (string | null)[]
    const letters = chunk.getColumnValues(3) as number[]
    const genders = chunk.getColumnValues(4) as number[]
    for (const [row, number] of numbers.entries()) {
      const letter = letters[row]!
      traits.birth[number] = births[row]!
      traits.generation[number] = generationOf(suffixes[row] ?? null)
      traits.middle[number] = letter > 0 ? 1 << letter : 0
      traits.gender[number] = genders[row]!
    }
  }
  return traits
}

async function readEdges(db: DuckDBConnection): Promise<Edges> {
  const [counted] = await query(db, 'select count(*)::integer as count from link.joined_pairs', Counted)
  const size = counted?.count ?? 0
  const edges = { left: new Int32Array(size), right: new Int32Array(size), weight: new Uint8Array(size) }
  const result = await db.run(`
    select left_number, right_number, weight from link.joined_pairs order by weight desc, left_number, right_number`)
  let at = 0
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    edges.left.set(chunk.getColumnValues(0) as number[], at)
    edges.right.set(chunk.getColumnValues(1) as number[], at)
    edges.weight.set(chunk.getColumnValues(2) as number[], at)
    at += chunk.rowCount
  }
  return edges
}

const CHUNK_ROWS = 2048

async function writeClusters(db: DuckDBConnection, clusterOf: Int32Array): Promise<void> {
  await inTransaction(db, async () => {
    await execute(db, 'delete from link.clusters')
    const appender = await db.createAppender('clusters', 'link')
    for (let from = 1; from < clusterOf.length; from += CHUNK_ROWS) {
      const part = clusterOf.subarray(from, from + CHUNK_ROWS)
      const chunk = DuckDBDataChunk.create([INTEGER, INTEGER], part.length)
      chunk.setColumnValues(
        0,
        Array.from(part, (_, index) => from + index),
      )
      chunk.setColumnValues(1, [...part])
      appender.appendDataChunk(chunk)
    }
    appender.closeSync()
  })
}

function secondsSince(started: number): number {
  return Math.round(performance.now() - started) / 1000
}
