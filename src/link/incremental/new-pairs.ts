import type { Blocks, OversizedKeys } from '../block/blocking.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { shared, sharedCopy } from '../records/texts.ts'
import type { NewPairs } from '../block/candidates.ts'

/**
 * Returns the pairs that the last run did not compare. These are the pairs with an added record (number `first` or more), and the pairs of
 * blocks that were above the limit in the last run (`oversized`) and are not above it now. The last run compared every other pair: the two
 * records shared the same block, or the block of a parent rule.
 */
export function newPairs(blocks: Blocks, first: number, oversized: OversizedKeys): NewPairs {
  const reopened = reopenedBlocks(blocks, oversized)
  const reopenedOf = new Map<number, number[]>()
  for (const block of reopened) {
    for (let k = blocks.starts[block]!; k < blocks.starts[block + 1]!; k++) {
      const record = blocks.members[k]!
      // For an added record, all pairs of all its blocks are new; they are added below.
      if (record >= first) continue
      const own = reopenedOf.get(record)
      if (own === undefined) reopenedOf.set(record, [block])
      else own.push(block)
    }
  }
  const old = Int32Array.from(reopenedOf.keys()).sort()
  const end = blocks.blockStarts.length - 1
  const records = shared(Int32Array, old.length + end - first)
  records.set(old)
  for (let record = first; record < end; record++) records[old.length + record - first] = record
  const blockStarts = shared(Int32Array, records.length + 1)
  const blocksOf = new GrowingIntegers()
  records.forEach((record, r) => {
    const own = reopenedOf.get(record)
    if (own === undefined)
      blocksOf.append(blocks.blocksOf.subarray(blocks.blockStarts[record], blocks.blockStarts[record + 1]))
    else for (const block of own) blocksOf.push(block)
    blockStarts[r + 1] = blocksOf.length
  })
  return { records, blockStarts, blocksOf: sharedCopy(Int32Array, blocksOf.view()) }
}

function reopenedBlocks({ count, nodes, keys }: Blocks, oversized: OversizedKeys): number[] {
  const oversizedOf = new Map<number, Set<number>>()
  oversized.nodes.forEach((node, k) => {
    const own = oversizedOf.get(node) ?? new Set()
    oversizedOf.set(node, own.add(oversized.keys[k]!))
  })
  const found: number[] = []
  for (let block = 0; block < count; block++) {
    if (oversizedOf.get(nodes[block]!)?.has(keys[block]!) === true) found.push(block)
  }
  return found
}

/** Returns whether two records share a block. Relies on the ascending order of the blocks of each record. */
export function shareBlock({ blockStarts, blocksOf }: Blocks, i: number, j: number): boolean {
  let a = blockStarts[i]!
  let b = blockStarts[j]!
  while (a < blockStarts[i + 1]! && b < blockStarts[j + 1]!) {
    if (blocksOf[a] === blocksOf[b]) return true
    if (blocksOf[a]! < blocksOf[b]!) a++
    else b++
  }
  return false
}
