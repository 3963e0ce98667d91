import type { Blocks } from '../block/blocking.ts'
import { pairFinder } from '../block/candidates.ts'
import { PairComparer } from '../compare/compare.ts'
import type { Records } from '../records/records.ts'
import { mixInto } from '../records/texts.ts'
import type { NextRange, Work } from '../threads/threads.ts'
import type { FrequencyWeights } from './frequencies.ts'
import { type PatternCounts, PatternTable } from './patterns.ts'

export interface CandidateInput {
  readonly records: Records
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
  /** Sampling: only the candidates of one record in 2^shift are compared. The record ids decide which ones. */
  readonly shift: number
}

/** Counts the agreement patterns of candidate pairs. A unit of work is a record. */
export function countCandidates(
  { records, blocks, frequencies, shift }: CandidateInput,
  next: NextRange,
): { pairs: number; patterns: PatternCounts } {
  const comparer = new PairComparer(records)
  const finder = pairFinder(records, blocks, undefined)
  const table = new PatternTable()
  const mask = (1 << shift) - 1
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    for (let i = range[0]; i < range[1]; i++) {
      if ((mixInto(0x27d4eb2f, records.ranks[i]! | 0) & mask) !== 0) continue
      const found = finder.find(i)
      pairs += found
      for (let k = 0; k < found; k++) {
        comparer.compare(i, finder.candidates[k]!)
        table.add(comparer, records, frequencies)
      }
    }
  }
  return { pairs, patterns: table.sorted() }
}

export const COUNT_CANDIDATES: Work<CandidateInput, ReturnType<typeof countCandidates>> = {
  module: import.meta.url,
  run: countCandidates,
}
