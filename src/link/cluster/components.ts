import { GrowingIntegers } from '../../arrays.ts'
import type { Edges } from './edges.ts'
import { shared, sharedCopy } from '../records/texts.ts'

/**
 * Connected components of records. The members of component `c` are `members[starts[c]]` up to, not including,
 * `members[starts[c + 1]]`, ascending. Components of one record are left out.
 */
export interface Components {
  readonly count: number
  readonly starts: Int32Array
  readonly members: Int32Array
}

/**
 * Finds the connected components of `count` records by union-find. Uses only edges with a match weight of at least
 * `atLeast`.
 */
export function componentsOf(count: number, edges: Edges, atLeast: number): Components {
  const root = new Int32Array(count)
  for (let i = 0; i < count; i++) root[i] = i
  const find = (i: number): number => {
    let at = i
    while (root[at] !== at) {
      root[at] = root[root[at]!]!
      at = root[at]!
    }
    return at
  }
  for (let k = 0; k < edges.count; k++) {
    if (edges.bits[k]! < atLeast) continue
    const a = find(edges.left[k]!)
    const b = find(edges.right[k]!)
    if (a < b) root[b] = a
    else if (b < a) root[a] = b
  }
  // The root of a component is its smallest member. So ascending record numbers give ascending components and
  // members.
  const sizes = new Int32Array(count)
  for (let i = 0; i < count; i++) sizes[find(i)]!++
  const at = new Int32Array(count).fill(-1)
  const starts = new GrowingIntegers()
  starts.push(0)
  let total = 0
  for (let i = 0; i < count; i++) {
    if (root[i] !== i || sizes[i] === 1) continue
    at[i] = total
    total += sizes[i]!
    starts.push(total)
  }
  const members = shared(Int32Array, total)
  for (let i = 0; i < count; i++) {
    const first = at[root[i]!]!
    if (first >= 0) members[at[root[i]!]!++] = i
  }
  return { count: starts.length - 1, starts: sharedCopy(Int32Array, starts.view()), members }
}
