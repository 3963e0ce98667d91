import { numberedRules, type RuleNode } from './rules.ts'
import { type BlockParts } from './block-parts.ts'
import { childPrefix, KeyMaker, rootPrefix } from './blocking-keys.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { radixSort } from '../records/radix-sort.ts'
import { shared } from '../records/texts.ts'
import type { NextRange, Work } from '../threads/threads.ts'

/** Records that are compared with each other. Block b has members `members[starts[b]]` to `members[starts[b + 1]]`, ascending. */
export interface Blocks {
  readonly count: number
  readonly starts: Int32Array
  readonly members: Int32Array
  /** The rule's number and the key of each block. */
  readonly nodes: Int32Array
  readonly keys: Int32Array
  /** Blocks of record i: `blocksOf[blockStarts[i]]` to `blocksOf[blockStarts[i + 1]]`. */
  readonly blockStarts: Int32Array
  readonly blocksOf: Int32Array
}

/** The blocks of one tree of rules, and what was found on the way. */
export interface RuleBlocks {
  readonly rule: number
  readonly starts: Int32Array
  readonly members: Int32Array
  readonly nodes: Int32Array
  readonly keys: Int32Array
  readonly oversized: OversizedKeys
  readonly dropped: readonly DroppedBlock[]
}

/** Keys that more records have than the limit, each with its rule's number. */
export interface OversizedKeys {
  readonly nodes: Int32Array
  readonly keys: Int32Array
}

/** A block above the limit that had no further key to be split by: its pairs are not compared on its account. */
export interface DroppedBlock {
  readonly node: number
  readonly key: number
  readonly size: number
  /** One of its records. */
  readonly record: number
}

/** Largest block that is compared whole: what a run of `count` records can afford. */
export function blockLimit(count: number): number {
  return Math.max(25, Math.min(1500, Math.round(3_000_000 / Math.max(1, count))))
}

/** How many trees of rules there are. */
export const RULE_COUNT = numberedRules().length

export interface BlockInput {
  readonly parts: BlockParts
  /** Larger blocks are split by the next rule of their tree. */
  readonly limit: number
}

/** Blocks all records. A unit of work is a tree of rules; each is blocked by one thread. */
export function blockByRules({ parts, limit }: BlockInput, next: NextRange): RuleBlocks[] {
  const found: RuleBlocks[] = []
  for (let range = next(); range !== undefined; range = next()) {
    for (let rule = range[0]; rule < range[1]; rule++) found.push(ruleBlocks(parts, limit, rule))
  }
  return found
}

export const BLOCK_BY_RULES: Work<BlockInput, RuleBlocks[]> = { module: import.meta.url, run: blockByRules }

/** Returns the blocks of one tree of rules over all records. They depend on which records there are, not on their order. */
export function ruleBlocks(parts: BlockParts, limit: number, rule: number): RuleBlocks {
  const builder = new BlockBuilder(parts, limit)
  const root = numberedRules()[rule]!
  builder.add(root, undefined, rootPrefix(root.node))
  return { rule, ...builder.finish() }
}

class BlockBuilder {
  readonly #maker: KeyMaker
  readonly #limit: number
  readonly #starts = new GrowingIntegers()
  readonly #members = new GrowingIntegers(1 << 16)
  readonly #nodes = new GrowingIntegers()
  readonly #keys = new GrowingIntegers()
  readonly #oversizedNodes = new GrowingIntegers()
  readonly #oversizedKeys = new GrowingIntegers()
  readonly #dropped: DroppedBlock[] = []

  constructor(parts: BlockParts, limit: number) {
    this.#maker = new KeyMaker(parts)
    this.#limit = limit
  }

  add(rule: RuleNode, records: Int32Array | undefined, prefixes: Int32Array | number): void {
    const entries = this.#maker.keysOf(rule.parts, records, prefixes)
    const { keys, values } = radixSort(entries.keys, entries.records)
    const tooLarge = { records: new GrowingIntegers(), keys: new GrowingIntegers() }
    for (let start = 0; start < keys.length;) {
      const key = keys[start]!
      let end = start + 1
      while (end < keys.length && keys[end] === key) end++
      const size = end - start
      if (size > 1 && size <= this.#limit) {
        this.#starts.push(this.#members.length)
        this.#members.append(values.subarray(start, end))
        this.#nodes.push(rule.node)
        this.#keys.push(key)
      } else if (size > this.#limit) {
        this.#oversizedNodes.push(rule.node)
        this.#oversizedKeys.push(key)
        if (rule.children.length > 0) {
          tooLarge.records.append(values.subarray(start, end))
          tooLarge.keys.append(keys.subarray(start, end))
        }
        // That a large run is not compared with itself whole needs no report.
        else if (rule.name !== 'any')
          this.#dropped.push({ node: rule.node, key, size, record: values[start]! })
      }
      start = end
    }
    if (tooLarge.records.length === 0) return
    for (const child of rule.children) {
      const below = tooLarge.keys.view().map((key) => childPrefix(key, child.node))
      this.add(child, tooLarge.records.view(), below)
    }
  }

  finish(): Omit<RuleBlocks, 'rule'> {
    return {
      starts: this.#starts.view().slice(),
      members: this.#members.view().slice(),
      nodes: this.#nodes.view().slice(),
      keys: this.#keys.view().slice(),
      oversized: {
        nodes: this.#oversizedNodes.view().slice(),
        keys: this.#oversizedKeys.view().slice(),
      },
      dropped: this.#dropped,
    }
  }
}

/** The blocks of all rules as shared arrays, with the blocks of each record. */
export function joinedBlocks(
  found: readonly Pick<RuleBlocks, 'starts' | 'members' | 'nodes' | 'keys'>[],
  recordCount: number,
): Blocks {
  const count = found.reduce((total, { starts }) => total + starts.length, 0)
  const starts = shared(Int32Array, count + 1)
  const members = shared(
    Int32Array,
    found.reduce((total, rule) => total + rule.members.length, 0),
  )
  const nodes = shared(Int32Array, count)
  const keys = shared(Int32Array, count)
  let block = 0
  let at = 0
  for (const rule of found) {
    nodes.set(rule.nodes, block)
    keys.set(rule.keys, block)
    for (const start of rule.starts) starts[block++] = at + start
    members.set(rule.members, at)
    at += rule.members.length
  }
  starts[count] = at
  const blockStarts = shared(Int32Array, recordCount + 1)
  for (let k = 0; k < at; k++) blockStarts[members[k]! + 1]!++
  for (let i = 0; i < recordCount; i++) blockStarts[i + 1]! += blockStarts[i]!
  const filled = blockStarts.slice()
  const blocksOf = shared(Int32Array, at)
  for (block = 0; block < count; block++) {
    for (let k = starts[block]!; k < starts[block + 1]!; k++) blocksOf[filled[members[k]!]!++] = block
  }
  return { count, starts, members, nodes, keys, blockStarts, blocksOf }
}
