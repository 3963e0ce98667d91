import { GrowingFloats, GrowingIntegers } from '../../arrays.ts'
import { radixSort } from '../records/radix-sort.ts'

/** Pairs of records with their match weights (`bits`). The left record number is the smaller one. */
export interface Edges {
  readonly count: number
  readonly left: Int32Array
  readonly right: Int32Array
  readonly bits: Float64Array
}

/** Joins edge lists in any order. Returns one list by left and then right record, with each pair once. */
export function joinedEdges(parts: readonly Edges[]): Edges {
  const all = concatenated(parts)
  const { left, right, count } = all
  const byRight = radixSort(
    right,
    new Int32Array(count).map((_, k) => k),
  ).values
  // Radix sort is stable: edges with the same left record stay sorted by the right record.
  const byBoth = radixSort(
    byRight.map((k) => left[k]!),
    byRight,
  ).values
  const places = byBoth.filter((k, at) => {
    const before = byBoth[at - 1]
    return before === undefined || left[k] !== left[before] || right[k] !== right[before]
  })
  return chosenEdges(all, places)
}

function concatenated(parts: readonly Edges[]): Edges {
  const count = parts.reduce((total, part) => total + part.count, 0)
  const all = {
    count,
    left: new Int32Array(count),
    right: new Int32Array(count),
    bits: new Float64Array(count),
  }
  let at = 0
  for (const part of parts) {
    all.left.set(part.left, at)
    all.right.set(part.right, at)
    all.bits.set(part.bits, at)
    at += part.count
  }
  return all
}

/** Returns the edges at the given positions, in the order of `places`. */
export function chosenEdges({ left, right, bits }: Edges, places: Int32Array): Edges {
  return {
    count: places.length,
    left: places.map((k) => left[k]!),
    right: places.map((k) => right[k]!),
    bits: new Float64Array(places.length).map((_, at) => bits[places[at]!]!),
  }
}

/** A growing list of edges. */
export class GrowingEdges {
  readonly #left = new GrowingIntegers()
  readonly #right = new GrowingIntegers()
  readonly #bits = new GrowingFloats()

  push(left: number, right: number, bits: number): void {
    this.#left.push(left)
    this.#right.push(right)
    this.#bits.push(bits)
  }

  edges(): Edges {
    return {
      count: this.#left.length,
      left: this.#left.view().slice(),
      right: this.#right.view().slice(),
      bits: this.#bits.view().slice(),
    }
  }
}
