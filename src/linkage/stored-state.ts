import { randomUUID } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'
import type { DroppedBlock } from './blocking.ts'
import { appendColumns } from './columns.ts'
import { componentsOf } from './components.ts'
import { LEAST_BITS } from './link-mentions.ts'
import { loadSources } from './load-mentions.ts'
import type { Edges } from './score.ts'
import { type LinkState, readState, writeState } from './state-file.ts'

/** Writes component and cluster of every record that has an edge to `link.groups`, each named by one of its record numbers. */
export async function storeGroups(
  db: DuckDBConnection,
  count: number,
  edges: Edges,
  smallest: Int32Array,
): Promise<void> {
  const { members, starts, count: components } = componentsOf(count, edges, LEAST_BITS)
  const component = new Int32Array(members.length)
  for (let c = 0; c < components; c++) component.fill(members[starts[c]!]!, starts[c], starts[c + 1])
  const cluster = new Int32Array(members.length)
  for (let k = 0; k < members.length; k++) cluster[k] = smallest[members[k]!]!
  await execute(
    db,
    'create or replace table link.groups (record_number integer, component integer, cluster integer)',
  )
  await appendColumns(db, 'link.groups', [members, component, cluster], members.length)
}

/** Adds to `link.dropped_blocks`. */
export async function storeDropped(db: DuckDBConnection, dropped: readonly DroppedBlock[]): Promise<void> {
  const columns = (['node', 'key', 'size', 'mention'] as const).map((name) =>
    Int32Array.from(dropped, (block) => block[name]),
  )
  await appendColumns(db, 'link.dropped_blocks', columns, dropped.length)
}

/**
 * Keeps the state for the next night. The file is there before the transaction ends: where that fails, the two name different
 * runs, and the next night links everything.
 */
export async function keepState(db: DuckDBConnection, file: string, state: LinkState): Promise<void> {
  const token = randomUUID()
  writeState(file, token, state)
  await execute(db, 'create or replace table link.state_file as select $token::varchar as token', { token })
}

/** The state that the last run kept; undefined when there is none. */
export async function lastState(db: DuckDBConnection, file: string): Promise<LinkState | undefined> {
  const found = await query(
    db,
    `select count(*)::integer as n from duckdb_tables() where schema_name = 'link' and table_name = 'state_file'`,
    z.object({ n: z.int() }),
  )
  if (found[0]!.n === 0) return undefined
  const [run] = await query(db, 'select token from link.state_file', z.object({ token: z.string() }))
  return run === undefined ? undefined : readState(file, run.token, await loadSources(db))
}
