import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'
import { appendColumns } from '../../warehouse/column-vectors.ts'
import type { Components } from './components.ts'
import type { Edges } from './edges.ts'

/**
 * Replaces `link.pair_edges` and `link.groups`. A row of `link.groups` has the component and the cluster of a record
 * that has an edge. Components and clusters are named by their smallest record number.
 */
export async function storeLinkage(
  db: DuckDBConnection,
  { left, right, bits, count }: Edges,
  { members, starts, count: components }: Components,
  smallest: Int32Array,
): Promise<void> {
  await execute(
    db,
    'create or replace table link.pair_edges (left_number integer, right_number integer, bits double)',
  )
  await appendColumns(db, 'link.pair_edges', [left, right, bits], count)
  await execute(
    db,
    'create or replace table link.groups (record_number integer, component integer, cluster integer)',
  )
  const component = new Int32Array(members.length)
  for (let c = 0; c < components; c++) component.fill(members[starts[c]!]!, starts[c], starts[c + 1])
  const cluster = members.map((member) => smallest[member]!)
  await appendColumns(db, 'link.groups', [members, component, cluster], members.length)
}
