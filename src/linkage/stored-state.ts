import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { syncFile, syncFolder } from '../sync-files.ts'
import { execute, query } from '../warehouse/query.ts'
import { RULE_COUNT, type DroppedBlock } from './blocking.ts'
import { appendColumns } from './columns.ts'
import type { Components } from './components.ts'
import { StateReader } from './state-file.ts'

/** Adds to `link.groups` component and cluster of every record of some components, each named by one of its record numbers. */
export async function storeGroups(
  db: DuckDBConnection,
  { members, starts, count }: Components,
  smallest: Int32Array,
): Promise<void> {
  const component = new Int32Array(members.length)
  for (let c = 0; c < count; c++) component.fill(members[starts[c]!]!, starts[c], starts[c + 1])
  const cluster = new Int32Array(members.length)
  for (let k = 0; k < members.length; k++) cluster[k] = smallest[members[k]!]!
  await appendColumns(db, 'link.groups', [members, component, cluster], members.length)
}

/** Adds to `link.dropped_blocks`. */
export async function storeDropped(db: DuckDBConnection, dropped: readonly DroppedBlock[]): Promise<void> {
  const columns = (['node', 'key', 'size', 'mention'] as const).map((name) =>
    Int32Array.from(dropped, (block) => block[name]),
  )
  await appendColumns(db, 'link.dropped_blocks', columns, dropped.length)
}

const Runs = z.object({ base: z.string(), since: z.string().nullable() })

/** Which runs wrote what the next night goes on from; undefined before the first. */
async function storedRuns(db: DuckDBConnection): Promise<z.output<typeof Runs> | undefined> {
  const found = await query(
    db,
    `select count(*)::integer as n from duckdb_tables() where schema_name = 'link' and table_name = 'state_runs'`,
    z.object({ n: z.int() }),
  )
  if (found[0]!.n === 0) return undefined
  return (await query(db, 'select base, since from link.state_runs', Runs))[0]
}

/**
 * A folder for what a run leaves. The tables name it when the run ends: where that fails, they go on naming the one before, which is
 * still there. What neither needs is removed.
 */
export async function nextFolder(db: DuckDBConnection, stateFolder: string): Promise<string> {
  const runs = await storedRuns(db)
  mkdirSync(stateFolder, { recursive: true })
  for (const name of readdirSync(stateFolder)) {
    if (name !== runs?.base && name !== runs?.since) rmSync(join(stateFolder, name), { recursive: true })
  }
  const run = randomUUID()
  mkdirSync(join(stateFolder, run))
  return run
}

/** Names the folders from which the next night goes on; the last of them is on the disk before the tables name it. */
export async function keepRuns(
  db: DuckDBConnection,
  stateFolder: string,
  base: string,
  since: string | null,
): Promise<void> {
  const written = join(stateFolder, since ?? base)
  // Side by side: of a night's files one by one takes four times as long.
  await Promise.all(readdirSync(written).map(async (name) => syncFile(join(written, name))))
  await Promise.all([written, stateFolder].map(syncFolder))
  await execute(
    db,
    'create or replace table link.state_runs as select $base::varchar as base, $since::varchar as since',
    { base, since },
  )
}

/** The state that the last run kept, to be closed; undefined when there is none, or not all of it. */
export async function lastState(
  db: DuckDBConnection,
  stateFolder: string,
): Promise<{ state: StateReader; base: string } | undefined> {
  const runs = await storedRuns(db)
  if (runs === undefined) return undefined
  const folders = {
    base: join(stateFolder, runs.base),
    since: runs.since === null ? undefined : join(stateFolder, runs.since),
  }
  const state = StateReader.open(folders, RULE_COUNT)
  return state === undefined ? undefined : { state, base: runs.base }
}
