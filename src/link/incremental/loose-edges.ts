import type { DuckDBConnection } from '@duckdb/node-api'
import type { RuleChanges } from './block-changes.ts'
import { numberedRules, type RuleNode } from '../block/block-keys.ts'
import { blockParts } from '../block/block-parts.ts'
import { readIntegers } from '../records/columns.ts'
import { GrowingIntegers } from '../records/growing.ts'
import type { Mentions } from '../records/mentions.ts'
import { numberedAmong, recordsAmong } from './night-edges.ts'
import { edgesAmong } from './open-components.ts'
import { chosenEdges, type Edges } from '../cluster/edges.ts'
import { NodeKeys, SharedBlocks } from '../block/shared-blocks.ts'

export type Pair = readonly [number, number]

/** Edges between members of blocks that are above the limit now, and who share no other block. */
export async function looseEdges(
  db: DuckDBConnection,
  mentions: Mentions,
  changes: readonly RuleChanges[],
): Promise<readonly Pair[]> {
  const blocks = changes.flatMap((rule) => rule.loosened)
  if (blocks.length === 0) return []
  const members = recordsAmong(mentions.count, blocks)
  const edges = await edgesAmong(db, members)
  const asked = edgesWithin(mentions.count, blocks, edges)
  if (asked.length === 0) return []
  const loose = apart(mentions, edges, asked, await oversizedKeys(db, changes))
  return Array.from(loose, (k) => [edges.left[k]!, edges.right[k]!])
}

// Edges come by their left record.
function edgesWithin(count: number, blocks: readonly Int32Array[], edges: Edges): Int32Array {
  const firstOf = new Int32Array(count)
  for (let k = edges.count - 1; k >= 0; k--) firstOf[edges.left[k]!] = k + 1
  const blockOf = new Int32Array(count)
  const isAsked = new Uint8Array(edges.count)
  blocks.forEach((members, block) => {
    for (let m = 0; m < members.length; m++) blockOf[members[m]!] = block + 1
    for (let m = 0; m < members.length; m++) {
      const left = members[m]!
      for (let k = firstOf[left]! - 1; k >= 0 && edges.left[k] === left; k++)
        if (blockOf[edges.right[k]!] === block + 1) isAsked[k] = 1
    }
  })
  const asked = new GrowingIntegers()
  for (let k = 0; k < edges.count; k++) if (isAsked[k] === 1) asked.push(k)
  return asked.view()
}

// Most who were found together have one house: of the others alone all parts are read. A house above the limit says nothing yet: its
// children ask for names.
function apart(mentions: Mentions, edges: Edges, asked: Int32Array, oversized: NodeKeys): Int32Array {
  const rules = numberedRules()
  const houses = rules
    .filter(({ name }) => name === 'house_zip' || name === 'house_street')
    .map((rule) => ({ ...rule, children: [] }))
  const others = stillApart(mentions, edges, asked, oversized, { kinds: 'places', rules: houses })
  // Large trees last: most pairs are found together by one of few rules.
  const bySize = rules.toSorted((one, other) => rulesIn(one) - rulesIn(other))
  return stillApart(mentions, edges, others, oversized, { kinds: 'all', rules: bySize })
}

/** Those of some edges whose records share no block of some trees of rules, looked at one after the other. */
function stillApart(
  mentions: Mentions,
  edges: Edges,
  asked: Int32Array,
  oversized: NodeKeys,
  { kinds, rules }: { kinds: 'all' | 'places'; rules: readonly RuleNode[] },
): Int32Array {
  const chosen = chosenEdges(edges, asked)
  const members = recordsAmong(mentions.count, [chosen.left, chosen.right])
  const { left, right } = numberedAmong(members, mentions.count, chosen)
  const parts = blockParts(mentions, members, kinds)
  const isOversized = (node: number, key: number): boolean => oversized.has(node, key)
  let open = Int32Array.from(asked.keys())
  for (const rule of rules) {
    const rows = recordsAmong(members.length, [open.map((k) => left[k]!), open.map((k) => right[k]!)])
    const blocks = new SharedBlocks(parts, isOversized, rows, [rule])
    open = open.filter((k) => !blocks.areTogether(left[k]!, right[k]!))
  }
  return open.map((k) => asked[k]!)
}

function rulesIn({ children }: RuleNode): number {
  return children.reduce((total, child) => total + rulesIn(child), 1)
}

// Those of last night that are no longer above the limit are left out, so that nothing has to be taken from the table.
async function oversizedKeys(db: DuckDBConnection, changes: readonly RuleChanges[]): Promise<NodeKeys> {
  const oversized = new NodeKeys()
  const shrunk = new NodeKeys()
  for (const { grownNodes, grownKeys, shrunkNodes, shrunkKeys } of changes) {
    grownNodes.forEach((node, k) => oversized.add(node, grownKeys[k]!))
    shrunkNodes.forEach((node, k) => shrunk.add(node, shrunkKeys[k]!))
  }
  await readIntegers(db, 'select node, key from link.oversized_keys', ([nodes, keys], rows) => {
    for (let k = 0; k < rows; k++) {
      if (!shrunk.has(nodes![k]!, keys![k]!)) oversized.add(nodes![k]!, keys![k]!)
    }
  })
  return oversized
}
