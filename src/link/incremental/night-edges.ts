import { chosenEdges, type Edges } from '../cluster/edges.ts'
import { GrowingIntegers } from '../records/growing.ts'
import type { Mentions } from '../records/mentions.ts'

/** The records of some lists, of `count` that there are: each once, ascending. */
export function recordsAmong(count: number, lists: readonly ArrayLike<number>[]): Int32Array {
  // A bit each, so that few of millions are soon found.
  const isAmong = new Int32Array(Math.ceil(count / 32))
  for (const list of lists) {
    const { length } = list
    for (let k = 0; k < length; k++) isAmong[list[k]! >>> 5]! |= 1 << (list[k]! & 31)
  }
  const found = new GrowingIntegers()
  for (let word = 0; word < isAmong.length; word++) {
    for (let left = isAmong[word]!; left !== 0; left &= left - 1)
      found.push(word * 32 + 31 - Math.clz32(left & -left))
  }
  return found.view()
}

/** Edges with each record's place among `records` for its number. */
export function numberedAmong(records: Int32Array, count: number, { left, right, ...rest }: Edges): Edges {
  const placeOf = new Int32Array(count)
  for (let place = 0; place < records.length; place++) placeOf[records[place]!] = place
  const placed = (list: Int32Array): Int32Array => {
    const places = new Int32Array(list.length)
    for (let k = 0; k < list.length; k++) places[k] = placeOf[list[k]!]!
    return places
  }
  return { ...rest, left: placed(left), right: placed(right) }
}

/** Edges that stay (found again, they are tonight's), and those that go. */
export function partedEdges(
  { ranks, count }: Mentions,
  edges: Edges,
  found: Edges,
  loose: readonly (readonly [number, number])[],
  first: number,
): { kept: Edges; left: Edges } {
  const replaced = new Set(loose.map(([i, j]) => i * count + j))
  for (let k = 0; k < found.count; k++) {
    // A block that came together again holds pairs that another block had already.
    if (found.right[k]! < first) replaced.add(found.left[k]! * count + found.right[k]!)
  }
  const kept = new GrowingIntegers(edges.count)
  const left = new GrowingIntegers()
  for (let k = 0; k < edges.count; k++) {
    const i = edges.left[k]!
    const j = edges.right[k]!
    const stays = ranks[i]! >= 0 && ranks[j]! >= 0 && !replaced.has(i * count + j)
    ;(stays ? kept : left).push(k)
  }
  return { kept: chosenEdges(edges, kept.view()), left: chosenEdges(edges, left.view()) }
}
