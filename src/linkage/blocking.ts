import { BlockParts, partIndex, type Rule, RULES } from './block-keys.ts'
import { GrowingIntegers, radixSort } from './growing.ts'
import type { Mentions } from './mentions.ts'
import { mixInto, shared } from './texts.ts'

/** Records that are compared with each other. Block b has members `members[starts[b]]` to `members[starts[b + 1]]`. */
export interface Blocks {
  readonly count: number
  readonly starts: Int32Array
  readonly members: Int32Array
  /** Blocks of record i, ascending: `blocksOf[blockStarts[i]]` to `blocksOf[blockStarts[i + 1]]`. */
  readonly blockStarts: Int32Array
  readonly blocksOf: Int32Array
  /** Blocks above the limit that had no further key to be split by: their pairs were not compared on their account. */
  readonly dropped: readonly DroppedBlock[]
  /** How many blocks were split by a further key. */
  readonly splitCount: number
}

export interface DroppedBlock {
  readonly rule: string
  readonly size: number
  /** One of its records. */
  readonly mention: number
}

/** Largest block that is compared whole: what a run of `count` records can afford. */
export function blockLimit(count: number): number {
  return Math.max(25, Math.min(1500, Math.round(3_000_000 / Math.max(1, count))))
}

/** Takes the keys of one rule, with the record of each: what a night needs to find who shares a key with whom. */
export interface KeySink {
  keys(node: number, keys: Int32Array, records: Int32Array): void
  /** Keys of that rule which more records have than the limit. */
  oversized(node: number, keys: readonly number[]): void
}

/** Rules with a number each, in the order in which they are written down; a key means something only with its rule's number. */
export interface RuleNode {
  readonly node: number
  readonly name: string
  readonly parts: readonly number[]
  readonly children: readonly RuleNode[]
}

export function numberedRules(rules: readonly Rule[] = RULES): RuleNode[] {
  let next = 0
  const number = (rule: Rule, path: string): RuleNode => {
    const node = next++
    const name = path === '' ? rule.parts.join('+') : `${path}+${rule.parts.join('+')}`
    const children = (rule.then ?? []).map((child) => number(child, name))
    return { node, name, parts: rule.parts.map(partIndex), children }
  }
  return rules.map((rule) => number(rule, ''))
}

/** What the keys of a rule are mixed into, so that equal values under two rules give two keys. */
export function rootPrefix({ node }: RuleNode): number {
  return mixInto(0x5bd1e995, node)
}

/** The same below a key that is split. */
export function childPrefix(key: number, { node }: RuleNode): number {
  return mixInto(key, node + 1)
}

/** Blocks of all mentions. Depends on which records there are, never on their order. */
export function buildBlocks(mentions: Mentions, limit: number, sink?: KeySink): Blocks {
  const builder = new BlockBuilder(new BlockParts(mentions), limit, sink)
  const everyone = new Int32Array(mentions.count)
  for (let i = 0; i < mentions.count; i++) everyone[i] = i
  for (const rule of numberedRules()) {
    builder.add(rule, everyone, new Int32Array(mentions.count).fill(rootPrefix(rule)))
  }
  return builder.finish(mentions.count)
}

class BlockBuilder {
  readonly #parts: BlockParts
  readonly #limit: number
  readonly #sink: KeySink | undefined
  readonly #starts = new GrowingIntegers()
  readonly #members = new GrowingIntegers(1 << 20)
  readonly #dropped: DroppedBlock[] = []
  #splitCount = 0

  constructor(parts: BlockParts, limit: number, sink: KeySink | undefined) {
    this.#parts = parts
    this.#limit = limit
    this.#sink = sink
  }

  add(rule: RuleNode, records: Int32Array, prefixes: Int32Array): void {
    const entries = keysOf(this.#parts, rule, records, prefixes)
    const { keys, values } = radixSort(entries.keys, entries.records)
    this.#sink?.keys(rule.node, keys, values)
    const oversized: number[] = []
    const tooLarge = { records: new GrowingIntegers(), keys: new GrowingIntegers() }
    for (let start = 0; start < keys.length;) {
      const key = keys[start]!
      let end = start + 1
      while (end < keys.length && keys[end] === key) end++
      const size = end - start
      if (size > 1 && size <= this.#limit) {
        this.#starts.push(this.#members.length)
        this.#members.append(values.subarray(start, end))
      } else if (size > this.#limit) {
        oversized.push(key)
        // That a large run is not compared with itself whole needs no report.
        if (rule.name === 'any') this.#splitCount++
        else if (rule.children.length === 0)
          this.#dropped.push({ rule: rule.name, size, mention: values[start]! })
        else {
          this.#splitCount++
          tooLarge.records.append(values.subarray(start, end))
          tooLarge.keys.append(keys.subarray(start, end))
        }
      }
      start = end
    }
    this.#sink?.oversized(rule.node, oversized)
    if (tooLarge.records.length === 0) return
    for (const child of rule.children) {
      const childPrefixes = tooLarge.keys.view().map((key) => childPrefix(key, child))
      this.add(child, tooLarge.records.view(), childPrefixes)
    }
  }

  finish(recordCount: number): Blocks {
    const { starts, members, blockStarts, blocksOf } = blockArrays(
      this.#starts.view(),
      this.#members.view(),
      recordCount,
    )
    this.#dropped.sort((a, b) => b.size - a.size || (a.rule < b.rule ? -1 : 1))
    return {
      count: this.#starts.length,
      starts,
      members,
      blockStarts,
      blocksOf,
      dropped: this.#dropped,
      splitCount: this.#splitCount,
    }
  }
}

/** Blocks as shared arrays, with the blocks of each record. */
export function blockArrays(
  blockStartsIn: Int32Array,
  blockMembers: Int32Array,
  recordCount: number,
): Pick<Blocks, 'starts' | 'members' | 'blockStarts' | 'blocksOf'> {
  const count = blockStartsIn.length
  const starts = shared(Int32Array, count + 1)
  starts.set(blockStartsIn)
  starts[count] = blockMembers.length
  const members = shared(Int32Array, blockMembers.length)
  members.set(blockMembers)
  const blockStarts = shared(Int32Array, recordCount + 1)
  for (const member of blockMembers) blockStarts[member + 1]!++
  for (let i = 0; i < recordCount; i++) blockStarts[i + 1]! += blockStarts[i]!
  const filled = blockStarts.slice()
  const blocksOf = shared(Int32Array, blockMembers.length)
  for (let block = 0; block < count; block++) {
    for (let k = starts[block]!; k < starts[block + 1]!; k++) blocksOf[filled[members[k]!]!++] = block
  }
  return { starts, members, blockStarts, blocksOf }
}

/** Keys of one rule: one per combination of its parts' values. */
export function keysOf(
  parts: BlockParts,
  rule: RuleNode,
  records: Int32Array,
  prefixes: Int32Array,
): { keys: Int32Array; records: Int32Array } {
  const first = rule.parts[0]!
  const second = rule.parts[1]
  const values = parts.columns[first]!
  const others = second === undefined ? undefined : parts.columns[second]!
  const keys = new GrowingIntegers(records.length)
  const owners = new GrowingIntegers(records.length)
  const put = (record: number, key: number): void => {
    keys.push(key)
    owners.push(record)
  }
  for (let r = 0; r < records.length; r++) {
    const record = records[r]!
    if (values[record] === 0) continue
    if (parts.isMultiple[record] === 1) {
      parts.each(record, first, (value) => {
        const key = mixInto(prefixes[r]!, value)
        if (second === undefined) put(record, key)
        else parts.each(record, second, (other) => put(record, mixInto(key, other)))
      })
    } else if (others === undefined) put(record, mixInto(prefixes[r]!, values[record]!))
    else if (others[record] !== 0)
      put(record, mixInto(mixInto(prefixes[r]!, values[record]!), others[record]!))
  }
  return { keys: keys.view(), records: owners.view() }
}
