import { numberedRules, type RuleNode } from './rules.ts'
import { type BlockParts } from './block-parts.ts'
import { childPrefix, KeyMaker, rootPrefix } from './blocking-keys.ts'
import { GrowingIntegers } from '../../arrays.ts'
import { keyNumber, type KeyUnits, unitOfKey } from './key-units.ts'
import { radixSort } from '../records/radix-sort.ts'
import { shared } from '../records/texts.ts'
import type { NextRange, Work } from '../threads/threads.ts'

/**
 * Blocks: records with an equal blocking key, which are compared with each other. The records of block b are `members[starts[b]]` to
 * `members[starts[b + 1]]`, ascending.
 */
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

/** The blocks of one tree of rules, and the keys of its blocks above the limit. */
export interface RuleBlocks {
  readonly rule: number
  readonly starts: Int32Array
  readonly members: Int32Array
  readonly nodes: Int32Array
  readonly keys: Int32Array
  readonly oversized: OversizedKeys
  readonly dropped: readonly DroppedBlock[]
}

/** Keys of blocks above the limit, each with the number of its rule. */
export interface OversizedKeys {
  readonly nodes: Int32Array
  readonly keys: Int32Array
}

/** A block above the limit whose rule has no child rules to split it. Its pairs are compared only when they share another block. */
export interface DroppedBlock {
  readonly node: number
  readonly key: number
  readonly size: number
  /** One of its records. */
  readonly record: number
}

/** Returns the size of the largest block whose pairs are all compared. It falls as `count`, the number of records, grows. */
export function blockLimit(count: number): number {
  return Math.max(25, Math.min(1500, Math.round(3_000_000 / Math.max(1, count))))
}

/** Number of trees of rules. */
export const RULE_COUNT = numberedRules().length

export interface BlockInput {
  readonly parts: BlockParts
  /** Blocks with more records are split by the child rules of their rule. */
  readonly limit: number
  /** Set in a run in units: only the keys of this unit get blocks. */
  readonly own?: OwnKeys | undefined
}

/** The blocking keys of one unit. */
export interface OwnKeys extends KeyUnits {
  readonly unit: number
}

/** Blocks all records under the trees of rules that `next` hands out. Several threads run this function; a unit of work is one tree. */
export function blockByRules(input: BlockInput, next: NextRange): RuleBlocks[] {
  const found: RuleBlocks[] = []
  for (let range = next(); range !== undefined; range = next()) {
    for (let rule = range[0]; rule < range[1]; rule++) found.push(ruleBlocks(input, rule))
  }
  return found
}

export const BLOCK_BY_RULES: Work<BlockInput, RuleBlocks[]> = { module: import.meta.url, run: blockByRules }

/** Returns the blocks of one tree of rules over all records. The blocks do not depend on the order of the records. */
export function ruleBlocks({ parts, limit, own }: BlockInput, rule: number): RuleBlocks {
  const builder = new BlockBuilder(parts, limit)
  const root = numberedRules()[rule]!
  builder.add(root, undefined, rootPrefix(root.node), own)
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

  /** `own` chooses among the keys of this rule. The keys below an own key that is not giant are own keys too. */
  add(rule: RuleNode, records: Int32Array | undefined, prefixes: Int32Array | number, own?: OwnKeys): void {
    const entries = this.#maker.keysOf(rule.parts, records, prefixes)
    const { keys, values } = radixSort(entries.keys, entries.records)
    const tooLarge = new KeyedRecords()
    const giant = new KeyedRecords()
    for (let start = 0; start < keys.length;) {
      const key = keys[start]!
      let end = start + 1
      while (end < keys.length && keys[end] === key) end++
      const size = end - start
      if (own !== undefined && own.giants.has(keyNumber(rule.node, key)))
        giant.append(keys, values, start, end)
      else if (own !== undefined && unitOfKey(rule.node, key, own.units) !== own.unit) {
        // Another unit of the run has all records with this key, and makes its block.
      } else if (size > 1 && size <= this.#limit) {
        this.#starts.push(this.#members.length)
        this.#members.append(values.subarray(start, end))
        this.#nodes.push(rule.node)
        this.#keys.push(key)
      } else if (size > this.#limit) {
        this.#oversizedNodes.push(rule.node)
        this.#oversizedKeys.push(key)
        if (rule.children.length > 0) tooLarge.append(keys, values, start, end)
        // Rule `any` puts all records into one block, which is used for small data only. Dropping this block is normal on larger data, so it is not reported.
        else if (rule.name !== 'any')
          this.#dropped.push({ node: rule.node, key, size, record: values[start]! })
      }
      start = end
    }
    this.#addChildren(rule, tooLarge)
    this.#addChildren(rule, giant, own)
  }

  #addChildren(rule: RuleNode, { records, keys }: KeyedRecords, own?: OwnKeys): void {
    if (records.length === 0) return
    for (const child of rule.children) {
      const prefixes = keys.view().map((key) => childPrefix(key, child.node))
      this.add(child, records.view(), prefixes, own)
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

/** Records, each with a key of the rule whose blocks are split. */
class KeyedRecords {
  readonly records = new GrowingIntegers()
  readonly keys = new GrowingIntegers()

  append(keys: Int32Array, records: Int32Array, start: number, end: number): void {
    this.keys.append(keys.subarray(start, end))
    this.records.append(records.subarray(start, end))
  }
}

/** Joins the blocks of all trees of rules in shared arrays, and adds the blocks of each record. */
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
