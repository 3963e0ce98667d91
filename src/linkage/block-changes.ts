import { numberedRules, type RuleNode } from './block-keys.ts'
import {
  type BlockParts,
  childPrefix,
  KeyMaker,
  KeySet,
  RECORD,
  RECORD_BITS,
  rootPrefix,
} from './block-parts.ts'
import type { DroppedBlock } from './blocking.ts'
import { GrowingIntegers, radixSort } from './growing.ts'
import { shared } from './texts.ts'

/** Marks of a record among the entries of a night: it was there, it is there, its blocks are wanted whatever happened to them. */
const WAS = 1 << RECORD_BITS
const IS = 2 << RECORD_BITS
const WANTED = 4 << RECORD_BITS
const MARKS = WAS | IS | WANTED

/** What a night changes in the blocks of one tree of rules. Blocks in which nothing changed are not looked at. */
export interface RuleChanges {
  /** Blocks that are compared now, with all their members. */
  readonly starts: Int32Array
  readonly members: Int32Array
  /** Per block: it was not compared before, so that all its pairs are new. */
  readonly isWhole: readonly boolean[]
  /** Members of blocks that were compared before and are above the limit now: block by block. */
  readonly loosened: readonly Int32Array[]
  /** Keys that passed the limit, upwards or downwards, each with its rule's number. */
  readonly grownNodes: Int32Array
  readonly grownKeys: Int32Array
  readonly shrunkNodes: Int32Array
  readonly shrunkKeys: Int32Array
  /** Blocks dropped among the changed ones, and keys of those that need no longer be (or are among the others). */
  readonly dropped: readonly DroppedBlock[]
  readonly droppedBefore: readonly { node: number; key: number }[]
}

/** Marked records for `ruleChanges`. `isWanted` asks for all blocks of some records besides. */
export function markedRecords(
  count: number,
  was: (i: number) => boolean,
  is: (i: number) => boolean,
  isWanted?: Uint8Array,
): Int32Array {
  const marked = new Int32Array(count)
  let size = 0
  for (let i = 0; i < count; i++) {
    const marks = (was(i) ? WAS : 0) | (is(i) ? IS : 0) | (isWanted?.[i] === 1 ? WANTED : 0)
    if ((marks & (WAS | IS)) !== 0) marked[size++] = i | marks
  }
  const found = shared(Int32Array, size)
  found.set(marked.subarray(0, size))
  return found
}

/**
 * Walks one tree of rules over records as they were and as they are, below keys in which something changed only. What was a block before and is one now follows from
 * who was there and who is, at every level: nothing of the night before needs to be kept.
 */
export function ruleChanges(parts: BlockParts, marked: Int32Array, limit: number, rule: number): RuleChanges {
  const root = numberedRules()[rule]!
  const walk = new ChangeWalk(parts, limit)
  walk.visit(root, marked, rootPrefix(root.node))
  return walk.finish()
}

class ChangeWalk {
  readonly #maker: KeyMaker
  readonly #limit: number
  readonly #starts = new GrowingIntegers()
  readonly #members = new GrowingIntegers()
  readonly #isWhole: boolean[] = []
  readonly #loosened: Int32Array[] = []
  readonly #grown = [new GrowingIntegers(), new GrowingIntegers()] as const
  readonly #shrunk = [new GrowingIntegers(), new GrowingIntegers()] as const
  readonly #dropped: DroppedBlock[] = []
  readonly #droppedBefore: { node: number; key: number }[] = []

  constructor(parts: BlockParts, limit: number) {
    this.#maker = new KeyMaker(parts)
    this.#limit = limit
  }

  visit(rule: RuleNode, records: Int32Array, prefixes: Int32Array | number): void {
    const changed = this.#changedKeys(rule, records, prefixes)
    if (changed === undefined) return
    const entries = this.#maker.keysOf(rule.parts, records, prefixes, changed)
    const { keys, values } = radixSort(entries.keys, entries.records)
    const below = { records: new GrowingIntegers(), keys: new GrowingIntegers() }
    for (let start = 0; start < keys.length;) {
      const key = keys[start]!
      let end = start + 1
      let isChanged = hasChanged(values[start]!)
      while (end < keys.length && keys[end] === key) isChanged = hasChanged(values[end++]!) || isChanged
      if (isChanged) this.#decide(rule, key, values.subarray(start, end), below)
      start = end
    }
    if (below.records.length === 0) return
    for (const child of rule.children) {
      const childPrefixes = below.keys.view().map((key) => childPrefix(key, child.node))
      this.visit(child, below.records.view(), childPrefixes)
    }
  }

  finish(): RuleChanges {
    const [grownNodes, grownKeys] = this.#grown.map((list) => list.view().slice())
    const [shrunkNodes, shrunkKeys] = this.#shrunk.map((list) => list.view().slice())
    return {
      starts: this.#starts.view().slice(),
      members: this.#members.view().slice(),
      isWhole: this.#isWhole,
      loosened: this.#loosened,
      grownNodes: grownNodes!,
      grownKeys: grownKeys!,
      shrunkNodes: shrunkNodes!,
      shrunkKeys: shrunkKeys!,
      dropped: this.#dropped,
      droppedBefore: this.#droppedBefore,
    }
  }

  #changedKeys(rule: RuleNode, records: Int32Array, prefixes: Int32Array | number): KeySet | undefined {
    const at: number[] = []
    for (let r = 0; r < records.length; r++) if (hasChanged(records[r]!)) at.push(r)
    if (at.length === 0) return undefined
    const changed = Int32Array.from(at, (r) => records[r]!)
    const changedPrefixes = typeof prefixes === 'number' ? prefixes : Int32Array.from(at, (r) => prefixes[r]!)
    const { keys } = this.#maker.keysOf(rule.parts, changed, changedPrefixes)
    const found = new KeySet(keys.length)
    for (const key of keys) found.add(key)
    return found
  }

  #decide(
    rule: RuleNode,
    key: number,
    members: Int32Array,
    below: { records: GrowingIntegers; keys: GrowingIntegers },
  ): void {
    let [before, after, wanted] = [0, 0, 0]
    for (const member of members) {
      if ((member & WAS) !== 0) before++
      if ((member & IS) === 0) continue
      after++
      if ((member & WAS) === 0 || (member & WANTED) !== 0) wanted++
    }
    const wasOver = before > this.#limit
    const isOver = after > this.#limit
    if (wasOver !== isOver) {
      const [nodes, keys] = isOver ? this.#grown : this.#shrunk
      nodes.push(rule.node)
      keys.push(key)
    }
    if (!isOver && after > 1 && (wanted > 0 || wasOver)) {
      this.#starts.push(this.#members.length)
      for (const member of members) if ((member & IS) !== 0) this.#members.push(member & RECORD)
      this.#isWhole.push(wasOver)
    }
    if (isOver && !wasOver && before > 1)
      this.#loosened.push(
        members.filter((member) => (member & WAS) !== 0 && (member & IS) !== 0).map((m) => m & RECORD),
      )
    if (!wasOver && !isOver) return
    if (rule.children.length === 0 && rule.name !== 'any') {
      this.#droppedBefore.push({ node: rule.node, key })
      const mention = members.find((member) => (member & IS) !== 0)
      if (isOver) this.#dropped.push({ node: rule.node, key, size: after, mention: mention! & RECORD })
    }
    if (rule.children.length === 0) return
    const kept = (wasOver ? WAS : 0) | (isOver ? IS : 0)
    for (const member of members) {
      if ((member & kept) === 0) continue
      below.records.push(member & (RECORD | kept | WANTED))
      below.keys.push(key)
    }
  }
}

function hasChanged(marked: number): boolean {
  const marks = marked & MARKS
  return marks !== (WAS | IS)
}
