import { LEAST_BITS } from './clusters.ts'
import { PairComparer } from './compare.ts'
import { conflictOf } from './conflicts.ts'
import { radixSort } from './growing.ts'
import type { JobOf, JobResults, NextRange, NightPairInput, PairInput } from './jobs.ts'
import { AT } from './levels.ts'
import { pairFinder } from './pairs.ts'
import { PatternTable } from './patterns.ts'
import { Reach } from './reach.ts'
import { mixInto } from './texts.ts'
import { PairWeigher } from './weights.ts'

/** Pairs worth keeping, with their weights in bits; by left and then right mention. */
export interface Edges {
  readonly count: number
  readonly left: Int32Array
  readonly right: Int32Array
  readonly bits: Float64Array
}

/** Patterns of the candidates of one record in 2^shift, chosen by rank: a sample that costs only its own size. */
export function countPatterns(
  input: PairInput | NightPairInput,
  shift: number,
  next: NextRange,
): JobResults['patterns'] {
  const { mentions, frequencies } = input
  const comparer = new PairComparer(mentions)
  const finder = pairFinder(input)
  const table = new PatternTable()
  const mask = (1 << shift) - 1
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    for (let unit = range[0]; unit < range[1]; unit++) {
      const i = finder.recordOf(unit)
      if ((mixInto(0x27d4eb2f, mentions.ranks[i]! | 0) & mask) !== 0) continue
      const found = finder.find(unit)
      pairs += found
      for (let k = 0; k < found; k++) {
        comparer.compare(i, finder.mates[k]!)
        table.add(comparer, mentions, frequencies)
      }
    }
  }
  return { pairs, patterns: table.sorted() }
}

// Sums in another order differ in their last digits: a pair is given up only when it is further than that from its aim.
const ROUNDING = 1e-6

/** Edges of ranges of records, each range by itself. */
export function findEdges(job: JobOf<'edges'>, next: NextRange): JobResults['edges'] {
  const { mentions, frequencies } = job.input
  const comparer = new PairComparer(mentions)
  const weigher = new PairWeigher(job.weights, frequencies, mentions)
  const finder = pairFinder(job.input)
  const reach = new Reach(mentions, job.weights, frequencies, 'night' in job.input)
  const { prior } = job.weights
  const worth = LEAST_BITS - ROUNDING
  const edges: Edges[] = []
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    const found = new GrowingEdges()
    for (let unit = range[0]; unit < range[1]; unit++) {
      const count = finder.find(unit)
      const i = finder.recordOf(unit)
      const first = found.count
      pairs += count
      for (let k = 0; k < count; k++) {
        const j = finder.mates[k]!
        // Step by step, and no further than the rest could still make an edge of it: most pairs end at their names.
        comparer.compareNames(i, j)
        const places = reach.places(i, j)
        let sure = prior + weigher.bitsOf(comparer, 0, AT.address)
        if (sure + places + reach.contacts(i, j) < worth) continue
        comparer.compareContacts(i, j)
        sure += weigher.bitsOf(comparer, AT.phone, comparer.levels.length)
        if (sure + places < worth) continue
        comparer.comparePlaces(i, j)
        const bits = weigher.weighFrom(comparer, worth)
        if (bits >= LEAST_BITS && conflictOf(mentions, comparer, i, j) === undefined)
          found.push(Math.min(i, j), Math.max(i, j), bits)
      }
      found.sortFrom(first)
    }
    if (found.count > 0) edges.push(found.edges())
  }
  return { pairs, edges }
}

class GrowingEdges {
  count = 0
  #left = new Int32Array(1 << 10)
  #right = new Int32Array(1 << 10)
  #bits = new Float64Array(1 << 10)

  push(left: number, right: number, bits: number): void {
    if (this.count === this.#left.length) this.#grow()
    this.#left[this.count] = left
    this.#right[this.count] = right
    this.#bits[this.count++] = bits
  }

  /** Sorts the edges from `first` on, all of one record, by the other. */
  sortFrom(first: number): void {
    for (let k = first + 1; k < this.count; k++) {
      const right = this.#right[k]!
      const bits = this.#bits[k]!
      let at = k
      for (; at > first && this.#right[at - 1]! > right; at--) {
        this.#right[at] = this.#right[at - 1]!
        this.#bits[at] = this.#bits[at - 1]!
      }
      this.#right[at] = right
      this.#bits[at] = bits
    }
  }

  edges(): Edges {
    const { count } = this
    return {
      count,
      left: this.#left.slice(0, count),
      right: this.#right.slice(0, count),
      bits: this.#bits.slice(0, count),
    }
  }

  #grow(): void {
    const left = new Int32Array(this.count * 2)
    left.set(this.#left)
    this.#left = left
    const right = new Int32Array(this.count * 2)
    right.set(this.#right)
    this.#right = right
    const bits = new Float64Array(this.count * 2)
    bits.set(this.#bits)
    this.#bits = bits
  }
}

/** Edges of ranges that do not overlap, as one list by left and then right mention. */
export function joinedEdges(parts: readonly Edges[]): Edges {
  return concatenated(parts.filter((one) => one.count > 0).sort((a, b) => a.left[0]! - b.left[0]!))
}

/** Edges in any order, as one list by left and then right mention. */
export function sortedEdges(parts: readonly Edges[]): Edges {
  const { count, left, right, bits } = concatenated(parts)
  const places = new Int32Array(count)
  for (let k = 0; k < count; k++) places[k] = k
  const byRight = radixSort(right, places).values
  // Equal ones keep their order.
  const byBoth = radixSort(
    byRight.map((k) => left[k]!),
    byRight,
  ).values
  const sorted = { count, left: left.slice(), right: right.slice(), bits: bits.slice() }
  for (let at = 0; at < count; at++) {
    const k = byBoth[at]!
    sorted.left[at] = left[k]!
    sorted.right[at] = right[k]!
    sorted.bits[at] = bits[k]!
  }
  return sorted
}

function concatenated(parts: readonly Edges[]): Edges {
  const count = parts.reduce((total, part) => total + part.count, 0)
  const left = new Int32Array(count)
  const right = new Int32Array(count)
  const bits = new Float64Array(count)
  let at = 0
  for (const part of parts) {
    left.set(part.left, at)
    right.set(part.right, at)
    bits.set(part.bits, at)
    at += part.count
  }
  return { count, left, right, bits }
}
