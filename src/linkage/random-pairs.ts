import { PairComparer } from './compare.ts'
import type { NextRange } from './jobs.ts'
import { DUPLICATE_FREE, type Mentions, SLOT } from './mentions.ts'
import { type PatternCounts, PatternTable } from './patterns.ts'
import { mixInto } from './texts.ts'

/** Pairs that are drawn; data with no more than twice as many is taken whole. */
const RANDOM_PAIRS = 500_000

function isTakenWhole({ count }: Mentions): boolean {
  return (count * (count - 1)) / 2 <= 2 * RANDOM_PAIRS
}

/** Draws, or records whose pairs are all taken. */
export function randomUnits(mentions: Mentions): number {
  return isTakenWhole(mentions) ? mentions.count : RANDOM_PAIRS
}

/** Patterns of pairs drawn at random, the same ones in every run. */
export function countRandomPatterns(mentions: Mentions, next: NextRange): PatternCounts {
  const { count, rows, width, sources } = mentions
  const comparer = new PairComparer(mentions)
  const table = new PatternTable()
  const take = (i: number, j: number): void => {
    const source = rows[i * width + SLOT.source]!
    if (source === rows[j * width + SLOT.source] && (sources[source]! & DUPLICATE_FREE) !== 0) return
    comparer.compare(i, j)
    table.add(comparer, mentions)
  }
  const isWhole = isTakenWhole(mentions)
  for (let range = next(); range !== undefined; range = next()) {
    for (let unit = range[0]; unit < range[1]; unit++) {
      if (isWhole) for (let j = unit + 1; j < count; j++) take(unit, j)
      else {
        const i = (mixInto(1, unit) >>> 0) % count
        const j = (mixInto(2, unit) >>> 0) % count
        if (i !== j) take(Math.min(i, j), Math.max(i, j))
      }
    }
  }
  return table.sorted()
}

/** How many pairs can be compared at all, of records that have not left: all but those within duplicate-free sources. */
export function totalPairs(mentions: Mentions): number {
  const { count, rows, width, sources, ranks } = mentions
  const sizes = new Float64Array(sources.length)
  for (let i = 0; i < count; i++) if (ranks[i]! >= 0) sizes[rows[i * width + SLOT.source]!]!++
  const living = sizes.reduce((total, size) => total + size, 0)
  let pairs = (living * (living - 1)) / 2
  for (let source = 0; source < sizes.length; source++) {
    if ((sources[source]! & DUPLICATE_FREE) !== 0) pairs -= (sizes[source]! * (sizes[source]! - 1)) / 2
  }
  return Math.max(1, pairs)
}
