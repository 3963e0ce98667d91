import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { EVENTS_FOLDER } from '../events/archive.ts'
import { currentSnapshot } from '../lookup/current.ts'
import { DOCUMENTS_FOLDER } from '../lookup/document-file.ts'
import { type Manifest, MANIFEST_FILE, SCHEMA_VERSION } from '../lookup/manifest.ts'
import type { OnProgress } from '../progress.ts'
import { syncFile, syncFolder } from '../sync-files.ts'
import { loadChecks } from '../warehouse/models.ts'
import { execute, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import { checkTables } from './check-tables.ts'
import { diskFull, isDiskFull, neededBytes } from './disk-full.ts'
import { filesBelow, hashFiles } from './manifest.ts'
import { movePointer, partialFolder, pruneSnapshots, removeLeftovers } from './pointer.ts'
import { PUBLISHED_TABLES } from './tables.ts'
import { writeEvents } from './write-events.ts'
import { writeIndex } from './write-index.ts'

export interface PublishOptions {
  readonly db: DuckDBConnection
  /** The folder of all snapshots. */
  readonly snapshots: string
  readonly now: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** How many snapshots are kept, the new one among them. */
  readonly keep: number
  /** What the tables were made of, for the manifest. */
  readonly sources: Manifest['sources']
  /** A folder whose `checks/` holds the checks instead of Platbook's own SQL; null for none. */
  readonly checks?: string | null | undefined
  readonly progress?: OnProgress | undefined
  /** A further connection to the same warehouse: it checks and writes the tables while the index is written. */
  readonly beside?: DuckDBConnection | undefined
}

export interface Published {
  readonly version: string
  readonly rows: Record<string, number>
}

/**
 * Makes a snapshot of `published.*` and points `current` at it, or throws and leaves everything as it was:
 * `check_failed` when a check finds rows, `disk_full` when there is no room. Killed anywhere, the old snapshot keeps
 * serving and the next run clears up. One publication at a time (the warehouse has one owner).
 */
export async function publish(options: PublishOptions): Promise<Published> {
  const { db, snapshots, signal, log } = options
  const progress = options.progress ?? (() => undefined)
  const started = performance.now()
  await mkdir(snapshots, { recursive: true })
  await removeLeftovers(snapshots)

  const rows = await countRows(db)
  const madeAt = options.now()
  const version = versionOf(madeAt, rows)
  const partial = partialFolder(snapshots, version)
  const previous = await currentSnapshot(snapshots).catch(() => null)
  try {
    await mkdir(partial)
    await sideBySide(options.beside !== undefined, signal, [
      async (either) => {
        const { beside = db, checks } = options
        if (checks !== null) {
          await timed(progress, 'checks', async () => checkTables(beside, await loadChecks(checks), either))
        }
        await timed(progress, 'tables', () => writeTables(beside, join(partial, 'tables'), either))
        await timed(progress, 'events', () => writeEvents(beside, join(partial, EVENTS_FOLDER), either))
      },
      async (either) => writeIndex(db, join(partial, 'lookup'), either, progress),
    ])
    await timed(progress, 'manifest', async () => {
      const files = await hashFiles(partial, signal)
      const manifest: Manifest = {
        version,
        made_at: madeAt.toISOString(),
        schema_version: SCHEMA_VERSION,
        rows,
        files,
        sources: options.sources,
      }
      await writeFile(join(partial, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`)
      await syncAll(partial)
    })
    signal.throwIfAborted()
    await timed(progress, 'snapshot', async () => {
      await rename(partial, join(snapshots, version))
      await syncFolder(snapshots)
    })
    await timed(progress, 'pointer', () => movePointer(snapshots, version))
  } catch (error) {
    const needed = await neededBytes(rows, previous?.folder ?? null)
    const isFull = await isDiskFull(error, snapshots)
    await rm(partial, { recursive: true, force: true })
    throw isFull ? await diskFull(error, snapshots, needed) : error
  }
  const removed = await pruneSnapshots(snapshots, options.keep, version)
  const seconds = Math.round((performance.now() - started) / 100) / 10
  log.info({ version, rows, removed_snapshot_count: removed.length, seconds }, 'snapshot published')
  return { version, rows }
}

/** Does both; an error in one stops the other, and when it is thrown both have ended. */
async function sideBySide(
  isPossible: boolean,
  signal: AbortSignal,
  works: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  if (!isPossible) {
    for (const work of works) await work(signal)
    return
  }
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const ends = await Promise.allSettled(
    works.map(async (work) => {
      try {
        await work(either)
      } catch (error) {
        failed.abort(error)
        throw error
      }
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

async function timed<T>(progress: OnProgress, detail: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work()
  progress({ step: 'publish', detail, rows: 0, seconds: (performance.now() - started) / 1000 })
  return result
}

async function countRows(db: DuckDBConnection): Promise<Record<string, number>> {
  const Count = z.object({ name: z.string(), count: z.number() })
  const counts = Object.keys(PUBLISHED_TABLES).map(
    (name) =>
      `select ${quotedLiteral(name)} as name, count(*)::integer as count from published.${quotedIdentifier(name)}`,
  )
  const rows = await query(db, `${counts.join(' union all ')} order by name`, Count)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

// The time orders versions; the hash tells two that were made of different tables in the same millisecond apart.
function versionOf(madeAt: Date, rows: Record<string, number>): string {
  const instant = madeAt.toISOString().replace(/[-:.]/g, '')
  const hash = createHash('sha256').update(instant + JSON.stringify(rows)).digest('hex') // prettier-ignore
  return `${instant}-${hash.slice(0, 8)}`
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

async function syncAll(folder: string): Promise<void> {
  const files = await filesBelow(folder)
  for (const path of files) await syncFile(path)
  for (const name of [
    'tables',
    join('lookup', 'columns'),
    join('lookup', DOCUMENTS_FOLDER),
    'lookup',
    EVENTS_FOLDER,
    '.',
  ])
    await syncFolder(join(folder, name))
}
