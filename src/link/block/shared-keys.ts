import { GrowingIntegers } from '../../arrays.ts'
import { type BlockParts } from './block-parts.ts'
import { blockingKeys, childPrefix, rootPrefix } from './blocking-keys.ts'
import { numberedRules, type RuleNode } from './rules.ts'

/** A blocking key that two records share. */
export interface SharedKey {
  readonly rule: RuleNode
  readonly key: number
  /** The shared key of the parent rule, whose block this key splits when the block is above the limit. */
  readonly parent: SharedKey | undefined
}

/** Returns the blocking keys that records i and j share, under all rules and in the order of the rules. */
export function sharedKeys(parts: BlockParts, i: number, j: number): SharedKey[] {
  const shared: SharedKey[] = []
  const visit = (rule: RuleNode, prefix: number, parent: SharedKey | undefined): void => {
    const keysOf = (record: number): Set<number> => {
      const keys = new GrowingIntegers(16)
      blockingKeys(parts, record, rule.parts, prefix, keys)
      return new Set(keys.view())
    }
    const others = keysOf(j)
    for (const key of keysOf(i)) {
      if (!others.has(key)) continue
      const own = { rule, key, parent }
      shared.push(own)
      for (const child of rule.children) visit(child, childPrefix(key, child.node), own)
    }
  }
  for (const rule of numberedRules()) visit(rule, rootPrefix(rule.node), undefined)
  return shared
}
