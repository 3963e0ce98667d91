import { PairComparer } from './compare.ts'
import type { FrequencyWeights } from './frequencies.ts'
import type { NextRange } from './jobs.ts'
import type { Mentions } from './mentions.ts'
import type { NamesakePairs } from './namesake-pairs.ts'
import { type PatternCounts, PatternTable } from './patterns.ts'

export interface NamesakeInput {
  readonly mentions: Mentions
  readonly pairs: NamesakePairs
  readonly frequencies: FrequencyWeights
}

/** How drawn pairs of records of one name agree. */
export function countNamesakes(
  { mentions, pairs, frequencies }: NamesakeInput,
  next: NextRange,
): PatternCounts {
  const comparer = new PairComparer(mentions)
  const table = new PatternTable()
  for (let range = next(); range !== undefined; range = next()) {
    for (let k = range[0]; k < range[1]; k++) {
      comparer.compare(pairs.left[k]!, pairs.right[k]!)
      table.add(comparer, mentions, frequencies)
    }
  }
  return table.sorted()
}
