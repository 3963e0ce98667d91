import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import { type PatternCounts, PatternTable } from '../../../src/link/model/patterns.ts'
import type { Attribute } from '../../../src/link/records/records.ts'

const NO_FREQUENCY = (127 << 8) | 127

/** Returns patterns with these levels by comparison, all others unknown, and with these numbers of pairs. No frequency counts. */
export function patternsOf(
  given: readonly (readonly [levels: Readonly<Record<string, number>>, count: number])[],
  attributes: readonly Attribute[] = [],
): PatternCounts {
  const table = new PatternTable()
  for (const [levels, count] of given) {
    let low = 0
    let high = 0
    comparisonsOf(attributes).forEach(({ name }, c) => {
      if (c < 8) low |= (levels[name] ?? 0) << (c * 4)
      else high |= (levels[name] ?? 0) << ((c - 8) * 4)
    })
    table.addCount(low, high, 0, NO_FREQUENCY, count)
  }
  return table.sorted()
}
