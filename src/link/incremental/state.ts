import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { messageOf } from '../../errors.ts'
import { syncFolder } from '../../sync-files.ts'
import { execute, query } from '../../warehouse/query.ts'
import { PARTS, RULES } from '../block/rules.ts'
import type { OversizedKeys } from '../block/blocking.ts'
import type { Edges } from '../cluster/edges.ts'
import type { Records } from '../records/records.ts'
import { hashText } from '../records/texts.ts'
import { readArrays, writeArrays } from './array-file.ts'

/** The result of one link run, which the next incremental run reads. */
export interface LinkState {
  /** All records of that run, including those marked as removed. The sources are missing: the next run reads them from the warehouse. */
  readonly records: Omit<Records, 'sources'>
  readonly edges: Edges
  /** For each record, the lowest record number in its cluster. */
  readonly smallest: Int32Array
  /** Keys of the blocks that were above the limit. */
  readonly oversized: OversizedKeys
}

/** Raise this number with every change of the stored arrays. A state with another version leads to a full run. */
const STATE_VERSION = 6

const About = z.object({
  version: z.literal(STATE_VERSION),
  rules: z.literal(hashText(JSON.stringify([PARTS, RULES]))),
  width: z.int(),
  attributes: z.array(z.object({ kind: z.string(), isIdentifier: z.boolean() })),
})

/**
 * Writes the state of a run to a new file in `stateFolder`, and writes its name to the table `link.state_file`. Keeps the file of the last run
 * and removes all other files. If the transaction of the run fails, the table still names the file of the last run.
 */
export async function keepState(db: DuckDBConnection, stateFolder: string, state: LinkState): Promise<void> {
  const last = await storedName(db)
  mkdirSync(stateFolder, { recursive: true })
  for (const name of readdirSync(stateFolder)) {
    if (name !== last) rmSync(join(stateFolder, name), { recursive: true })
  }
  const name = `${randomUUID()}.bin`
  const { width, attributes } = state.records
  const about: z.output<typeof About> = {
    version: STATE_VERSION,
    rules: About.shape.rules.value,
    width,
    attributes: attributes.map(({ kind, isIdentifier }) => ({ kind, isIdentifier })),
  }
  writeArrays(join(stateFolder, name), about, arraysOf(state))
  await syncFolder(stateFolder)
  await execute(db, 'create or replace table link.state_file as select $name::varchar as name', { name })
}

/** Returns the state of the last run. When the state cannot be used, returns the reason as a text that names the file. */
export async function lastState(db: DuckDBConnection, stateFolder: string): Promise<LinkState | string> {
  const name = await storedName(db)
  if (name === undefined) return `the warehouse names no state of the last run in ${stateFolder}`
  const file = join(stateFolder, name)
  if (!existsSync(file)) return `${existsSync(stateFolder) ? file : stateFolder} is missing`
  try {
    const { about, arrays } = readArrays(file)
    const known = About.safeParse(about).data
    if (known === undefined) return `${file} was written by another version of Platbook`
    return stateOf(known, arrays as ReturnType<typeof arraysOf>)
  } catch (cause) {
    return messageOf(cause)
  }
}

function arraysOf({ records, edges, smallest, oversized }: LinkState) {
  const { rows, ranks, lists, addresses, emailNames, texts } = records
  const { count: _, ...textArrays } = texts
  return {
    rows,
    ranks,
    lists,
    addresses,
    emailNames,
    ...textArrays,
    left: edges.left,
    right: edges.right,
    bits: edges.bits,
    smallest,
    oversizedNodes: oversized.nodes,
    oversizedKeys: oversized.keys,
  }
}

function stateOf(
  { width, attributes }: z.output<typeof About>,
  arrays: ReturnType<typeof arraysOf>,
): LinkState {
  const {
    rows,
    ranks,
    lists,
    addresses,
    emailNames,
    left,
    right,
    bits,
    smallest,
    oversizedNodes,
    oversizedKeys,
    ...texts
  } = arrays
  return {
    records: {
      count: ranks.length,
      width,
      attributes,
      ranks,
      rows,
      lists,
      addresses,
      emailNames,
      texts: { count: texts.hash.length, ...texts },
    },
    edges: { count: left.length, left, right, bits },
    smallest,
    oversized: { nodes: oversizedNodes, keys: oversizedKeys },
  }
}

async function storedName(db: DuckDBConnection): Promise<string | undefined> {
  const found = await query(
    db,
    `select count(*)::integer as n from duckdb_tables() where schema_name = 'link' and table_name = 'state_file'`,
    z.object({ n: z.int() }),
  )
  if (found[0]!.n === 0) return undefined
  return (await query(db, 'select name from link.state_file', z.object({ name: z.string() })))[0]?.name
}
