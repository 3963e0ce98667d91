import { radixSort } from '../records/radix-sort.ts'

/** Pairs of records with their match weights, sorted by left and then right record. */
export interface Edges {
  readonly count: number
  readonly left: Int32Array
  readonly right: Int32Array
  readonly bits: Float64Array
}

/** Joins edge lists whose ranges of left records do not overlap. Returns one list by left and then right record. */
export function joinedEdges(parts: readonly Edges[]): Edges {
  return concatenated(parts.filter((one) => one.count > 0).sort((a, b) => a.left[0]! - b.left[0]!))
}

/** Sorts edges in any order. Returns one list by left and then right record. */
export function sortedEdges(parts: readonly Edges[]): Edges {
  const all = concatenated(parts)
  const places = new Int32Array(all.count)
  for (let k = 0; k < all.count; k++) places[k] = k
  const byRight = radixSort(all.right, places).values
  // Radix sort is stable: edges with the same left record stay sorted by the right record.
  const byBoth = radixSort(
    byRight.map((k) => all.left[k]!),
    byRight,
  ).values
  return chosenEdges(all, byBoth)
}

/**
 * Merges two sorted edge lists into one list by left and then right record. For a pair in both lists, the weight of
 * `other` is used.
 */
export function mergedEdges(one: Edges, other: Edges): Edges {
  const found = new GrowingEdges(one.count + other.count)
  const put = ({ left, right, bits }: Edges, k: number): void => found.push(left[k]!, right[k]!, bits[k]!)
  let b = 0
  for (let a = 0; a < one.count; a++) {
    while (b < other.count && isBefore(other, b, one, a)) put(other, b++)
    const isInBoth = b < other.count && !isBefore(one, a, other, b)
    if (!isInBoth) put(one, a)
  }
  while (b < other.count) put(other, b++)
  return found.edges()
}

function isBefore(one: Edges, a: number, other: Edges, b: number): boolean {
  return one.left[a]! < other.left[b]! || (one.left[a] === other.left[b] && one.right[a]! < other.right[b]!)
}

/** Returns the edges at the given positions, in the order of `places`. */
export function chosenEdges(edges: Edges, places: Int32Array): Edges {
  const found = emptyEdges(places.length)
  for (let at = 0; at < places.length; at++) putEdge(found, at, edges, places[at]!)
  return found
}

function concatenated(parts: readonly Edges[]): Edges {
  const all = emptyEdges(parts.reduce((total, part) => total + part.count, 0))
  let at = 0
  for (const part of parts) {
    all.left.set(part.left, at)
    all.right.set(part.right, at)
    all.bits.set(part.bits, at)
    at += part.count
  }
  return all
}

function emptyEdges(count: number): Edges {
  return {
    count,
    left: new Int32Array(count),
    right: new Int32Array(count),
    bits: new Float64Array(count),
  }
}

function putEdge(into: Edges, at: number, from: Edges, index: number): void {
  into.left[at] = from.left[index]!
  into.right[at] = from.right[index]!
  into.bits[at] = from.bits[index]!
}

/** A growing list of edges in typed arrays. */
export class GrowingEdges {
  count = 0
  #left: Int32Array<ArrayBuffer>
  #right: Int32Array<ArrayBuffer>
  #bits: Float64Array<ArrayBuffer>

  /** `capacity`: number of edges before the arrays grow. */
  constructor(capacity = 1 << 10) {
    this.#left = new Int32Array(Math.max(1, capacity))
    this.#right = new Int32Array(Math.max(1, capacity))
    this.#bits = new Float64Array(Math.max(1, capacity))
  }

  push(left: number, right: number, bits: number): void {
    if (this.count === this.#left.length) this.#grow()
    this.#left[this.count] = left
    this.#right[this.count] = right
    this.#bits[this.count++] = bits
  }

  /** Sorts the edges from position `first` on by their right record. They must have the same left record. */
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
