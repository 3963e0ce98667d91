import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { execute, query, quotedLiteral } from '../../warehouse/query.ts'
import { blockParts } from '../block/block-parts.ts'
import type { Conflict } from '../compare/conflicts.ts'
import { applyModel } from '../model/applied-model.ts'
import { evidenceOf, GroupSums } from '../cluster/group-evidence.ts'
import { LEAST_BITS } from '../cluster/clusters.ts'
import type { Records } from '../records/records.ts'
import type { LinkModel } from '../model/model.ts'
import { codeRecords, dropCoding } from '../records/coding.ts'
import { loadRecords } from '../records/load-records.ts'
import { type SharedKey, sharedKeys } from '../block/shared-keys.ts'
import { loadTerms } from '../model/stored-terms.ts'
import { explainScore, pairScorer, type ScoredPair } from '../score/score-pair.ts'
import { probabilityOf, type Term } from '../model/weights.ts'

/** Explains why two records are or are not one person. */
export interface PairExplanation {
  readonly left_id: string
  readonly right_id: string
  readonly bits: number
  readonly probability: number
  readonly terms: readonly Term[]
  readonly conflict: Conflict | undefined
  /** Blocking rules under which the two records share a key, so that the run compared them. */
  readonly keys: readonly string[]
  /**
   * `pairs`: number of scored pairs. `groupBits`: match weight of the two sides with all their records; −Infinity
   * when a conflict bars one of the pairs.
   */
  readonly pairs: number
  readonly groupBits: number
  /** The first pair with a conflict that bars both sides from being one person; undefined without such a pair. */
  readonly bar: Bar | undefined
}

/** Two records that a conflict keeps in different people, whatever else agrees. */
export interface Bar {
  readonly left_id: string
  readonly right_id: string
  readonly reason: string
}

/** An edge on the path from one record to another. */
export interface PathStep {
  readonly left_id: string
  readonly right_id: string
  readonly bits: number
}

/**
 * Scores all pairs of a left and a right record as the last run did, and explains the pair with the highest match
 * weight. No record may be on both sides.
 * @throws `unknown_id` when a record is not linked, `input_changed` when a record has changed since it was linked.
 */
export async function explainBestPair(
  db: DuckDBConnection,
  model: LinkModel,
  lefts: readonly string[],
  rights: readonly string[],
): Promise<PairExplanation> {
  const { records, recordOf } = await chosenRecords(db, model, [...lefts, ...rights])
  const applied = applyModel(records, await loadTerms(db, model, records.texts), model)
  const scorer = pairScorer(applied)
  const score = (a: string, b: string): ScoredPair => explainScore(recordOf.get(a)!, recordOf.get(b)!, scorer)
  let bar: Bar | undefined
  let [left, right, best] = [lefts[0]!, rights[0]!, score(lefts[0]!, rights[0]!)]
  for (const a of lefts) {
    for (const b of rights) {
      const found = score(a, b)
      if (found.conflict?.bars === 'cluster')
        bar ??= { left_id: a, right_id: b, reason: found.conflict.reason }
      if (found.bits > best.bits) [left, right, best] = [a, b, found]
    }
  }
  return {
    left_id: left,
    right_id: right,
    ...best,
    probability: probabilityOf(best.bits),
    keys: await sharedRules(db, records, recordOf.get(left)!, recordOf.get(right)!),
    pairs: lefts.length * rights.length,
    bar,
    groupBits: new GroupSums(evidenceOf(applied, LEAST_BITS)).between(
      lefts.map((id) => recordOf.get(id)!),
      rights.map((id) => recordOf.get(id)!),
    ),
  }
}

/**
 * Finds the strongest path of edges between two records; empty when no edges connect them. Searches their cluster, or
 * their connected component if they are in two clusters.
 */
export async function pathBetween(db: DuckDBConnection, left: string, right: string): Promise<PathStep[]> {
  const edges = await query(
    db,
    `with ends as (
      select component, cluster from link.groups join link.coded_records using (record_number)
      where id_hash in (hash($left), hash($right))
    ), members as (
      select record_number, record_id from link.groups join link.coded_records using (record_number)
      where component in (select component from ends)
        and (cluster in (select cluster from ends) or (select count(distinct cluster) from ends) > 1)
    )
    select l.record_id as left_id, r.record_id as right_id, e.bits from link.pair_edges as e
    join members as l on l.record_number = e.left_number join members as r on r.record_number = e.right_number
    order by e.bits desc, l.record_id, r.record_id`,
    z.object({ left_id: z.string(), right_id: z.string(), bits: z.number() }),
    { left, right },
  )
  return widestPath(edges, left, right)
}

// Prim's algorithm: always follow the strongest edge to a record not yet visited. The weakest edge of the found path
// is then as strong as possible.
function widestPath(edges: readonly PathStep[], from: string, to: string): PathStep[] {
  const cameBy = new Map<string, PathStep | undefined>([[from, undefined]])
  while (!cameBy.has(to)) {
    const next = edges.find(({ left_id, right_id }) => cameBy.has(left_id) !== cameBy.has(right_id))
    if (next === undefined) return []
    cameBy.set(cameBy.has(next.left_id) ? next.right_id : next.left_id, next)
  }
  const path: PathStep[] = []
  for (let at = to; at !== from;) {
    const step = cameBy.get(at)!
    const before = step.left_id === at ? step.right_id : step.left_id
    path.unshift({ left_id: before, right_id: at, bits: step.bits })
    at = before
  }
  return path
}

// Longest bar in characters. A line with the longest label then fits into 80 columns.
const MOST_BAR = 34

/**
 * Returns the waterfall chart as lines of text: each term with its match weight as a bar, then the sum and its
 * probability.
 */
export function waterfall(explanation: PairExplanation): string[] {
  const width = Math.max(...explanation.terms.map((term) => labelOf(term).length))
  const lines = explanation.terms.map((term) => {
    const bar = (term.bits < 0 ? '◂' : '▸').repeat(Math.min(MOST_BAR, Math.ceil(Math.abs(term.bits) - 0.5)))
    return `${labelOf(term).padEnd(width)} ${signed(term.bits)} ${bar}`.trimEnd()
  })
  lines.push(
    `${'sum'.padEnd(width)} ${signed(explanation.bits)} probability ${explanation.probability.toFixed(4)}`,
  )
  if (explanation.conflict !== undefined) lines.push(`kept apart: ${explanation.conflict.reason}`)
  return lines
}

function labelOf({ comparison, level }: Term): string {
  return `${comparison}: ${level}`
}

function signed(bits: number): string {
  return `${bits < 0 ? '−' : '+'}${Math.abs(bits).toFixed(1)}`.padStart(6)
}

// For more records than this, one scan of the table is faster than one lookup per record.
const FEW = 8

// Finds the content hashes of the linked records first, then the row numbers by content. Both queries read only
// columns of numbers. Reading the ids or whole rows of a large table takes much longer.
async function readChosen(db: DuckDBConnection, ids: readonly string[]): Promise<void> {
  const hashes = ids.map((id) => `hash(${quotedLiteral(id)})`)
  const linked = await query(
    db,
    `select content::varchar as content from link.coded_records where id_hash in (${hashes.join(', ')})`,
    z.object({ content: z.string() }),
  )
  const contents = ['null', ...linked.map(({ content }) => `${content}::ubigint`)]
  const found = await query(
    db,
    `select rowid::integer as row_number from link.records where content in (${contents.join(', ')})`,
    z.object({ row_number: z.int() }),
  )
  const places = found.map(({ row_number }) => row_number)
  const selects =
    places.length > FEW || places.length === 0
      ? [`select * from link.records where rowid in (${[-1, ...places].join(', ')})`]
      : places.map((place) => `select * from link.records where rowid = ${place}`)
  await execute(db, `create or replace temp table explained as ${selects.join(' union all ')}`)
}

// Codes and loads only the chosen records, as a small run of its own. The time does not depend on how many records
// are linked.
async function chosenRecords(
  db: DuckDBConnection,
  model: LinkModel,
  ids: readonly string[],
): Promise<{ records: Records; recordOf: ReadonlyMap<string, number> }> {
  await readChosen(db, ids)
  await codeRecords(db, 'temp.explained')
  const rows = await query(
    db,
    `select e.record_id, c.record_number as record
    from temp.explained as e join temp.coded_records as c on c.row_number = e.rowid`,
    z.object({ record_id: z.string(), record: z.int() }),
  )
  const recordOf = new Map(rows.map(({ record_id, record }) => [record_id, record]))
  const missing = ids.find((id) => !recordOf.has(id))
  if (missing !== undefined) throw await missingError(db, missing)
  const records = await loadRecords(db, model.attributes)
  await dropCoding(db)
  await execute(db, 'drop table temp.explained')
  return { records, recordOf }
}

// A record that changed after the last run is in `link.records` and `link.coded_records`, with different content.
async function missingError(db: DuckDBConnection, id: string): Promise<AppError> {
  const linked = await query(
    db,
    'select record_id from link.coded_records where id_hash = hash($id) and record_id = $id',
    z.object({ record_id: z.string() }),
    { id },
  )
  return linked.length === 0
    ? new AppError('unknown_id', `${id} is not a linked record: check its spelling`)
    : new AppError('input_changed', `${id} changed since it was linked: run \`platbook link\``)
}

// Returns the blocking rules under which both records have a common key whose block was not above the size limit.
async function sharedRules(db: DuckDBConnection, records: Records, i: number, j: number): Promise<string[]> {
  const parts = blockParts(records, Int32Array.of(i, j))
  const shared = sharedKeys(parts, 0, 1)
  if (shared.length === 0) return []
  const oversized = await query(
    db,
    `select node, key from link.oversized_keys where key in (${shared.map(({ key }) => key).join(', ')})`,
    z.object({ node: z.int(), key: z.int() }),
  )
  const isOversized = ({ rule, key }: SharedKey): boolean =>
    oversized.some((one) => one.node === rule.node && one.key === key)
  const blocks = shared.filter(
    (one) => !isOversized(one) && (one.parent === undefined || isOversized(one.parent)),
  )
  return [...new Set(blocks.map(({ rule }) => rule.name))]
}
