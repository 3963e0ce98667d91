import type { RuleChanges } from './block-changes.ts'
import { GrowingIntegers } from '../records/growing.ts'
import { recordsAmong } from './night-edges.ts'
import type { NightPairs } from '../score/pairs.ts'
import { shared, sharedCopy } from '../records/texts.ts'

/** Blocks of one tree of rules, members in order. */
export interface SomeBlocks {
  readonly starts: Int32Array
  readonly members: Int32Array
}

/**
 * Who looks for candidates in a night, and in which blocks: whoever came from number `first` on in all of theirs, the others in blocks that
 * were not compared before.
 */
export function nightPairs(changes: readonly RuleChanges[], first: number, count: number): NightPairs {
  return pairsOf(changes, count, {
    looks: (member, rule, block) => member >= first || changes[rule]!.isWhole[block] === 1,
    areLast: true,
  })
}

/** The pairs of a panel of records: with everybody below them in their blocks. */
export function panelPairs(blocks: readonly SomeBlocks[], panel: Int32Array, count: number): NightPairs {
  const isAsked = new Uint8Array(count)
  for (const record of panel) isAsked[record] = 1
  return pairsOf(blocks, count, { looks: (member) => isAsked[member] === 1, areLast: false })
}

interface Lookers {
  readonly looks: (member: number, rule: number, block: number) => boolean
  /** They are the last of every block. */
  readonly areLast: boolean
}

function pairsOf(found: readonly SomeBlocks[], count: number, { looks, areLast }: Lookers): NightPairs {
  const blockCount = found.reduce((total, { starts }) => total + starts.length, 0)
  const starts = shared(Int32Array, blockCount + 1)
  const members = shared(
    Int32Array,
    found.reduce((total, rule) => total + rule.members.length, 0),
  )
  const lookers = new GrowingIntegers()
  const looked = new GrowingIntegers()
  let block = 0
  let at = 0
  found.forEach((rule, r) => {
    members.set(rule.members, at)
    for (let b = 0; b < rule.starts.length; b++, block++) {
      starts[block] = at + rule.starts[b]!
      const end = b + 1 < rule.starts.length ? rule.starts[b + 1]! : rule.members.length
      for (let k = end - 1; k >= rule.starts[b]!; k--) {
        if (looks(rule.members[k]!, r, b)) {
          lookers.push(rule.members[k]!)
          looked.push(block)
        } else if (areLast) break
      }
    }
    at += rule.members.length
  })
  starts[blockCount] = at
  return { starts, members, ...gathered(lookers.view(), looked.view(), count) }
}

function gathered(
  lookers: Int32Array,
  blocks: Int32Array,
  count: number,
): Pick<NightPairs, 'records' | 'blockStarts' | 'blocksOf'> {
  const many = new Int32Array(count)
  for (let k = 0; k < lookers.length; k++) many[lookers[k]!]!++
  const records = sharedCopy(Int32Array, recordsAmong(count, [lookers]))
  const blockStarts = shared(Int32Array, records.length + 1)
  for (let r = 0; r < records.length; r++) {
    blockStarts[r + 1] = blockStarts[r]! + many[records[r]!]!
    many[records[r]!] = blockStarts[r]!
  }
  const blocksOf = shared(Int32Array, lookers.length)
  for (let k = 0; k < lookers.length; k++) blocksOf[many[lookers[k]!]!++] = blocks[k]!
  return { records, blockStarts, blocksOf }
}
