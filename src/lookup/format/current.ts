import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { MANIFEST_FILE } from './manifest.ts'

/** The file in the snapshots folder that names the snapshot to serve. */
export const CURRENT_FILE = 'current'

/**
 * Returns the snapshot that the file `current` names; null when nothing has been published yet. @throws
 * `bad_snapshot` when that snapshot is missing.
 */
export async function currentSnapshot(
  snapshots: string,
): Promise<{ version: string; folder: string } | null> {
  const version = await readFile(join(snapshots, CURRENT_FILE), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    },
  )
  if (version === null) return null
  const folder = join(snapshots, version.trim())
  if ((await stat(join(folder, MANIFEST_FILE)).catch(() => null)) === null) {
    throw new AppError(
      'bad_snapshot',
      `${join(snapshots, CURRENT_FILE)} names ${version.trim()}, which is not there: run \`platbook nightly\`, which publishes anew`,
    )
  }
  return { version: version.trim(), folder }
}

/** The name of a snapshot's folder. Names sort by time: `20260601T043000123Z-1a2b3c4d`. */
export const VERSION = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/

/** Returns the snapshots that are older than `version`, newest first. */
export async function snapshotsBefore(
  snapshots: string,
  version: string,
): Promise<{ version: string; folder: string }[]> {
  const versions = (await readdir(snapshots)).filter((name) => VERSION.test(name) && name < version)
  return versions
    .sort()
    .reverse()
    .map((older) => ({ version: older, folder: join(snapshots, older) }))
}
