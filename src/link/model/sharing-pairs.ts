import { GrowingIntegers } from '../../arrays.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import { mixInto, sharedCopy } from '../records/texts.ts'

/** Pairs of records: `left[k]` with `right[k]`; the left number is the smaller one. */
export interface DrawnPairs {
  readonly left: Int32Array
  readonly right: Int32Array
}

/**
 * Draws about `wanted` pairs of records that share a value, each pair with the same chance. With fewer pairs, draws
 * all. `valueOf` returns the value of a record, 0 for none. Pairs inside a duplicate-free source are left out. The
 * draw depends on record ids only, so almost equal inputs give almost equal pairs.
 * @param order The records, in the order that `shuffled` returns.
 */
export function drawSharing(
  records: Records,
  order: Int32Array,
  wanted: number,
  valueOf: (record: number) => number,
): DrawnPairs {
  const left = new GrowingIntegers()
  const right = new GrowingIntegers()
  const { rows, width, ranks, sources } = records
  const groups = groupsOf(order, valueOf)
  let all = 0
  for (const { length } of groups) all += (length * (length - 1)) / 2
  const share = Math.min(1, wanted / Math.max(1, all))
  for (const group of groups) {
    const candidates = ((group.length - 1) / 2) * share
    for (let k = 0; k < group.length; k++) {
      const i = group[k]!
      const chance = (mixInto(0x1b873593, ranks[i]! | 0) >>> 0) / 2 ** 32
      // The group is a ring, and each record draws the records after it. In a full ring of even size, each opposite
      // pair is drawn from both sides with a chance of one half.
      const steps = Math.floor(candidates) + (chance < candidates % 1 ? 1 : 0)
      for (let step = 1; step <= steps; step++) {
        const j = group[(k + step) % group.length]!
        const source = rows[i * width + SLOT.source]!
        if (source === rows[j * width + SLOT.source] && (sources[source]! & DUPLICATE_FREE) !== 0) continue
        left.push(Math.min(i, j))
        right.push(Math.max(i, j))
      }
    }
  }
  return { left: left.view(), right: right.view() }
}

/** Joins several draws in shared memory. */
export function joinedPairs(draws: readonly DrawnPairs[]): DrawnPairs {
  const left = new GrowingIntegers()
  const right = new GrowingIntegers()
  for (const draw of draws) {
    left.append(draw.left)
    right.append(draw.right)
  }
  return { left: sharedCopy(Int32Array, left.view()), right: sharedCopy(Int32Array, right.view()) }
}

// Groups the records by value, in the order of `order`. Values of a single record are left out.
function groupsOf(order: Int32Array, valueOf: (record: number) => number): number[][] {
  const groups = new Map<number, number[]>()
  for (const record of order) {
    const value = valueOf(record)
    if (value === 0) continue
    const group = groups.get(value)
    if (group === undefined) groups.set(value, [record])
    else group.push(record)
  }
  return [...groups.values()].filter((group) => group.length > 1)
}
