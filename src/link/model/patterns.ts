import type { PairComparer } from '../compare/compare.ts'
import { frequencyBits, type FrequencyWeights } from './frequencies.ts'
import type { Records } from '../records/records.ts'

/** Frequency weights are rounded to steps of this size. */
const FREQUENCY_STEP = 1
const FREQUENCY_RANGE = 127

const NO_SUMS = [0, 0] as const

/**
 * Agreement patterns with the number of their pairs. `lows[k]`, `highs[k]` and `tops[k]` have the levels of pattern
 * k, 4 bits each, eight comparisons per array. `frequencies[k]` has the two rounded sums of frequency weights.
 */
export interface PatternCounts {
  readonly lows: Int32Array
  readonly highs: Int32Array
  readonly tops: Int32Array
  readonly frequencies: Int32Array
  readonly counts: Float64Array
}

/**
 * Counts agreement patterns in a hash table. Counts are integers, so they do not depend on how threads divide the
 * pairs.
 */
export class PatternTable {
  #lows = new Int32Array(1 << 12)
  #highs = new Int32Array(1 << 12)
  #tops = new Int32Array(1 << 12)
  #frequencies = new Int32Array(1 << 12)
  #counts = new Float64Array(1 << 12)
  #size = 0

  /** Counts the pair that `comparer` compared last. Without `weights`, the pattern has the levels only. */
  add(comparer: PairComparer, records: Records, weights?: FrequencyWeights): void {
    const { levels } = comparer
    let low = 0
    let high = 0
    let top = 0
    for (let c = 0; c < levels.length; c++) {
      if (c < 8) low |= levels[c]! << (c * 4)
      else if (c < 16) high |= levels[c]! << ((c - 8) * 4)
      else top |= levels[c]! << ((c - 16) * 4)
    }
    const [all, shared] = weights === undefined ? NO_SUMS : frequencySums(weights, records, comparer)
    this.addCount(low, high, top, (step(all) << 8) | step(shared), 1)
  }

  addCount(low: number, high: number, top: number, frequency: number, count: number): void {
    const mask = this.#counts.length - 1
    let slot = hashOf(low, high, top, frequency) & mask
    while (this.#counts[slot] !== 0) {
      if (
        this.#lows[slot] === low &&
        this.#highs[slot] === high &&
        this.#tops[slot] === top &&
        this.#frequencies[slot] === frequency
      )
        break
      slot = (slot + 1) & mask
    }
    if (this.#counts[slot] === 0) {
      this.#lows[slot] = low
      this.#highs[slot] = high
      this.#tops[slot] = top
      this.#frequencies[slot] = frequency
      this.#size++
    }
    this.#counts[slot]! += count
    if (this.#size * 2 > this.#counts.length) this.#grow()
  }

  merge(other: PatternCounts): void {
    for (let k = 0; k < other.counts.length; k++) {
      this.addCount(other.lows[k]!, other.highs[k]!, other.tops[k]!, other.frequencies[k]!, other.counts[k]!)
    }
  }

  /** Returns the patterns in a fixed order. Floating-point sums over them are then equal in every run. */
  sorted(): PatternCounts {
    const slots: number[] = []
    for (let slot = 0; slot < this.#counts.length; slot++) if (this.#counts[slot] !== 0) slots.push(slot)
    const lows = this.#lows
    const highs = this.#highs
    const tops = this.#tops
    const frequencies = this.#frequencies
    slots.sort(
      (a, b) =>
        tops[a]! - tops[b]! ||
        highs[a]! - highs[b]! ||
        lows[a]! - lows[b]! ||
        frequencies[a]! - frequencies[b]!,
    )
    return {
      lows: Int32Array.from(slots, (slot) => lows[slot]!),
      highs: Int32Array.from(slots, (slot) => highs[slot]!),
      tops: Int32Array.from(slots, (slot) => tops[slot]!),
      frequencies: Int32Array.from(slots, (slot) => frequencies[slot]!),
      counts: Float64Array.from(slots, (slot) => this.#counts[slot]!),
    }
  }

  #grow(): void {
    const before = {
      lows: this.#lows,
      highs: this.#highs,
      tops: this.#tops,
      frequencies: this.#frequencies,
      counts: this.#counts,
    }
    const capacity = this.#counts.length * 2
    this.#lows = new Int32Array(capacity)
    this.#highs = new Int32Array(capacity)
    this.#tops = new Int32Array(capacity)
    this.#frequencies = new Int32Array(capacity)
    this.#counts = new Float64Array(capacity)
    this.#size = 0
    for (let slot = 0; slot < before.counts.length; slot++) {
      if (before.counts[slot] === 0) continue
      this.addCount(
        before.lows[slot]!,
        before.highs[slot]!,
        before.tops[slot]!,
        before.frequencies[slot]!,
        before.counts[slot]!,
      )
    }
  }
}

function frequencySums(
  weights: FrequencyWeights,
  records: Records,
  comparer: PairComparer,
): [number, number] {
  let all = 0
  let shared = 0
  for (let c = 0; c < comparer.agreed.length; c++) {
    if (comparer.agreed[c] === 0) continue
    const bits = frequencyBits(weights, records, comparer, c)
    all += bits
    if (weights.isShared[c]!) shared += bits
  }
  return [all, shared]
}

/** Merges the pattern counts of several threads. */
export function mergedPatterns(parts: readonly PatternCounts[]): PatternCounts {
  const table = new PatternTable()
  for (const part of parts) table.merge(part)
  return table.sorted()
}

/** Returns the level of comparison `c` in pattern `k`. */
export function levelIn(patterns: PatternCounts, k: number, c: number): number {
  if (c < 8) return (patterns.lows[k]! >>> (c * 4)) & 15
  if (c < 16) return (patterns.highs[k]! >>> ((c - 8) * 4)) & 15
  return (patterns.tops[k]! >>> ((c - 16) * 4)) & 15
}

/** Returns two sums of frequency weights in pattern `k`: of all comparisons, and of those that households share. */
export function frequenciesIn(patterns: PatternCounts, k: number): [number, number] {
  const packed = patterns.frequencies[k]!
  return [
    ((packed >> 8) - FREQUENCY_RANGE) * FREQUENCY_STEP,
    ((packed & 255) - FREQUENCY_RANGE) * FREQUENCY_STEP,
  ]
}

function step(bits: number): number {
  const steps = Math.round(bits / FREQUENCY_STEP)
  return Math.max(-FREQUENCY_RANGE, Math.min(FREQUENCY_RANGE, steps)) + FREQUENCY_RANGE
}

function hashOf(low: number, high: number, top: number, frequency: number): number {
  let hash = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b) ^ Math.imul(frequency, 0xc2b2ae35)
  hash ^= Math.imul(top, 0x27d4eb2f)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}
