import { numberedRules, type RuleNode } from './block-keys.ts'
import { type BlockParts, childPrefix, KeyMaker, rootPrefix } from './block-parts.ts'

/** A key with its rule's number, as one number. */
export function keyNumber(node: number, key: number): number {
  return node * 4_294_967_296 + (key >>> 0)
}

/** Tells under which rules two records are compared, by which keys are above the limit. */
export class SharedBlocks {
  readonly #maker: KeyMaker
  readonly #oversized: { has: (key: number) => boolean }
  readonly #rules = numberedRules()

  constructor(parts: BlockParts, oversized: { has: (key: number) => boolean }) {
    this.#maker = new KeyMaker(parts)
    this.#oversized = oversized
  }

  areTogether(i: number, j: number): boolean {
    return this.#rules.some((rule) => this.#isUnder(rule, i, j, rootPrefix(rule.node)))
  }

  #isUnder(rule: RuleNode, i: number, j: number, prefix: number): boolean {
    const split = this.sharedKeys(rule, i, j, prefix)
    if (split.some((key) => !this.#oversized.has(keyNumber(rule.node, key)))) return true
    return split.some((key) =>
      rule.children.some((child) => this.#isUnder(child, i, j, childPrefix(key, child.node))),
    )
  }

  /** Keys of a rule below a prefix that both records have. */
  sharedKeys(rule: RuleNode, i: number, j: number, prefix: number): number[] {
    const ofOne = Array.from(this.#maker.keysOf(rule.parts, Int32Array.of(i), prefix).keys)
    if (ofOne.length === 0) return []
    return Array.from(this.#maker.keysOf(rule.parts, Int32Array.of(j), prefix).keys).filter((key) =>
      ofOne.includes(key),
    )
  }
}
