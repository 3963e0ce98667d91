import { PairComparer } from '../compare/compare.ts'
import type { FrequencyWeights } from './frequencies.ts'
import type { NextRange, Work } from '../threads/threads.ts'
import type { Records } from '../records/records.ts'
import { type PatternCounts, PatternTable } from './patterns.ts'
import type { DrawnPairs } from './sharing-pairs.ts'

export interface DrawnInput {
  readonly records: Records
  readonly pairs: DrawnPairs
  /** Without frequency weights, patterns contain the levels only. */
  readonly frequencies?: FrequencyWeights
}

/** Counts the agreement patterns of the drawn pairs. A unit of work is a pair. */
export function countDrawn({ records, pairs, frequencies }: DrawnInput, next: NextRange): PatternCounts {
  const comparer = new PairComparer(records)
  const table = new PatternTable()
  for (let range = next(); range !== undefined; range = next()) {
    for (let k = range[0]; k < range[1]; k++) {
      comparer.compare(pairs.left[k]!, pairs.right[k]!)
      table.add(comparer, records, frequencies)
    }
  }
  return table.sorted()
}

export const COUNT_DRAWN: Work<DrawnInput, PatternCounts> = { module: import.meta.url, run: countDrawn }
