import { type ChangeInput, type RuleChanges, ruleChanges } from '../incremental/block-changes.ts'
import { type Blocks, RULE_COUNT, ruleBlocks, type RuleBlocks } from '../block/blocking.ts'
import type { BlockParts } from '../block/block-parts.ts'
import { type Births, countBirthPairs } from '../model/birth-pairs.ts'
import { type ClusterInput, decideComponents } from '../cluster/clusters.ts'
import { countDrawn, type DrawnInput } from '../model/drawn-patterns.ts'
import type { FrequencyWeights } from '../model/frequencies.ts'
import { evidenceOf, GroupSums } from '../cluster/group-evidence.ts'
import { IndexRoom } from '../incremental/key-index.ts'
import type { Mentions } from '../records/mentions.ts'
import type { NightPairs } from '../score/pairs.ts'
import { type PanelEstimate, panelEstimate, type PanelInput } from '../incremental/panel.ts'
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

/** The same of a night. */
export interface NightPairInput {
  readonly mentions: Mentions
  readonly night: NightPairs
  readonly frequencies: FrequencyWeights
}

/** Work that threads divide among themselves; which thread does what changes nothing in the joined result. */
export type Job =
  | {
      readonly kind: 'blocks'
      readonly parts: BlockParts
      readonly limit: number
      /** The folder in which all keys are kept. */
      readonly into: string | undefined
    }
  /** What a night changes in the blocks. */
  | { readonly kind: 'changes'; readonly input: ChangeInput }
  /** Count the patterns of the candidate pairs of one record in 2^shift. */
  | { readonly kind: 'patterns'; readonly input: PairInput; readonly shift: number }
  /** What a panel of records would teach: one thread's work, beside what others do. */
  | { readonly kind: 'panel'; readonly input: PanelInput }
  | { readonly kind: 'random'; readonly mentions: Mentions; readonly order: Int32Array }
  | { readonly kind: 'births'; readonly births: Births }
  /** Count the patterns of pairs that were drawn. */
  | { readonly kind: 'drawn'; readonly input: DrawnInput }
  /** Weigh every candidate pair, keep those of at least LEAST_BITS that nothing keeps apart. */
  | {
      readonly kind: 'edges'
      readonly input: PairInput | NightPairInput
      readonly weights: LevelWeights
    }
  | { readonly kind: 'clusters'; readonly input: ClusterInput }

export interface JobResults {
  blocks: RuleBlocks[]
  changes: RuleChanges[]
  patterns: { readonly pairs: number; readonly patterns: PatternCounts }
  panel: PanelEstimate[]
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
    case 'changes':
      return { units: RULE_COUNT, records: job.input.mentions.count }
    case 'random':
      return { units: randomUnits(job.mentions), records: job.mentions.count }
    case 'births':
      return { units: job.births.dates.length, records: job.births.dates.length }
    case 'drawn':
      return { units: job.input.pairs.left.length, records: job.input.mentions.count }
    case 'panel':
      return { units: 1, records: job.input.mentions.count }
    case 'clusters':
      return { units: job.input.components.count, records: job.input.components.members.length }
    default:
      return {
        units: 'night' in job.input ? job.input.night.records.length : job.input.mentions.count,
        records: job.input.mentions.count,
      }
  }
}

/** Does the ranges of a job that `next` hands out. */
export function runJob(job: Job, next: NextRange): JobResults[JobKind] {
  switch (job.kind) {
    case 'blocks':
      return eachRule(next, (rule) => ruleBlocks(job.parts, job.limit, rule, job.into))
    case 'changes': {
      const room = new IndexRoom()
      return eachRule(next, (rule) => ruleChanges(job.input, rule, room))
    }
    case 'patterns':
      return countPatterns(job.input, job.shift, next)
    case 'panel':
      return next() === undefined ? [] : [panelEstimate(job.input)]
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
