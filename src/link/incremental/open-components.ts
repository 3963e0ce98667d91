import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'
import { appendColumns, fillTemporary, readNumbers } from '../records/columns.ts'
import { GrowingFloats, GrowingIntegers } from '../records/growing.ts'
import type { Edges } from '../cluster/edges.ts'

/**
 * Finds the components of some records in the stored linkage: their members are left in `temp.open_members`, their edges come back
 * by left and then right record.
 */
export async function openComponents(db: DuckDBConnection, records: Int32Array): Promise<Edges> {
  await fillTemporary(db, 'temp.touched', { record_number: records })
  await execute(
    db,
    `create or replace temp table open_members as
    select record_number from link.groups where component in (
      select component from link.groups semi join temp.touched using (record_number)
    )`,
  )
  await execute(db, 'drop table temp.touched')
  return readEdges(db, 'left_number in (select record_number from temp.open_members)')
}

/** Edges between some records. */
export async function edgesAmong(db: DuckDBConnection, records: Int32Array): Promise<Edges> {
  await fillTemporary(db, 'temp.ends', { record_number: records })
  const isEnd = 'in (select record_number from temp.ends)'
  const edges = await readEdges(db, `left_number ${isEnd} and right_number ${isEnd}`)
  await execute(db, 'drop table temp.ends')
  return edges
}

async function readEdges(db: DuckDBConnection, condition: string): Promise<Edges> {
  const [left, right, bits] = [new GrowingIntegers(), new GrowingIntegers(), new GrowingFloats()]
  await readNumbers(
    db,
    `select left_number, right_number, bits from link.pair_edges where ${condition}
    order by left_number, right_number`,
    (columns, rows) => {
      for (let k = 0; k < rows; k++) {
        left.push(columns[0]![k]!)
        right.push(columns[1]![k]!)
        bits.push(columns[2]![k]!)
      }
    },
  )
  return { count: left.length, left: left.view(), right: right.view(), bits: bits.view() }
}

/** Takes the components that were opened out of `link.groups`, for what becomes of them to be put there. */
export async function removeComponents(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    'delete from link.groups where record_number in (select record_number from temp.open_members)',
  )
  await execute(db, 'drop table temp.open_members')
}

/** Takes edges out of `link.pair_edges` and puts others in. */
export async function storeEdges(db: DuckDBConnection, gone: Edges, found: Edges): Promise<void> {
  if (gone.count > 0) {
    await fillTemporary(db, 'temp.gone_edges', { left_number: gone.left, right_number: gone.right })
    await execute(
      db,
      `delete from link.pair_edges as e using temp.gone_edges as g
      where e.left_number = g.left_number and e.right_number = g.right_number`,
    )
    await execute(db, 'drop table temp.gone_edges')
  }
  await appendColumns(db, 'link.pair_edges', [found.left, found.right, found.bits], found.count)
}
