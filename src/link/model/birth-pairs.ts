import { compareBirthDates } from '../compare/birth-dates.ts'
import { BIRTH } from '../compare/levels.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import { sharedCopy } from '../records/texts.ts'
import type { NextRange, Work } from '../threads/threads.ts'
import { pairsOf } from './draw-pairs.ts'

/**
 * Pairs to compare. Two strangers have the same birth date about once in 25,000 pairs, and swapped day and month
 * about once in 100,000. With this many pairs, each level gets at least a hundred.
 */
const BIRTH_PAIRS = 10_000_000

/** Most records in the sample; each is compared with about fifty others. */
const MOST_BIRTHS = 200_000

/** A sample of records with a birth date, in the order of `shuffled`. */
export interface Births {
  readonly dates: Int32Array
  /** Per record, its source number if the source is duplicate-free (it has each person once); otherwise -1. */
  readonly sources: Int32Array
  /** Number of pairs of all records with a birth date, without pairs inside duplicate-free sources. */
  readonly pairs: number
  /** The sample is a ring: each record is compared with this many records after it. */
  readonly steps: number
}

/** How the birth dates of random pairs agree. */
export interface BirthCounts {
  /**
   * Number of pairs per level. At level 0, the two dates have no part (year, month or day) that both records know.
   */
  readonly levels: Float64Array
  /** The counted pairs as a share of all pairs of records with a birth date. */
  readonly share: number
}

/** Samples the birth dates of the records in `order` (the result of `shuffled`). */
export function birthsOf(
  records: Pick<Records, 'count' | 'rows' | 'width' | 'sources'>,
  order: Int32Array,
): Births {
  const { rows, width, sources } = records
  const birthOf = (i: number): number => rows[i * width + SLOT.birth]!
  const drawn = order.filter((i) => birthOf(i) !== 0).subarray(0, MOST_BIRTHS)
  const freeSourceOf = (i: number): number => {
    const source = rows[i * width + SLOT.source]!
    return (sources[source]! & DUPLICATE_FREE) === 0 ? -1 : source
  }
  return {
    dates: sharedCopy(Int32Array, drawn.map(birthOf)),
    sources: sharedCopy(Int32Array, drawn.map(freeSourceOf)),
    pairs: pairsOf(records, (i) => birthOf(i) !== 0),
    steps: Math.min(drawn.length >> 1, Math.ceil(BIRTH_PAIRS / Math.max(1, drawn.length))),
  }
}

/**
 * Counts pairs by level, as work of one thread. With few records, every pair is compared once. A unit of work is a
 * record of the sample.
 */
export function countBirthPairs({ dates, sources, steps }: Births, next: NextRange): Float64Array {
  const count = dates.length
  const levels = new Float64Array(BIRTH.different + 1)
  for (let range = next(); range !== undefined; range = next()) {
    for (let i = range[0]; i < range[1]; i++) {
      // In a ring of even size, two opposite records are `count / 2` steps apart in both directions. Count that pair
      // from the first half only.
      const last = i * 2 < count ? steps : Math.min(steps, (count - 1) >> 1)
      for (let step = 1; step <= last; step++) {
        const j = i + step < count ? i + step : i + step - count
        if (sources[i] !== -1 && sources[i] === sources[j]) continue
        levels[compareBirthDates(dates[i]!, dates[j]!)]!++
      }
    }
  }
  return levels
}

export const COUNT_BIRTH_PAIRS: Work<Births, Float64Array> = { module: import.meta.url, run: countBirthPairs }

/** Adds up the counts of several threads. */
export function birthCounts({ pairs: all }: Births, parts: readonly Float64Array[]): BirthCounts {
  const levels = new Float64Array(BIRTH.different + 1)
  for (const part of parts) part.forEach((pairs, level) => (levels[level]! += pairs))
  return { levels, share: levels.reduce((sum, pairs) => sum + pairs, 0) / all }
}
