import { PairComparer } from '../compare/compare.ts'
import type { NextRange, Work } from '../threads/threads.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import { type PatternCounts, PatternTable } from './patterns.ts'
import { shared } from '../records/texts.ts'

/** Number of random pairs to draw. If there are at most twice as many pairs, all are compared. */
const RANDOM_PAIRS = 500_000

function isTakenWhole({ count }: Records): boolean {
  return (count * (count - 1)) / 2 <= 2 * RANDOM_PAIRS
}

/** Returns the units of work: one per drawn pair, or one per record when all pairs are compared. */
export function randomUnits(records: Records): number {
  return isTakenWhole(records) ? records.count : RANDOM_PAIRS
}

/**
 * Returns the records in a pseudo-random order that depends on the record ids only. When a few records are added or
 * removed, the order of the others stays, so two runs draw mostly the same pairs. Then the drift of a model shows
 * changed records rather than another sample.
 */
export function shuffled({ count, ranks }: Pick<Records, 'count' | 'ranks'>): Int32Array {
  // Sort by the leading bits of the rank; the low bits hold the record number.
  const room = 2 ** Math.ceil(Math.log2(Math.max(1, count)))
  const keys = new Float64Array(count)
  for (let i = 0; i < count; i++) keys[i] = Math.floor(ranks[i]! / room) * room + i
  keys.sort()
  const order = shared(Int32Array, count)
  for (let k = 0; k < count; k++) order[k] = keys[k]! % room
  return order
}

export interface RandomInput {
  readonly records: Records
  /** All records, in the order that `shuffled` returns. */
  readonly order: Int32Array
}

/**
 * Counts the agreement patterns of random pairs. `order` is used as a ring: each record is compared with the records
 * after it. A unit of work is one of `randomUnits`.
 */
export function countRandomPatterns({ records, order }: RandomInput, next: NextRange): PatternCounts {
  const { count, rows, width, sources } = records
  const comparer = new PairComparer(records)
  const table = new PatternTable()
  const take = (i: number, j: number): void => {
    const source = rows[i * width + SLOT.source]!
    if (source === rows[j * width + SLOT.source] && (sources[source]! & DUPLICATE_FREE) !== 0) return
    comparer.compare(i, j)
    table.add(comparer, records)
  }
  const isWhole = isTakenWhole(records)
  for (let range = next(); range !== undefined; range = next()) {
    for (let unit = range[0]; unit < range[1]; unit++) {
      if (isWhole) for (let j = unit + 1; j < count; j++) take(unit, j)
      else {
        const i = order[unit % count]!
        const j = order[(unit + 1 + Math.floor(unit / count)) % count]!
        take(Math.min(i, j), Math.max(i, j))
      }
    }
  }
  return table.sorted()
}

export const COUNT_RANDOM: Work<RandomInput, PatternCounts> = {
  module: import.meta.url,
  run: countRandomPatterns,
}

/**
 * Returns the number of pairs of records that may be compared. Removed records and pairs inside duplicate-free
 * sources are not counted.
 */
export function totalPairs(records: Records): number {
  const { count, rows, width, sources, ranks } = records
  const sizes = new Float64Array(sources.length)
  for (let i = 0; i < count; i++) if (ranks[i]! >= 0) sizes[rows[i * width + SLOT.source]!]!++
  const living = sizes.reduce((total, size) => total + size, 0)
  let pairs = (living * (living - 1)) / 2
  for (let source = 0; source < sizes.length; source++) {
    if ((sources[source]! & DUPLICATE_FREE) !== 0) pairs -= (sizes[source]! * (sizes[source]! - 1)) / 2
  }
  return Math.max(1, pairs)
}
