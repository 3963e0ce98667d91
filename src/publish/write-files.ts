import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { EVENTS_FOLDER } from '../events/archive.ts'
import { type Manifest, MANIFEST_FILE, SCHEMA_VERSION } from '../lookup/format/manifest.ts'
import type { OnProgress } from '../progress.ts'
import { syncFile, syncFolder } from '../sync-files.ts'
import { execute, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { filesBelow, foldersBelow, hashFiles } from './manifest.ts'
import { partialFolder } from './pointer.ts'
import { PUBLISHED_TABLES } from './tables.ts'
import { writeEvents } from './write-events.ts'
import { timed, writeIndex } from './write-index.ts'

export interface FilesOptions {
  readonly db: DuckDBConnection
  /**
   * A second connection to the same warehouse. It writes the tables and events while the first one writes the
   * index.
   */
  readonly extraConnection?: DuckDBConnection | undefined
  /** The number of lookup indexes. */
  readonly shards: number
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
}

/**
 * Writes the tables, the events and the lookup index of a snapshot. `check` runs before the tables are
 * written; the index is written at the same time.
 */
export async function writeFiles(
  { db, extraConnection, shards, signal, progress = () => undefined }: FilesOptions,
  folder: string,
  check: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const other = extraConnection ?? db
  await sideBySide(extraConnection !== undefined, signal, [
    async (anySignal) => {
      await check(anySignal)
      await timed(progress, 'tables', () => writeTables(other, join(folder, 'tables'), anySignal))
      await timed(progress, 'events', () => writeEvents(other, join(folder, EVENTS_FOLDER), anySignal))
    },
    async (anySignal) => writeIndex(db, folder, shards, anySignal, progress),
  ])
}

/** Writes the manifest of a snapshot folder, with the schema version of this program. */
export async function writeManifest(
  folder: string,
  manifest: Omit<Manifest, 'schema_version'>,
): Promise<void> {
  const whole: Manifest = { ...manifest, schema_version: SCHEMA_VERSION }
  await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(whole, null, 2)}\n`)
}

/**
 * Runs the tasks at the same time if that is possible, else one after another. An error in one aborts the
 * others, and is thrown when all have ended.
 */
async function sideBySide(
  isPossible: boolean,
  signal: AbortSignal,
  tasks: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  if (!isPossible) {
    for (const task of tasks) await task(signal)
    return
  }
  const failed = new AbortController()
  const anySignal = AbortSignal.any([signal, failed.signal])
  const ends = await Promise.allSettled(
    tasks.map(async (task) => {
      try {
        await task(anySignal)
      } catch (error) {
        failed.abort(error)
        throw error
      }
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Returns the number of rows of every published table, by table name. */
export async function countRows(db: DuckDBConnection): Promise<Record<string, number>> {
  const Count = z.object({ name: z.string(), count: z.number() })
  const counts = Object.keys(PUBLISHED_TABLES).map(
    (name) =>
      `select ${quotedLiteral(name)} as name, count(*)::double as count from published.${quotedIdentifier(name)}`,
  )
  const rows = await query(db, `${counts.join(' union all ')} order by name`, Count)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

async function writeTables(db: DuckDBConnection, folder: string, signal: AbortSignal): Promise<void> {
  await mkdir(folder)
  for (const [name, table] of Object.entries(PUBLISHED_TABLES)) {
    signal.throwIfAborted()
    const columns = Object.keys(table.columns).map(quotedIdentifier).join(', ')
    const file = quotedLiteral(join(folder, `${name}.parquet`))
    const select = `select ${columns} from published.${quotedIdentifier(name)} order by ${table.grain.map(quotedIdentifier).join(', ')}`
    await execute(db, `copy (${select}) to ${file} (format parquet, compression zstd)`)
  }
}

/**
 * Completes a snapshot in the folder `partial`: writes its manifest, syncs its files to disk, and renames the
 * folder to the version.
 */
export async function completeSnapshot(
  { signal, progress = () => undefined }: Pick<FilesOptions, 'signal' | 'progress'>,
  snapshots: string,
  manifest: Omit<Manifest, 'schema_version' | 'files'>,
): Promise<void> {
  const partial = partialFolder(snapshots, manifest.version)
  await timed(progress, 'manifest', async () => {
    await writeManifest(partial, { ...manifest, files: await hashFiles(partial, signal) })
    await syncAll(partial)
  })
  signal.throwIfAborted()
  await timed(progress, 'snapshot', async () => {
    await rename(partial, join(snapshots, manifest.version))
    await syncFolder(snapshots)
  })
}

/**
 * Syncs every file and folder of a snapshot to disk, so that its later rename cannot survive a crash that
 * its contents do not.
 */
async function syncAll(folder: string): Promise<void> {
  const files = await filesBelow(folder)
  for (const path of files) await syncFile(path)
  for (const path of await foldersBelow(folder)) await syncFolder(path)
}
