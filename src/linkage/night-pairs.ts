import type { RuleChanges } from './block-changes.ts'
import { GrowingIntegers } from './growing.ts'
import type { NightPairs } from './pairs.ts'
import { shared } from './texts.ts'

/**
 * Who looks for candidates in a night, and in which blocks: whoever came from number `first` on in all of theirs, the others in blocks that
 * were not compared before.
 */
export function nightPairs(changes: readonly RuleChanges[], first: number, count: number): NightPairs {
  const blockCount = changes.reduce((total, { starts }) => total + starts.length, 0)
  const starts = shared(Int32Array, blockCount + 1)
  const members = shared(
    Int32Array,
    changes.reduce((total, rule) => total + rule.members.length, 0),
  )
  const lookers = new GrowingIntegers()
  const looked = new GrowingIntegers()
  let block = 0
  let at = 0
  for (const rule of changes) {
    members.set(rule.members, at)
    for (let b = 0; b < rule.starts.length; b++) {
      starts[block] = at + rule.starts[b]!
      const end = rule.starts[b + 1] ?? rule.members.length
      const least = rule.isWhole[b]! ? 0 : first
      // Members are in order, and who came is at the end.
      for (let k = end - 1; k >= rule.starts[b]! && rule.members[k]! >= least; k--) {
        lookers.push(rule.members[k]!)
        looked.push(block)
      }
      block++
    }
    at += rule.members.length
  }
  starts[blockCount] = at
  return { starts, members, ...gathered(lookers.view(), looked.view(), count) }
}

function gathered(
  lookers: Int32Array,
  blocks: Int32Array,
  count: number,
): Pick<NightPairs, 'records' | 'blockStarts' | 'blocksOf'> {
  const many = new Int32Array(count)
  for (const record of lookers) many[record]!++
  const distinct = new GrowingIntegers()
  for (let i = 0; i < count; i++) if (many[i] !== 0) distinct.push(i)
  const records = shared(Int32Array, distinct.length)
  records.set(distinct.view())
  const blockStarts = shared(Int32Array, records.length + 1)
  for (let r = 0; r < records.length; r++) {
    blockStarts[r + 1] = blockStarts[r]! + many[records[r]!]!
    many[records[r]!] = blockStarts[r]!
  }
  const blocksOf = shared(Int32Array, lookers.length)
  for (let k = 0; k < lookers.length; k++) blocksOf[many[lookers[k]!]!++] = blocks[k]!
  return { records, blockStarts, blocksOf }
}
