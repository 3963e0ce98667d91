import { compareBirthDates } from '../compare/birth-dates.ts'
import type { NextRange, Work } from '../threads/threads.ts'
import { BIRTH } from '../compare/levels.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import type { PatternCounts } from './patterns.ts'
import { shared } from '../records/texts.ts'

/**
 * Two strangers have one birth date, or one with day and month exchanged, once in 25,000 or 100,000 pairs: among so many there are
 * a hundred at least. They take 0.3 s of one thread.
 */
const BIRTH_PAIRS = 10_000_000

/** Of so many records, each with some fifty others: of more, fetching them would cost more than comparing. */
const MOST_BIRTHS = 200_000

/** Birth dates of records that have one, in the order of `shuffled`. */
export interface Births {
  readonly dates: Int32Array
  /** The duplicate-free source of each, which holds nobody twice; -1 for the others. */
  readonly sources: Int32Array
  /** Pairs of all records that have a birth date, but for those within duplicate-free sources. */
  readonly pairs: number
  /** How many others that follow it, in a ring, each is compared with. */
  readonly steps: number
}

/** How birth dates of pairs drawn at random stand to each other. */
export interface BirthCounts {
  /** Pairs by level; those at level 0 have no part in common. */
  readonly levels: Float64Array
  /** What share of all pairs of records with a birth date these are. */
  readonly share: number
}

/** Patterns of pairs drawn at random, of far more pairs how their birth dates agree, and patterns of records of one name: what is known of strangers. */
export interface RandomPairs extends PatternCounts {
  /** An earlier version counted none of both. */
  readonly births?: BirthCounts | undefined
  readonly namesakes?: PatternCounts | undefined
}

/** Births of the records in `order`, which is theirs as well. */
export function birthsOf(
  { count, rows, width, sources }: Pick<Records, 'count' | 'rows' | 'width' | 'sources'>,
  order: Int32Array,
): Births {
  const held = new Float64Array(sources.length)
  for (let i = 0; i < count; i++) {
    if (rows[i * width + SLOT.birth] !== 0) held[rows[i * width + SLOT.source]!]!++
  }
  const known = held.reduce((sum, records) => sum + records, 0)
  const drawn = Math.min(known, MOST_BIRTHS)
  const dates = shared(Int32Array, drawn)
  const owners = shared(Int32Array, drawn)
  for (let k = 0, next = 0; k < drawn; next++) {
    const row = order[next]! * width
    const birth = rows[row + SLOT.birth]!
    if (birth === 0) continue
    const source = rows[row + SLOT.source]!
    dates[k] = birth
    owners[k++] = isFree(source) ? source : -1
  }
  let pairs = pairsAmong(known)
  held.forEach((records, source) => (pairs -= isFree(source) ? pairsAmong(records) : 0))
  return {
    dates,
    sources: owners,
    pairs,
    steps: Math.min(drawn >> 1, Math.ceil(BIRTH_PAIRS / Math.max(1, drawn))),
  }

  function isFree(source: number): boolean {
    return (sources[source]! & DUPLICATE_FREE) !== 0
  }
}

/** Pairs by level; of few records every pair, once. */
export function countBirthPairs({ dates, sources, steps }: Births, next: NextRange): Float64Array {
  const count = dates.length
  const levels = new Float64Array(BIRTH.different + 1)
  for (let range = next(); range !== undefined; range = next()) {
    for (let i = range[0]; i < range[1]; i++) {
      // Of an even ring the opposite of a record is met from both sides.
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

/** Counts of several threads as one. */
export function birthCounts({ pairs: all }: Births, parts: readonly Float64Array[]): BirthCounts {
  const levels = new Float64Array(BIRTH.different + 1)
  for (const part of parts) part.forEach((pairs, level) => (levels[level]! += pairs))
  return { levels, share: levels.reduce((sum, pairs) => sum + pairs, 0) / Math.max(1, all) }
}

function pairsAmong(count: number): number {
  return (count * (count - 1)) / 2
}
