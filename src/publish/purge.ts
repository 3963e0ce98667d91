import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { currentSnapshot, VERSION } from '../lookup/format/current.ts'
import { type Manifest, MANIFEST_FILE, readOurManifest } from '../lookup/format/manifest.ts'
import type { Suppressed } from '../lookup/format/suppressed.ts'
import type { OnProgress } from '../progress.ts'
import { quotedLiteral } from '../warehouse/query.ts'
import { movePointer, partialFolder, removeLeftovers } from './pointer.ts'
import type { SuppressionOptions } from './publish.ts'
import { withoutSuppressed } from './tables-without-suppressed.ts'
import { completeSnapshot, countRows, writeFiles } from './write-files.ts'
import { timed } from './write-index.ts'

export interface PurgeOptions {
  /** A connection to the warehouse. Its owner prevents other publications at the same time. */
  readonly db: DuckDBConnection
  readonly snapshots: string
  readonly suppression: SuppressionOptions
  readonly log: Log
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
}

export interface Purged {
  readonly version: string
  /**
   * `failed` means that the current snapshot cannot be rewritten. It is kept, so it may still contain
   * suppressed people.
   */
  readonly outcome: 'clean' | 'rewritten' | 'removed' | 'failed'
  /** The number of people who were removed. */
  readonly people: number
  /** The version that replaces this one. */
  readonly replaced_by: string | null
  /** Why the snapshot was removed or kept. */
  readonly reason: string | null
}

/**
 * Removes the suppressed people from every snapshot. Each snapshot is rewritten under a new version, which
 * then replaces the old one in one step. So a complete snapshot is served even if the process is killed. A
 * snapshot that cannot be read is removed, unless it is the current one.
 */
export async function purgeSnapshots(options: PurgeOptions): Promise<Purged[]> {
  const { snapshots, signal, log } = options
  await removeLeftovers(snapshots)
  const current = await currentSnapshot(snapshots)
  const versions = (await readdir(snapshots)).filter((name) => VERSION.test(name)).sort()
  const purged: Purged[] = []
  for (const version of versions) {
    signal.throwIfAborted()
    const one = await purgeSnapshot(options, version, version === current?.version)
    log.info({ ...one }, 'snapshot purged')
    purged.push(one)
  }
  return purged
}

async function purgeSnapshot(options: PurgeOptions, version: string, isCurrent: boolean): Promise<Purged> {
  const { snapshots, suppression, progress = () => undefined } = options
  const folder = join(snapshots, version)
  const result = { version, people: 0, replaced_by: null, reason: null }
  let manifest: Manifest
  let suppressed: Suppressed | null
  try {
    manifest = readOurManifest(folder)
    suppressed = await suppression.find(folder)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = messageOf(error)
    if (isCurrent) return { ...result, outcome: 'failed', reason }
    await removeSnapshot(snapshots, version)
    return { ...result, outcome: 'removed', reason }
  }
  if (suppressed === null) return { ...result, outcome: 'clean' }
  const next = purgedVersion(version, suppressed, suppression)
  if ((await stat(join(snapshots, next, MANIFEST_FILE)).catch(() => null)) === null)
    await rewrite(options, manifest, next, suppressed)
  if (isCurrent) await timed(progress, 'pointer', () => movePointer(snapshots, next))
  await removeSnapshot(snapshots, version)
  return { ...result, outcome: 'rewritten', people: suppressed.ids.size, replaced_by: next }
}

async function rewrite(
  { db, snapshots, suppression, signal, progress = () => undefined }: PurgeOptions,
  { version, made_at, sources, shards }: Manifest,
  next: string,
  suppressed: Suppressed,
): Promise<void> {
  const partial = partialFolder(snapshots, next)
  const from = (name: string): string =>
    `read_parquet(${quotedLiteral(join(snapshots, version, 'tables', `${name}.parquet`))})`
  try {
    await mkdir(partial)
    const rows = await withoutSuppressed(
      { connections: [db], from, suppressed, names: suppression.names, signal },
      async () => {
        await writeFiles({ db, shards, signal, progress }, partial, async () => undefined)
        return countRows(db)
      },
    )
    await completeSnapshot({ signal, progress }, snapshots, { version: next, made_at, shards, sources, rows })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

// The same list gives the same version. So a purge after a kill finds the versions that were completed.
function purgedVersion(version: string, { ids, phones }: Suppressed, { names }: SuppressionOptions): string {
  const [instant = ''] = version.split('-')
  const people = [...ids, ...phones].sort().join(' ')
  const hash = createHash('sha256').update(`${version} ${names} ${people}`).digest('hex')
  return `${instant}-${hash.slice(0, 8)}`
}

// Renames the folder first, so that a partly removed snapshot does not look complete.
async function removeSnapshot(snapshots: string, version: string): Promise<void> {
  const leaving = partialFolder(snapshots, version)
  await rename(join(snapshots, version), leaving)
  await rm(leaving, { recursive: true, force: true })
}
