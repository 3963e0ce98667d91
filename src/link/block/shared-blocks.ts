import { numberedRules, type RuleNode } from './rules.ts'
import { type BlockParts } from './block-parts.ts'
import { childPrefix, KeyMaker, rootPrefix } from './blocking-keys.ts'
import { GrowingIntegers } from '../../arrays.ts'

/**
 * Calls `take` with every blocking key of the `chosen` records (by default all records), one rule after the other. Where `take` returns true,
 * the keys of that record under the child rules follow.
 */
export function walkKeys(
  parts: BlockParts,
  take: (node: number, key: number, row: number) => boolean,
  chosen?: Int32Array,
  rules: readonly RuleNode[] = numberedRules(),
): void {
  const maker = new KeyMaker(parts)
  const visit = (rule: RuleNode, rows: Int32Array | undefined, prefixes: Int32Array | number): void => {
    const { keys, records } = maker.keysOf(rule.parts, rows, prefixes)
    const below = { rows: new GrowingIntegers(16), keys: new GrowingIntegers(16) }
    for (let k = 0; k < keys.length; k++) {
      if (!take(rule.node, keys[k]!, records[k]!)) continue
      below.rows.push(records[k]!)
      below.keys.push(keys[k]!)
    }
    if (below.rows.length === 0) return
    for (const child of rule.children) {
      const childPrefixes = below.keys.view().map((key) => childPrefix(key, child.node))
      visit(child, below.rows.view(), childPrefixes)
    }
  }
  for (const rule of rules) visit(rule, chosen, rootPrefix(rule.node))
}

/** Finds the blocks that two of the `chosen` records share (by default of all records). `isOversized` returns true for a block that is split. */
export class SharedBlocks {
  /** The blocks of record r are entries `#starts[r]` to `#starts[r + 1]` of `#nodes` (rule numbers) and `#keys`. */
  readonly #starts: Int32Array
  readonly #nodes: Int32Array
  readonly #keys: Int32Array

  constructor(
    parts: BlockParts,
    isOversized: (node: number, key: number) => boolean,
    chosen?: Int32Array,
    rules?: readonly RuleNode[],
  ) {
    const [rows, nodes, keys] = [new GrowingIntegers(), new GrowingIntegers(), new GrowingIntegers()]
    const take = (node: number, key: number, row: number): boolean => {
      if (isOversized(node, key)) return true
      rows.push(row)
      nodes.push(node)
      keys.push(key)
      return false
    }
    walkKeys(parts, take, chosen, rules)
    this.#starts = new Int32Array(parts.count + 1)
    for (const row of rows.view()) this.#starts[row + 1]!++
    for (let row = 0; row < parts.count; row++) this.#starts[row + 1]! += this.#starts[row]!
    this.#nodes = new Int32Array(rows.length)
    this.#keys = new Int32Array(rows.length)
    const filled = this.#starts.slice()
    for (let k = 0; k < rows.length; k++) {
      const at = filled[rows.get(k)]!++
      this.#nodes[at] = nodes.get(k)
      this.#keys[at] = keys.get(k)
    }
  }

  /** Returns whether two records share a block. */
  areTogether(i: number, j: number): boolean {
    for (let a = this.#starts[i]!; a < this.#starts[i + 1]!; a++) if (this.#has(j, a)) return true
    return false
  }

  /** Returns the numbers of the rules under which two records share a block, ascending. */
  rulesOf(i: number, j: number): number[] {
    const found = new Set<number>()
    for (let a = this.#starts[i]!; a < this.#starts[i + 1]!; a++)
      if (this.#has(j, a)) found.add(this.#nodes[a]!)
    return [...found].sort((a, b) => a - b)
  }

  #has(row: number, entry: number): boolean {
    const key = this.#keys[entry]!
    for (let b = this.#starts[row]!; b < this.#starts[row + 1]!; b++)
      if (this.#keys[b] === key && this.#nodes[b] === this.#nodes[entry]) return true
    return false
  }
}

/** A set of blocking keys, each with the number of its rule. */
export class NodeKeys {
  readonly #keys = new Map<number, Set<number>>()

  add(node: number, key: number): void {
    const keys = this.#keys.get(node) ?? new Set()
    this.#keys.set(node, keys.add(key))
  }

  has(node: number, key: number): boolean {
    return this.#keys.get(node)?.has(key) ?? false
  }
}
