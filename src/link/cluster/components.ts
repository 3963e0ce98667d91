import { GrowingIntegers } from '../../arrays.ts'
import type { Edges } from './edges.ts'
import { shared, sharedCopy } from '../records/texts.ts'

/**
 * Connected components of `count` records under the given edges. Component c has members `members[starts[c]]` to
 * `members[starts[c + 1]]`, ascending; components of one record are left out.
 */
export interface Components {
  readonly count: number
  readonly starts: Int32Array
  readonly members: Int32Array
}

/** Components under the edges of at least `atLeast` bits. */
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
  // The root is the smallest member, so that members come in ascending order when gathered by root.
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
