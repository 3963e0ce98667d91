import { GrowingIntegers } from '../../arrays.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../records/records.ts'
import { mixInto, sharedCopy } from '../records/texts.ts'

/** Pairs of records: `left[k]` with `right[k]`, the smaller number left. */
export interface DrawnPairs {
  readonly left: Int32Array
  readonly right: Int32Array
}

/**
 * Draws about `wanted` pairs of records that share a value, each such pair with the same chance; all pairs where there are fewer. `valueOf`
 * gives the value of a record, 0 for none. The draw follows from the records' ids alone, so nearly the same records give nearly the same
 * pairs. Pairs within a duplicate-free source are left out.
 * @param order The records in the order of `shuffled`.
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
      // An even ring that is taken whole has each opposite pair at half a chance from both sides.
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

/** Several draws as one, in memory that threads share. */
export function joinedPairs(draws: readonly DrawnPairs[]): DrawnPairs {
  const left = new GrowingIntegers()
  const right = new GrowingIntegers()
  for (const draw of draws) {
    left.append(draw.left)
    right.append(draw.right)
  }
  return { left: sharedCopy(Int32Array, left.view()), right: sharedCopy(Int32Array, right.view()) }
}

// Records of one value, in the order in which they were shuffled; values of one record are left out.
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
