import { GrowingIntegers } from '../../arrays.ts'
import { mixInto } from '../records/texts.ts'
import type { BlockParts } from './block-parts.ts'
import { blockingKeys, childPrefix, rootPrefix } from './blocking-keys.ts'
import { numberedRules, type RuleNode } from './rules.ts'

/**
 * The division of blocking keys among units. Each key belongs to one unit, and the unit has all records with the key. So
 * a unit makes the same blocks of its keys as a run over all records does.
 */
export interface KeyUnits {
  readonly units: number
  /**
   * Keys that have too many records for one unit. Their records are divided by the keys of the child rules. Every giant
   * key must have more records than the block limit: a run over all records splits it too.
   */
  readonly giants: GiantKeys
}

/** A set of blocking keys, as `keyNumber` returns them. */
export type GiantKeys = ReadonlySet<number>

/** Returns one number for a blocking key and the number of its rule. */
export function keyNumber(node: number, key: number): number {
  return node * 2 ** 32 + (key >>> 0)
}

/** Returns the unit of a blocking key. */
export function unitOfKey(node: number, key: number, units: number): number {
  return (mixInto(key, ~node) >>> 0) % units
}

const RULES = numberedRules()
/** The keys of the record that `walkKeys` visits; one array for all records saves its allocation. */
const KEYS = new GrowingIntegers()

/** Calls `visit` for each key of a record that is not giant, and `visitGiant` for each giant key. */
function walkKeys(
  parts: BlockParts,
  record: number,
  giants: GiantKeys,
  visit: (node: number, key: number) => void,
  visitGiant: (node: number, key: number) => void = () => undefined,
): void {
  const walk = (rule: RuleNode, prefix: number): void => {
    const first = KEYS.length
    blockingKeys(parts, record, rule.parts, prefix, KEYS)
    const end = KEYS.length
    for (let k = first; k < end; k++) {
      const key = KEYS.get(k)
      if (!giants.has(keyNumber(rule.node, key))) visit(rule.node, key)
      else {
        visitGiant(rule.node, key)
        for (const child of rule.children) walk(child, childPrefix(key, child.node))
      }
    }
    KEYS.length = first
  }
  for (const rule of RULES) walk(rule, rootPrefix(rule.node))
}

/** Returns the units that need a record: the units of its blocking keys, ascending. */
export function unitsOf(parts: BlockParts, record: number, { units, giants }: KeyUnits): number[] {
  const found = new Set<number>()
  walkKeys(parts, record, giants, (node, key) => found.add(unitOfKey(node, key, units)))
  return [...found].sort((a, b) => a - b)
}

/**
 * Finds the keys that more than `most` of the records of `parts` have. Keys of child rules are counted below a giant key
 * only. `all`: the key of the rule `any`, which all records have, is giant too.
 */
export function findGiants(parts: BlockParts, { most, all }: { most: number; all: boolean }): GiantKeys {
  const giants = new Set<number>(all ? [ANY_KEY] : [])
  for (;;) {
    const counts = new Map<number, number>()
    const count = (node: number, key: number): void => {
      const number = keyNumber(node, key)
      counts.set(number, (counts.get(number) ?? 0) + 1)
    }
    for (let i = 0; i < parts.count; i++) walkKeys(parts, i, giants, count)
    const before = giants.size
    for (const [number, records] of counts) if (records > most && isSplit(number)) giants.add(number)
    if (giants.size === before) return giants
  }
}

/** Counts the records of `parts` that have each of the giant keys. */
export function countGiants(parts: BlockParts, giants: GiantKeys): Map<number, number> {
  const counts = new Map([...giants].map((number) => [number, 0]))
  for (let i = 0; i < parts.count; i++) {
    walkKeys(
      parts,
      i,
      giants,
      () => undefined,
      (node, key) => counts.set(keyNumber(node, key), counts.get(keyNumber(node, key))! + 1),
    )
  }
  return counts
}

// Each record has this key. The block limit decides whether it is a block, not the size of a unit.
const ANY = RULES.find(({ name }) => name === 'any')!
const ANY_KEY = keyNumber(ANY.node, mixInto(rootPrefix(ANY.node), 1))

const NODES = new Map(RULES.flatMap(withChildren).map((rule) => [rule.node, rule]))

function withChildren(rule: RuleNode): RuleNode[] {
  return [rule, ...rule.children.flatMap(withChildren)]
}

// A key without child rules stays with its unit, which reports its block as dropped.
function isSplit(number: number): boolean {
  return NODES.get(Math.floor(number / 2 ** 32))!.children.length > 0
}
