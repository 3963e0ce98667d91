import type { Blocks } from '../block/blocking.ts'
import { PairFinder } from '../block/candidates.ts'
import { PairComparer } from '../compare/compare.ts'
import type { Records } from '../records/records.ts'
import { mixInto } from '../records/texts.ts'
import type { LinkThreads, NextRange, Work } from '../threads/threads.ts'
import type { FrequencyWeights } from './frequencies.ts'
import { mergedPatterns, type Pattern, PatternCounter, type PatternCounts } from './patterns.ts'

/** Pairs of records: `left[k]` with `right[k]`; the left number is the smaller one. */
export interface Pairs {
  readonly left: Int32Array
  readonly right: Int32Array
}

interface PairInput {
  readonly records: Records
  readonly pairs: Pairs
  readonly frequencies?: FrequencyWeights | undefined
}

/** Counts the patterns of given pairs. A unit of work is a pair. */
export function countPairs({ records, pairs, frequencies }: PairInput, next: NextRange): PatternCounts {
  const comparer = new PairComparer(records)
  const counter = new PatternCounter(records, frequencies)
  for (let range = next(); range !== undefined; range = next()) {
    for (let k = range[0]; k < range[1]; k++) {
      comparer.compare(pairs.left[k]!, pairs.right[k]!)
      counter.add(comparer)
    }
  }
  return counter.counts
}

const COUNT_PAIRS: Work<PairInput, PatternCounts> = { module: import.meta.url, run: countPairs }

/** Returns the patterns of given pairs. Without `frequencies`, the patterns have no frequency weights. */
export async function patternsOf(
  pairs: Pairs,
  records: Records,
  threads: LinkThreads,
  frequencies?: FrequencyWeights,
): Promise<Pattern[]> {
  const amount = { units: pairs.left.length, records: records.count }
  return mergedPatterns(await threads.run(COUNT_PAIRS, { records, pairs, frequencies }, amount))
}

interface CandidateInput {
  readonly records: Records
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
  /** Sampling: only the candidates of one record in 2^shift are compared. The record ids decide which ones. */
  readonly shift: number
}

/** Counts the patterns of candidate pairs. A unit of work is a record. */
export function countCandidates(
  { records, blocks, frequencies, shift }: CandidateInput,
  next: NextRange,
): PatternCounts {
  const comparer = new PairComparer(records)
  const finder = new PairFinder(records, blocks)
  const counter = new PatternCounter(records, frequencies)
  const mask = (1 << shift) - 1
  for (let range = next(); range !== undefined; range = next()) {
    for (let i = range[0]; i < range[1]; i++) {
      if ((mixInto(0x27d4eb2f, records.ranks[i]! | 0) & mask) !== 0) continue
      const found = finder.find(i)
      for (let k = 0; k < found; k++) {
        comparer.compare(i, finder.candidates[k]!)
        counter.add(comparer)
      }
    }
  }
  return counter.counts
}

const COUNT_CANDIDATES: Work<CandidateInput, PatternCounts> = {
  module: import.meta.url,
  run: countCandidates,
}

/** Returns the patterns of a sample of candidate pairs: of the candidates of one record in 2^shift. */
export async function candidatePatterns(input: CandidateInput, threads: LinkThreads): Promise<Pattern[]> {
  const { count } = input.records
  return mergedPatterns(await threads.run(COUNT_CANDIDATES, input, { units: count, records: count }))
}

/** Returns the smallest `shift` for which a sample of one in 2^shift of `pairs` has at most `most` pairs. */
export function sampleShift(pairs: number, most: number): number {
  let shift = 0
  while (pairs / 2 ** shift > most) shift++
  return shift
}
