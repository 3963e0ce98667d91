import { expect, test } from 'vitest'
import { findComponents } from '../../../src/cluster/link/components.ts'
import { componentsOf } from '../../../src/link/cluster/components.ts'
import { rowsOf, withWarehouse } from '../../support/warehouse.ts'
import { withLocalEngine } from '../support.ts'

const RECORDS = 200

/** Edges of one graph: random ones with a seed, a chain, or a star. */
const GRAPHS: Record<string, readonly (readonly [number, number])[]> = {
  'few random edges': randomEdges(1, 60),
  'many random edges': randomEdges(2, 190),
  'a chain': Array.from({ length: RECORDS - 1 }, (_, i) => [i, i + 1] as const),
  'a chain whose numbers jump': Array.from(
    { length: 99 },
    (_, i) => [(i * 37) % 101, ((i + 1) * 37) % 101] as const,
  ),
  'a star': Array.from({ length: RECORDS - 1 }, (_, i) => [i, RECORDS - 1] as const),
}

test.each(Object.entries(GRAPHS))(
  'rounds in SQL find the components of a union-find: %s',
  async (_name, edges) => {
    const sorted = edges.map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    const { starts, members, count } = componentsOf(
      RECORDS,
      {
        count: sorted.length,
        left: Int32Array.from(sorted, ([a]) => a),
        right: Int32Array.from(sorted, ([, b]) => b),
        bits: new Float64Array(sorted.length),
      },
      0,
    )
    const expected: { record: number; component: number }[] = []
    for (let c = 0; c < count; c++)
      for (const record of members.subarray(starts[c], starts[c + 1]))
        expected.push({ record, component: members[starts[c]!]! })
    await withLocalEngine(async (engine, folder) =>
      withWarehouse(async (db) => {
        const rows = sorted.map(([a, b]) => `(${a}::bigint, ${b}::bigint, 1.0::double)`).join(', ')
        await folder.writeTable(
          db,
          `select * from (values ${rows}) as e(left_record, right_record, match_weight)`,
          'edges',
        )
        await findComponents(engine, 'edges', 'components')
        const [file] = await folder.files('components')
        const found = await rowsOf(
          db,
          `select record::integer as record, component::integer as component from '${file}' order by record`,
        )
        expect(found).toEqual(expected.sort((a, b) => a.record - b.record))
      }),
    )
  },
)

function randomEdges(seed: number, count: number): [number, number][] {
  let state = seed * 7919
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % RECORDS
  }
  return Array.from({ length: count }, () => [next(), next()] as [number, number]).filter(([a, b]) => a !== b)
}
