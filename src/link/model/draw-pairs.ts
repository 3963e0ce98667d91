import { GrowingIntegers } from '../../arrays.ts'
import { areOfFreeSource, DUPLICATE_FREE, isRemoved, type Records, SLOT } from '../records/records.ts'
import { mixInto, shared, sharedCopy } from '../records/texts.ts'
import type { Pairs } from './count-patterns.ts'

/** Number of random pairs to draw. If there are at most twice as many pairs, all are taken. */
const RANDOM_PAIRS = 500_000
/** Number of pairs to draw among records that share the last name; likewise for the first name, and for both names. */
const NAMESAKE_PAIRS = 200_000

/**
 * Returns the records in a pseudo-random order that depends on the record ids only. When a few records are added or
 * removed, the order of the others stays, so two runs draw mostly the same pairs. Then the drift of a model shows
 * changed records rather than another sample.
 */
export function shuffled({ count, ranks }: Pick<Records, 'count' | 'ranks'>): Int32Array {
  // Sort by the leading bits of the rank; the low bits hold the record number.
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(1, count)))
  const keys = new Float64Array(count)
  for (let i = 0; i < count; i++) keys[i] = Math.floor(ranks[i]! / capacity) * capacity + i
  keys.sort()
  const order = shared(Int32Array, count)
  for (let k = 0; k < count; k++) order[k] = keys[k]! % capacity
  return order
}

/**
 * Draws 500,000 random pairs of records, or all pairs of few records. `order` is the result of `shuffled`. It is used
 * as a ring: each record is paired with the records after it.
 */
export function randomPairs(records: Records, order: Int32Array): Pairs {
  const { count } = records
  const list = new PairList(records)
  if ((count * (count - 1)) / 2 <= 2 * RANDOM_PAIRS) {
    for (let i = 0; i < count; i++) for (let j = i + 1; j < count; j++) list.add(i, j)
  } else {
    for (let k = 0; k < RANDOM_PAIRS; k++)
      list.add(order[k % count]!, order[(k + 1 + Math.floor(k / count)) % count]!)
  }
  return list.pairs()
}

/** Draws pairs of records that share the last name, the first name, or both. `order` is the result of `shuffled`. */
export function namesakePairs(records: Records, order: Int32Array): Pairs {
  const { rows, width } = records
  const first = (i: number): number => rows[i * width + SLOT.first]!
  const last = (i: number): number => rows[i * width + SLOT.last]!
  // Text numbers are below 2^26, so each pair of names has its own number.
  const both = (i: number): number => (first(i) === 0 || last(i) === 0 ? 0 : first(i) * 2 ** 26 + last(i))
  const list = new PairList(records)
  for (const valueOf of [last, first, both]) drawSharing(list, order, NAMESAKE_PAIRS, valueOf)
  return list.pairs()
}

/**
 * Draws about `wanted` pairs of records that share a value, each pair with the same chance. With fewer pairs, draws
 * all. `valueOf` returns the value of a record, 0 for none. `order` is the result of `shuffled`. The draw depends on
 * record ids only, so almost equal inputs give almost equal pairs.
 */
export function pairsSharing(
  records: Records,
  order: Int32Array,
  wanted: number,
  valueOf: (record: number) => number,
): Pairs {
  const list = new PairList(records)
  drawSharing(list, order, wanted, valueOf)
  return list.pairs()
}

function drawSharing(
  list: PairList,
  order: Int32Array,
  wanted: number,
  valueOf: (record: number) => number,
): void {
  const groups = Map.groupBy(order, valueOf)
  groups.delete(0)
  let all = 0
  for (const { length } of groups.values()) all += pairsAmong(length)
  const share = Math.min(1, wanted / Math.max(1, all))
  for (const group of groups.values()) {
    const partners = ((group.length - 1) / 2) * share
    group.forEach((i, k) => {
      const chance = (mixInto(0x1b873593, list.records.ranks[i]! | 0) >>> 0) / 2 ** 32
      // The group is a ring, and each record draws the records after it. In a full ring of even size, each opposite
      // pair is drawn from both sides with a chance of one half.
      const steps = Math.floor(partners) + (chance < partners % 1 ? 1 : 0)
      for (let step = 1; step <= steps; step++) list.add(i, group[(k + step) % group.length]!)
    })
  }
}

/** Collects pairs of records in shared memory. Leaves out pairs inside a duplicate-free source. */
class PairList {
  readonly records: Records
  readonly #left = new GrowingIntegers()
  readonly #right = new GrowingIntegers()

  constructor(records: Records) {
    this.records = records
  }

  add(i: number, j: number): void {
    if (areOfFreeSource(this.records, i, j)) return
    this.#left.push(Math.min(i, j))
    this.#right.push(Math.max(i, j))
  }

  pairs(): Pairs {
    return {
      left: sharedCopy(Int32Array, this.#left.view()),
      right: sharedCopy(Int32Array, this.#right.view()),
    }
  }
}

/**
 * Returns the number of pairs of records that may be compared, at least 1. Removed records and pairs inside
 * duplicate-free sources are not counted.
 */
export function totalPairs(records: Records): number {
  return pairsOf(records, (i) => !isRemoved(records, i))
}

/** Returns the number of pairs of the chosen records, at least 1, without pairs inside duplicate-free sources. */
export function pairsOf(
  { count, rows, width, sources }: Pick<Records, 'count' | 'rows' | 'width' | 'sources'>,
  isChosen: (record: number) => boolean,
): number {
  const sizes = new Float64Array(sources.length)
  for (let i = 0; i < count; i++) if (isChosen(i)) sizes[rows[i * width + SLOT.source]!]!++
  let pairs = pairsAmong(sizes.reduce((total, size) => total + size, 0))
  sizes.forEach((size, source) => {
    if ((sources[source]! & DUPLICATE_FREE) !== 0) pairs -= pairsAmong(size)
  })
  return Math.max(1, pairs)
}

function pairsAmong(count: number): number {
  return (count * (count - 1)) / 2
}
