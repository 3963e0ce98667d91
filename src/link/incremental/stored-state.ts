import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { messageOf } from '../../errors.ts'
import { syncFile, syncFolder } from '../../sync-files.ts'
import { execute, query } from '../../warehouse/query.ts'
import { ArrayFile } from './array-file.ts'
import type { RuleChanges } from './block-changes.ts'
import { RULE_COUNT, type DroppedBlock } from '../block/blocking.ts'
import { appendColumns, fillTemporary } from '../records/columns.ts'
import type { Components } from '../cluster/components.ts'
import { indexFile } from './key-index.ts'
import { isOfThisVersion, mentionsFile, StateReader } from './state-file.ts'

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

/** Brings `link.oversized_keys` and `link.dropped_blocks` up to what a night changed. */
export async function storeKeys(db: DuckDBConnection, changes: readonly RuleChanges[]): Promise<void> {
  const joined = (of: 'grownNodes' | 'grownKeys' | 'shrunkNodes' | 'shrunkKeys'): Int32Array =>
    Int32Array.from(changes.flatMap((change) => [...change[of]]))
  await deleteKeys(db, 'link.oversized_keys', joined('shrunkNodes'), joined('shrunkKeys'))
  const grown = joined('grownNodes')
  await appendColumns(db, 'link.oversized_keys', [grown, joined('grownKeys')], grown.length)
  const before = changes.flatMap(({ droppedBefore }) => droppedBefore)
  const nodes = Int32Array.from(before, ({ node }) => node)
  const keys = Int32Array.from(before, ({ key }) => key)
  await deleteKeys(db, 'link.dropped_blocks', nodes, keys)
  await storeDropped(
    db,
    changes.flatMap(({ dropped }) => dropped),
  )
}

async function deleteKeys(
  db: DuckDBConnection,
  table: string,
  node: Int32Array,
  key: Int32Array,
): Promise<void> {
  if (node.length === 0) return
  await fillTemporary(db, 'temp.passed_keys', { node, key })
  await execute(
    db,
    `delete from ${table} as t using temp.passed_keys as p where t.node = p.node and t.key = p.key`,
  )
  await execute(db, 'drop table temp.passed_keys')
}

const Runs = z.object({ base: z.string(), since: z.string().nullable() })
type Runs = z.output<typeof Runs>

/** Which runs wrote what the next night goes on from; undefined before the first. */
export async function storedRuns(db: DuckDBConnection): Promise<Runs | undefined> {
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
export function nextFolder(stateFolder: string, runs: Runs | undefined): string {
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

export interface LastState {
  readonly state: StateReader
  readonly runs: Runs
}

/** The state that the last run kept, to be closed; undefined when there is none, or not all of it. */
export async function lastState(db: DuckDBConnection, stateFolder: string): Promise<LastState | undefined> {
  const runs = await storedRuns(db)
  if (runs === undefined) return undefined
  const folders = {
    base: join(stateFolder, runs.base),
    since: runs.since === null ? undefined : join(stateFolder, runs.since),
  }
  const state = StateReader.open(folders, RULE_COUNT)
  return state === undefined ? undefined : { state, runs }
}

/**
 * Returns the fault of the state that the last run kept: missing, cut off, damaged, or of another version. Null when a run can go on
 * from it. Reads every file, so it is called only after a run could not go on.
 */
export async function stateFault(db: DuckDBConnection, stateFolder: string): Promise<string | null> {
  const runs = await storedRuns(db)
  if (runs === undefined) return `the warehouse names no state of the last run in ${stateFolder}`
  if (!existsSync(stateFolder)) return `${stateFolder} is missing`
  for (const run of runs.since === null ? [runs.base] : [runs.base, runs.since]) {
    const folder = join(stateFolder, run)
    for (const file of [mentionsFile(folder), ...rulesOf(folder)]) {
      const opened = ArrayFile.open(file)
      if (opened === undefined)
        return existsSync(file)
          ? `${file} is damaged: its end is not as it was written`
          : `${file} is missing`
      try {
        opened.check()
        if (file === mentionsFile(folder) && !isOfThisVersion(opened.about))
          return `${file} was written by another version of Platbook`
      } catch (cause) {
        return messageOf(cause)
      } finally {
        opened.close()
      }
    }
  }
  return null
}

function rulesOf(folder: string): string[] {
  return Array.from({ length: RULE_COUNT }, (_, rule) => indexFile(folder, rule))
}
