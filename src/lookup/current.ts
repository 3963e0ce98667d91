import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { MANIFEST_FILE } from './manifest.ts'

/** The file in the snapshots folder that names the snapshot being served. */
export const CURRENT_FILE = 'current'

/** The snapshot that `current` points at; null when nothing has been published yet. @throws `bad_snapshot` when it isn't there. */
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
      `${join(snapshots, CURRENT_FILE)} names ${version.trim()}, which is not there: publish again`,
    )
  }
  return { version: version.trim(), folder }
}
