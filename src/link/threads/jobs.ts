import { type Blocks, RULE_COUNT, ruleBlocks, type RuleBlocks } from '../block/blocking.ts'
import type { BlockParts } from '../block/block-parts.ts'
import { type Births, countBirthPairs } from '../model/birth-pairs.ts'
import { type ClusterInput, decideComponents } from '../cluster/clusters.ts'
import { countDrawn, type DrawnInput } from '../model/drawn-patterns.ts'
import type { FrequencyWeights } from '../model/frequencies.ts'
import { evidenceOf, GroupSums } from '../cluster/group-evidence.ts'
import type { Mentions } from '../records/mentions.ts'
import type { NewPairs } from '../score/pairs.ts'
import type { PatternCounts } from '../model/patterns.ts'
import { countRandomPatterns, randomUnits } from '../model/random-pairs.ts'
import type { Edges } from '../cluster/edges.ts'
import { countPatterns, findEdges } from '../score/score.ts'
import type { LevelWeights } from '../model/weights.ts'

/** What threads work on when pairs are compared; all arrays are shared. */
export interface PairInput {
  readonly mentions: Mentions
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
}

/** Work that threads divide among themselves; which thread does what changes nothing in the joined result. */
export type Job =
  | {
      readonly kind: 'blocks'
      readonly parts: BlockParts
      readonly limit: number
    }
  /** Count the patterns of the candidate pairs of one record in 2^shift. */
  | { readonly kind: 'patterns'; readonly input: PairInput; readonly shift: number }
  | { readonly kind: 'random'; readonly mentions: Mentions; readonly order: Int32Array }
  | { readonly kind: 'births'; readonly births: Births }
  /** Count the patterns of pairs that were drawn. */
  | { readonly kind: 'drawn'; readonly input: DrawnInput }
  /** Weigh every candidate pair, keep those of at least LEAST_BITS that nothing keeps apart. */
  | {
      readonly kind: 'edges'
      readonly input: PairInput
      readonly weights: LevelWeights
      /** Only these pairs, in an incremental run. */
      readonly newPairs?: NewPairs | undefined
    }
  | { readonly kind: 'clusters'; readonly input: ClusterInput }

export interface JobResults {
  blocks: RuleBlocks[]
  patterns: { readonly pairs: number; readonly patterns: PatternCounts }
  random: PatternCounts
  births: Float64Array
  drawn: PatternCounts
  edges: { readonly pairs: number; readonly edges: readonly Edges[] }
  clusters: null
}
export type JobKind = Job['kind']
export type JobOf<Kind extends JobKind> = Extract<Job, { kind: Kind }>

/** Hands out the next range of units; undefined when there is none left. */
export type NextRange = () => readonly [number, number] | undefined

/** How many units a job has, and how many records it is about. */
export function unitsOf(job: Job): { units: number; records: number } {
  switch (job.kind) {
    case 'blocks':
      return { units: RULE_COUNT, records: job.parts.count }
    case 'random':
      return { units: randomUnits(job.mentions), records: job.mentions.count }
    case 'births':
      return { units: job.births.dates.length, records: job.births.dates.length }
    case 'drawn':
      return { units: job.input.pairs.left.length, records: job.input.mentions.count }
    case 'clusters':
      return { units: job.input.components.count, records: job.input.components.members.length }
    case 'edges':
      return {
        units: job.newPairs?.records.length ?? job.input.mentions.count,
        records: job.input.mentions.count,
      }
    default:
      return { units: job.input.mentions.count, records: job.input.mentions.count }
  }
}

/** Does the ranges of a job that `next` hands out. */
export function runJob(job: Job, next: NextRange): JobResults[JobKind] {
  switch (job.kind) {
    case 'blocks':
      return eachRule(next, (rule) => ruleBlocks(job.parts, job.limit, rule))
    case 'patterns':
      return countPatterns(job.input, job.shift, next)
    case 'random':
      return countRandomPatterns(job.mentions, job.order, next)
    case 'births':
      return countBirthPairs(job.births, next)
    case 'drawn':
      return countDrawn(job.input, next)
    case 'edges':
      return findEdges(job, next)
    default:
      decideComponents(job.input, new GroupSums(evidenceOf(job.input, job.input.options.edgesFrom)), next)
      return null
  }
}

function eachRule<Found>(next: NextRange, find: (rule: number) => Found): Found[] {
  const found: Found[] = []
  for (let range = next(); range !== undefined; range = next()) {
    for (let rule = range[0]; rule < range[1]; rule++) found.push(find(rule))
  }
  return found
}
