import type { Blocks } from './blocking.ts'
import { PairComparer } from './compare.ts'
import { conflictOf } from './conflicts.ts'
import type { FrequencyWeights } from './frequencies.ts'
import { radixSort } from './growing.ts'
import type { Mentions } from './mentions.ts'
import { forEachPair } from './pairs.ts'
import { type PatternCounts, PatternTable } from './patterns.ts'
import { type LevelWeights, PairWeigher } from './weights.ts'

/** What a thread works on; all arrays are shared. */
export interface ScoreInput {
  readonly mentions: Mentions
  readonly blocks: Blocks
  readonly frequencies: FrequencyWeights
  /** When only some pairs are wanted (a night). */
  readonly wanted?: WantedPairs
}

/** Pairs of which one record is new, or whose records share a group: those of a block that has just been split or made whole. */
export interface WantedPairs {
  readonly isNew: Uint8Array
  /** Groups of record i: `groups[groupStarts[i]]` to `groups[groupStarts[i + 1]]`, ascending. */
  readonly groupStarts: Int32Array
  readonly groups: Int32Array
}

/** Pairs worth keeping, with their weights in bits. */
export interface Edges {
  readonly count: number
  readonly left: Int32Array
  readonly right: Int32Array
  readonly bits: Float64Array
}

export type ScoreTask =
  /** Count the patterns of the candidate pairs of one record in 2^shift. */
  | { readonly kind: 'patterns'; readonly shift: number }
  /** Weigh every candidate pair, keep those of at least `atLeast` bits that nothing keeps apart. */
  | { readonly kind: 'edges'; readonly weights: LevelWeights; readonly atLeast: number }

export interface ScoreResult {
  readonly pairs: number
  readonly patterns?: PatternCounts
  readonly edges?: Edges
}

/** Hands out the next range of blocks; undefined when there is none left. */
export type NextRange = () => readonly [number, number] | undefined

/** Does `task` for the ranges that `next` hands out. Which thread gets which range changes nothing in the merged result. */
export function scoreRanges(input: ScoreInput, task: ScoreTask, next: NextRange): ScoreResult {
  const comparer = new PairComparer(input.mentions)
  return task.kind === 'patterns'
    ? countPatterns(input, comparer, task.shift, next)
    : weighPairs(input, comparer, task, next)
}

function countPatterns(
  input: ScoreInput,
  comparer: PairComparer,
  shift: number,
  next: NextRange,
): ScoreResult {
  const table = new PatternTable()
  const mask = (1 << shift) - 1
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    const [from, to] = range
    const take = (i: number, j: number): void => {
      comparer.compare(i, j)
      table.add(comparer, input.frequencies)
    }
    pairs += forEachPair(input.mentions, input.blocks, from, to, take, undefined, mask)
  }
  return { pairs, patterns: table.sorted() }
}

function weighPairs(
  input: ScoreInput,
  comparer: PairComparer,
  task: Extract<ScoreTask, { kind: 'edges' }>,
  next: NextRange,
): ScoreResult {
  const weigher = new PairWeigher(task.weights, input.frequencies)
  const found = new GrowingEdges()
  let pairs = 0
  for (let range = next(); range !== undefined; range = next()) {
    const [from, to] = range
    const take = (i: number, j: number): void => {
      comparer.compare(i, j)
      const bits = weigher.weigh(comparer)
      if (bits >= task.atLeast && conflictOf(input.mentions, comparer, i, j) === undefined)
        found.push(i, j, bits)
    }
    pairs += forEachPair(input.mentions, input.blocks, from, to, take, wantedTest(input.wanted))
  }
  return { pairs, edges: found.edges() }
}

function wantedTest(wanted: WantedPairs | undefined): ((i: number, j: number) => boolean) | undefined {
  if (wanted === undefined) return undefined
  const { isNew, groupStarts, groups } = wanted
  return (i, j) => {
    if (isNew[i] === 1 || isNew[j] === 1) return true
    for (let a = groupStarts[i]!; a < groupStarts[i + 1]!; a++) {
      for (let b = groupStarts[j]!; b < groupStarts[j + 1]!; b++) if (groups[a] === groups[b]) return true
    }
    return false
  }
}

class GrowingEdges {
  #count = 0
  #left = new Int32Array(1 << 12)
  #right = new Int32Array(1 << 12)
  #bits = new Float64Array(1 << 12)

  push(left: number, right: number, bits: number): void {
    if (this.#count === this.#left.length) this.#grow()
    this.#left[this.#count] = left
    this.#right[this.#count] = right
    this.#bits[this.#count++] = bits
  }

  edges(): Edges {
    const count = this.#count
    return {
      count,
      left: this.#left.slice(0, count),
      right: this.#right.slice(0, count),
      bits: this.#bits.slice(0, count),
    }
  }

  #grow(): void {
    const left = new Int32Array(this.#count * 2)
    left.set(this.#left)
    this.#left = left
    const right = new Int32Array(this.#count * 2)
    right.set(this.#right)
    this.#right = right
    const bits = new Float64Array(this.#count * 2)
    bits.set(this.#bits)
    this.#bits = bits
  }
}

/** A hash of a pair of mention numbers. */
export function pairHash(i: number, j: number): number {
  let hash = Math.imul(i, 0x9e3779b1) ^ Math.imul(j, 0x85ebca6b)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  hash ^= hash >>> 12
  hash = Math.imul(hash, 0x297a2d39)
  return hash ^ (hash >>> 15)
}

/** Patterns of several threads as one count. */
export function mergedPatterns(parts: readonly PatternCounts[]): PatternCounts {
  const table = new PatternTable()
  for (const part of parts) table.merge(part)
  return table.sorted()
}

/** Edges of several threads as one list, by left and then right mention. */
export function mergedEdges(parts: readonly Edges[]): Edges {
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
  const numbers = Int32Array.from({ length: count }, (_, k) => k)
  const byRight = radixSort(right, numbers).values
  const byPair = radixSort(
    byRight.map((k) => left[k]!),
    byRight,
  ).values
  return {
    count,
    left: Int32Array.from(byPair, (k) => left[k]!),
    right: Int32Array.from(byPair, (k) => right[k]!),
    bits: Float64Array.from(byPair, (k) => bits[k]!),
  }
}
