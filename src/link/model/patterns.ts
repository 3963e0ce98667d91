import type { PairComparer } from '../compare/compare.ts'
import { AT } from '../compare/levels.ts'
import { type Names, namesOf } from '../compare/name-agreement.ts'
import type { Records } from '../records/records.ts'
import { frequencyWeight, type FrequencyWeights } from './frequencies.ts'

/** Pairs of records that agree in the same way. */
export interface Pattern {
  /** Level of each comparison, by its index in `AT`; 0 where it is unknown. */
  readonly levels: Uint8Array
  /** How the names agree. */
  readonly names: Names
  /** Sum of the frequency weights of all comparisons, rounded to an integer. */
  readonly frequency: number
  /** The same sum for the comparisons that households share. */
  readonly sharedFrequency: number
  /** Number of pairs. */
  readonly count: number
}

/** Number of pairs by pattern. `PatternCounter` writes a pattern as a text; `mergedPatterns` reads the texts. */
export type PatternCounts = ReadonlyMap<string, number>

/** Frequency weights are limited to this absolute value, so that a weight plus the limit fits into a byte. */
const MOST_FREQUENCY = 127

/** Counts the patterns of pairs. Counts are integers, so they do not depend on how threads divide the pairs. */
export class PatternCounter {
  readonly counts = new Map<string, number>()
  readonly #records: Records
  readonly #weights: FrequencyWeights | undefined
  /** The current pattern: one byte per comparison, then two bytes for the frequency weights. */
  readonly #bytes: Buffer

  /** Without `weights`, all frequency weights of the patterns are 0. */
  constructor(records: Records, weights?: FrequencyWeights) {
    this.#records = records
    this.#weights = weights
    this.#bytes = Buffer.alloc(AT.attributes + records.attributes.length + 2, MOST_FREQUENCY)
  }

  /** Counts the pair that `comparer` compared last. */
  add(comparer: PairComparer): void {
    const { levels, agreed } = comparer
    const bytes = this.#bytes
    bytes.set(levels)
    if (this.#weights !== undefined) {
      let all = 0
      let shared = 0
      for (let c = 0; c < levels.length; c++) {
        if (agreed[c] === 0) continue
        const bits = frequencyWeight(this.#weights, this.#records, comparer, c)
        all += bits
        if (this.#weights.isShared[c]!) shared += bits
      }
      bytes[levels.length] = byteOf(all)
      bytes[levels.length + 1] = byteOf(shared)
    }
    const text = bytes.toString('latin1')
    this.counts.set(text, (this.counts.get(text) ?? 0) + 1)
  }
}

function byteOf(weight: number): number {
  return Math.max(-MOST_FREQUENCY, Math.min(MOST_FREQUENCY, Math.round(weight))) + MOST_FREQUENCY
}

/**
 * Adds up the counts of several threads. Returns the patterns in a fixed order, so that floating-point sums over them
 * are equal in every run.
 */
export function mergedPatterns(parts: readonly PatternCounts[]): Pattern[] {
  const counts = new Map<string, number>()
  for (const part of parts)
    for (const [text, count] of part) counts.set(text, (counts.get(text) ?? 0) + count)
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([text, count]) => {
      const bytes = Buffer.from(text, 'latin1')
      const levels = bytes.subarray(0, -2)
      return {
        levels,
        names: namesOf(levels[AT.first_name]!, levels[AT.last_name]!),
        frequency: bytes.at(-2)! - MOST_FREQUENCY,
        sharedFrequency: bytes.at(-1)! - MOST_FREQUENCY,
        count,
      }
    })
}
