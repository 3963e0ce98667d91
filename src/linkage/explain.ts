import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { execute, query, quotedLiteral } from '../warehouse/query.ts'
import { numberedRules, type RuleNode } from './blocking.ts'
import { PairComparer } from './compare.ts'
import { type Conflict, conflictOf } from './conflicts.ts'
import { frequencyWeights } from './frequencies.ts'
import { pairBits } from './link-mentions.ts'
import { loadMentions } from './mentions.ts'
import type { LinkModel } from './model.ts'
import { loadTerms } from './stored-terms.ts'
import { levelWeights, PairWeigher, probabilityOf, type Term } from './weights.ts'

/** Why two records are, or are not, one person. */
export interface PairExplanation {
  readonly left_id: string
  readonly right_id: string
  readonly bits: number
  readonly probability: number
  readonly terms: readonly Term[]
  readonly conflict: Conflict | undefined
  /** Rules under which the two share a key, and so were compared. */
  readonly keys: readonly string[]
  /** Pairs that were weighed to find this one, and the mean of what they count in the clustering; −Infinity when one is barred. */
  readonly pairs: number
  readonly meanBits: number
}

/** A step on the way from one record to another. */
export interface PathStep {
  readonly left_id: string
  readonly right_id: string
  readonly bits: number
}

const Chosen = z.object({ record_id: z.string(), record_number: z.int(), mention: z.int() })

/** Weighs two linked records as the last run did. @throws `unknown_id` when one is not linked. */
export async function explainPair(
  db: DuckDBConnection,
  model: LinkModel,
  left: string,
  right: string,
): Promise<PairExplanation> {
  return explainBestPair(db, model, [left], [right])
}

/** Of all pairs of a record of one side and a record of the other, the one of most bits. @throws `unknown_id` when one is not linked. */
export async function explainBestPair(
  db: DuckDBConnection,
  model: LinkModel,
  lefts: readonly string[],
  rights: readonly string[],
): Promise<PairExplanation> {
  const found = await chosenRecords(db, [...lefts, ...rights])
  const mentions = await loadMentions(db, { chosen: 'temp.explained', attributes: model.attributes })
  const terms = (await loadTerms(db, model, mentions.texts)).of(mentions.texts)
  const frequencies = frequencyWeights(mentions, terms, model.agreements, model.own_records)
  const comparer = new PairComparer(mentions)
  const weigher = new PairWeigher(levelWeights(model, mentions.attributes), frequencies)
  const weigh = (a: string, b: string): number => {
    comparer.compare(found.get(a)!.mention, found.get(b)!.mention)
    return weigher.weigh(comparer)
  }
  const clusterBits = pairBits(mentions, model, frequencies)
  let [pairs, sum] = [0, 0]
  let [left, right, bits] = [lefts[0]!, rights[0]!, -Infinity]
  for (const a of lefts) {
    for (const b of rights) {
      if (a === b) continue
      pairs++
      sum += clusterBits(found.get(a)!.mention, found.get(b)!.mention)
      const weight = weigh(a, b)
      if (weight > bits) [left, right, bits] = [a, b, weight]
    }
  }
  bits = weigh(left, right)
  const [one, other] = [found.get(left)!, found.get(right)!]
  return {
    left_id: left,
    right_id: right,
    bits,
    probability: probabilityOf(bits),
    terms: weigher.terms(comparer, mentions.attributes),
    conflict: conflictOf(mentions, comparer, one.mention, other.mention),
    keys: await sharedRules(db, one.record_number, other.record_number),
    pairs,
    meanBits: sum / pairs,
  }
}

/** The strongest way from one record to another over edges of their component; empty when nothing joins them. */
export async function pathBetween(db: DuckDBConnection, left: string, right: string): Promise<PathStep[]> {
  const edges = await query(
    db,
    `with ends as (
      select component from link.groups join link.coded_records using (record_number) where record_id in ($left, $right)
    ), members as (
      select record_number, record_id from link.groups join link.coded_records using (record_number)
      where component in (select component from ends)
    )
    select l.record_id as left_id, r.record_id as right_id, e.bits from link.pair_edges as e
    join members as l on l.record_number = e.left_number join members as r on r.record_number = e.right_number
    order by e.bits desc, l.record_id, r.record_id`,
    z.object({ left_id: z.string(), right_id: z.string(), bits: z.number() }),
    { left, right },
  )
  return widestPath(edges, left, right)
}

// Prim's way: always the strongest edge out of what is reached, so that the weakest step of the path is as strong as can be.
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

/** The waterfall as lines of text: each term with its bits as a bar, then the sum and its probability. */
export function waterfall(explanation: PairExplanation): string[] {
  const width = Math.max(...explanation.terms.map((term) => labelOf(term).length))
  const lines = explanation.terms.map((term) => {
    const bar = (term.bits < 0 ? '◂' : '▸').repeat(Math.min(40, Math.max(1, Math.round(Math.abs(term.bits)))))
    return `${labelOf(term).padEnd(width)} ${signed(term.bits)} ${bar}`
  })
  lines.push(
    `${'sum'.padEnd(width)} ${signed(explanation.bits)} probability ${explanation.probability.toFixed(4)}`,
  )
  if (explanation.conflict !== undefined) lines.push(`kept apart: ${explanation.conflict.reason}`)
  lines.push(
    explanation.keys.length === 0 ? 'compared under no key' : `compared under ${explanation.keys.join(', ')}`,
  )
  return lines
}

function labelOf({ comparison, level }: Term): string {
  return `${comparison}: ${level}`
}

function signed(bits: number): string {
  return `${bits < 0 ? '−' : '+'}${Math.abs(bits).toFixed(1)}`.padStart(6)
}

// Into `temp.explained`, numbered as mentions are: by record id.
async function chosenRecords(
  db: DuckDBConnection,
  ids: readonly string[],
): Promise<Map<string, z.output<typeof Chosen>>> {
  await execute(
    db,
    `create or replace temp table explained as
    select record_id, record_number, (row_number() over (order by record_id) - 1)::integer as mention
    from link.coded_records where record_id in (${ids.map(quotedLiteral).join(', ')})`,
  )
  const rows = await query(db, 'select record_id, record_number, mention from temp.explained', Chosen)
  const found = new Map(rows.map((row) => [row.record_id, row]))
  for (const id of ids) {
    if (!found.has(id)) throw new AppError('unknown_id', `${id} is no linked record: check its spelling`)
  }
  return found
}

async function sharedRules(db: DuckDBConnection, left: number, right: number): Promise<string[]> {
  const rows = await query(
    db,
    `select distinct a.node from link.block_keys as a join link.block_keys as b using (node, key)
    anti join link.oversized_keys using (node, key)
    where a.record_number = ${left} and b.record_number = ${right} order by a.node`,
    z.object({ node: z.int() }),
  )
  const names = new Map<number, string>()
  const visit = (rule: RuleNode): void => {
    names.set(rule.node, rule.name)
    rule.children.forEach(visit)
  }
  numberedRules().forEach(visit)
  return rows.map(({ node }) => names.get(node) ?? String(node))
}
