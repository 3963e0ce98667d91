import { numberedRules, type RuleNode } from './block-keys.ts'
import { type BlockParts, childPrefix, KeyMaker, rootPrefix } from './block-parts.ts'
import { GrowingIntegers } from './growing.ts'
import { mixInto } from './texts.ts'

/** Tells of the keys of some records, a rule at a time; below a key only where `take` says so. */
export function walkKeys(parts: BlockParts, take: (node: number, key: number, row: number) => boolean): void {
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
  for (const rule of numberedRules()) visit(rule, undefined, rootPrefix(rule.node))
}

/** Tells of some records which blocks they share. */
export class SharedBlocks {
  /** Per record the rules and keys of its blocks. */
  readonly #nodes: GrowingIntegers[]
  readonly #keys: GrowingIntegers[]

  constructor(parts: BlockParts, isOversized: (node: number, key: number) => boolean) {
    this.#nodes = Array.from({ length: parts.count }, () => new GrowingIntegers(16))
    this.#keys = Array.from({ length: parts.count }, () => new GrowingIntegers(16))
    walkKeys(parts, (node, key, row) => {
      if (isOversized(node, key)) return true
      this.#nodes[row]!.push(node)
      this.#keys[row]!.push(key)
      return false
    })
  }

  areTogether(i: number, j: number): boolean {
    return this.rulesOf(i, j).length > 0
  }

  /** Numbers of the rules under which two of the records are compared, ascending. */
  rulesOf(i: number, j: number): number[] {
    const [nodesA, keysA] = [this.#nodes[i]!.view(), this.#keys[i]!.view()]
    const [nodesB, keysB] = [this.#nodes[j]!.view(), this.#keys[j]!.view()]
    const found = new Set<number>()
    for (let a = 0; a < nodesA.length; a++) {
      for (let b = 0; b < nodesB.length; b++) {
        if (keysA[a] === keysB[b] && nodesA[a] === nodesB[b]) found.add(nodesA[a]!)
      }
    }
    return [...found].sort((a, b) => a - b)
  }
}

/** Keys, each with the number of its rule. */
export class NodeKeys {
  #nodes = new Int32Array(1 << 12)
  #keys = new Int32Array(1 << 12)
  #size = 0

  add(node: number, key: number): void {
    const slot = this.#slotOf(node, key)
    if (this.#nodes[slot] === 0) this.#size++
    // 0 is a free slot.
    this.#nodes[slot] = node + 1
    this.#keys[slot] = key
    if (this.#size * 2 > this.#nodes.length) this.#grow()
  }

  has(node: number, key: number): boolean {
    return this.#nodes[this.#slotOf(node, key)] !== 0
  }

  #slotOf(node: number, key: number): number {
    const mask = this.#nodes.length - 1
    let slot = mixInto(key, node) & mask
    while (this.#nodes[slot] !== 0 && (this.#nodes[slot] !== node + 1 || this.#keys[slot] !== key))
      slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [nodes, keys] = [this.#nodes, this.#keys]
    this.#nodes = new Int32Array(nodes.length * 2)
    this.#keys = new Int32Array(keys.length * 2)
    this.#size = 0
    nodes.forEach((node, slot) => {
      if (node !== 0) this.add(node - 1, keys[slot]!)
    })
  }
}
