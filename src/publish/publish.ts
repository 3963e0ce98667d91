import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { currentSnapshot } from '../lookup/format/current.ts'
import type { Manifest } from '../lookup/format/manifest.ts'
import type { Suppressed } from '../lookup/format/suppressed.ts'
import type { OnProgress } from '../progress.ts'
import { loadChecks } from '../warehouse/models.ts'
import { query, quotedIdentifier } from '../warehouse/query.ts'
import { checkTables } from './check-tables.ts'
import { diskFull, isDiskFull, neededBytes } from './disk-full.ts'
import { movePointer, partialFolder, pruneSnapshots, removeLeftovers } from './pointer.ts'
import { withoutSuppressed } from './tables-without-suppressed.ts'
import { completeSnapshot, countRows, writeFiles, writeManifest } from './write-files.ts'
import { timed, writeIndex } from './write-index.ts'

export interface PublishOptions {
  readonly db: DuckDBConnection
  /** The folder of all snapshots. */
  readonly snapshots: string
  readonly now: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** How many snapshots to keep, including the new one. */
  readonly keep: number
  /** The number of lookup indexes into which people and properties are divided; 1 if undefined. */
  readonly shards?: number | undefined
  /** The origin of the tables, for the manifest. */
  readonly sources: Manifest['sources']
  /** A folder whose `checks/` replaces Platbook's own checks; null for no checks. */
  readonly checks?: string | null | undefined
  readonly progress?: OnProgress | undefined
  /** Which people to leave out; nobody if undefined. */
  readonly suppression?: SuppressionOptions | undefined
  /**
   * A second connection to the same warehouse. It checks and writes the tables while the first one writes the
   * index.
   */
  readonly extraConnection?: DuckDBConnection | undefined
}

/** How to leave suppressed people out of a snapshot. */
export interface SuppressionOptions {
  /**
   * Returns the suppressed people of the snapshot in a folder, or null when there are none. The folder has at
   * least a manifest and a lookup index.
   */
  readonly find: (snapshotFolder: string) => Promise<Suppressed | null>
  /** Whether their names stay in the parties of deeds. */
  readonly names: Config['SUPPRESSED_NAMES']
}

export interface Published {
  readonly version: string
  readonly rows: Record<string, number>
}

/**
 * Makes a snapshot of `published.*` and lets `current` name it, or throws and leaves everything unchanged.
 * The error is `check_failed` when a check finds rows, and `disk_full` when the disk is full. If the process
 * is killed, the old snapshot stays current and the next run removes the leftovers. Only one publication may
 * run at a time; the owner of the warehouse ensures that.
 */
export async function publish(options: PublishOptions): Promise<Published> {
  const { db, snapshots, signal, log } = options
  const progress = options.progress ?? (() => undefined)
  const started = performance.now()
  await mkdir(snapshots, { recursive: true })
  await removeLeftovers(snapshots)

  const linked = await countRows(db)
  const madeAt = options.now()
  const version = versionOf(madeAt, linked)
  const partial = partialFolder(snapshots, version)
  const previous = await currentSnapshot(snapshots).catch(() => null)
  let rows = linked
  try {
    await mkdir(partial)
    const { extraConnection = db, checks, sources, suppression, shards = 1 } = options
    const head = { version, made_at: madeAt.toISOString(), shards, sources }
    const check = async (anySignal: AbortSignal): Promise<void> => {
      if (checks === null) return
      await timed(progress, 'checks', async () =>
        checkTables(extraConnection, await loadChecks(checks), anySignal),
      )
    }
    const suppressed =
      suppression === undefined
        ? null
        : await timed(progress, 'suppressed', async () => {
            await check(signal)
            const unsuppressed = join(partial, 'unsuppressed')
            await writeIndex(db, unsuppressed, shards, signal)
            await writeManifest(unsuppressed, { ...head, rows, files: {} })
            const found = await suppression.find(unsuppressed)
            await rm(unsuppressed, { recursive: true })
            return found
          })
    const write = async (): Promise<void> => {
      rows = await countRows(db)
      await writeFiles({ ...options, shards }, partial, suppressed === null ? check : async () => undefined)
    }
    if (suppressed === null || suppression === undefined) await write()
    else {
      const [{ catalog } = { catalog: '' }] = await query(
        db,
        'select current_database() as catalog',
        z.object({ catalog: z.string() }),
      )
      const from = (name: string): string =>
        `${quotedIdentifier(catalog)}.published.${quotedIdentifier(name)}`
      const connections = extraConnection === db ? ([db] as const) : ([db, extraConnection] as const)
      await withoutSuppressed({ connections, from, suppressed, names: suppression.names, signal }, write)
    }
    await completeSnapshot(options, snapshots, { ...head, rows })
    await timed(progress, 'pointer', () => movePointer(snapshots, version))
  } catch (error) {
    const needed = await neededBytes(rows, previous?.folder ?? null)
    const isFull = await isDiskFull(error, snapshots)
    await rm(partial, { recursive: true, force: true })
    throw isFull ? await diskFull(error, snapshots, needed) : error
  }
  // From here on the snapshot is current, so a failure does not undo its publication.
  const removed = await pruneSnapshots(snapshots, options.keep, version).catch((cause: unknown) => {
    log.warn({ reason: messageOf(cause) }, 'old snapshots are not removed; the next publication tries again')
    return []
  })
  const seconds = Math.round((performance.now() - started) / 100) / 10
  log.info({ version, rows, removed_snapshot_count: removed.length, seconds }, 'snapshot published')
  return { version, rows }
}

// The time orders versions. The hash distinguishes versions of different tables in the same millisecond.
function versionOf(madeAt: Date, rows: Record<string, number>): string {
  const instant = madeAt.toISOString().replace(/[-:.]/g, '')
  const hash = createHash('sha256').update(instant + JSON.stringify(rows)).digest('hex') // prettier-ignore
  return `${instant}-${hash.slice(0, 8)}`
}
