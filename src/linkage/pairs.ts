import type { Blocks } from './blocking.ts'
import { DUPLICATE_FREE, type Mentions, SLOT } from './mentions.ts'
import { mixInto } from './texts.ts'

/**
 * Calls `take(i, j)`, i < j, for every candidate pair of the blocks from `from` to `to`, each pair once over all blocks:
 * a pair belongs to the first block that both records share. Two records of a duplicate-free source are no candidates.
 * With `wanted`, only pairs that it wants; it is asked with the two in any order. With a mask, only pairs whose
 * first record's hash is zero under it: a sample that costs only its own size.
 */
export function forEachPair(
  mentions: Mentions,
  blocks: Blocks,
  from: number,
  to: number,
  take: (i: number, j: number) => void,
  wanted?: (i: number, j: number) => boolean,
  sampleMask = 0,
): number {
  const { starts, members, blockStarts, blocksOf } = blocks
  const { rows, width, sources } = mentions
  let pairs = 0
  for (let block = from; block < to; block++) {
    const end = starts[block + 1]!
    for (let k = starts[block]!; k < end; k++) {
      const i = members[k]!
      if (sampleMask !== 0 && (mixInto(0x27d4eb2f, i) & sampleMask) !== 0) continue
      const source = rows[i * width + SLOT.source]!
      const isFree = (sources[source]! & DUPLICATE_FREE) !== 0
      const startI = blockStarts[i]!
      const isFirstOfI = blocksOf[startI] === block
      for (let l = k + 1; l < end; l++) {
        const j = members[l]!
        if (isFree && rows[j * width + SLOT.source] === source) continue
        if (!isFirstOfI && !isFirstShared(blocksOf, startI, blockStarts[j]!, block)) continue
        if (i === j || (wanted !== undefined && !wanted(i, j))) continue
        pairs++
        if (i < j) take(i, j)
        else take(j, i)
      }
    }
  }
  return pairs
}

function isFirstShared(blocksOf: Int32Array, startI: number, startJ: number, block: number): boolean {
  let a = startI
  let b = startJ
  let left = blocksOf[a]!
  let right = blocksOf[b]!
  for (;;) {
    if (left === right) return left === block
    if (left < right) left = blocksOf[++a]!
    else right = blocksOf[++b]!
  }
}
