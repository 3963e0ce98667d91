import { statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from './errors.ts'

// More than it takes for the readers that LMDB has room for when nothing is said.
const LOCK_BYTES = 16 * 1024
// More than the first pages take.
const LEAST_ROOM = 512 * 1024

/** Where LMDB keeps the readers of the file at `path`: theirs, and no part of a snapshot. */
export function lockFile(path: string): string {
  return `${path}-lock`
}

/**
 * Prepares the making of an LMDB file. LMDB writes its lock file through a mapping of a file with holes, and its first pages
 * without being ready for a full disk: there either is no error but the end of the process.
 * @throws `disk_full`
 */
export function prepareLmdbFile(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < LEAST_ROOM)
    throw new AppError('disk_full', `no space left on device: ${path} needs more`)
  writeFileSync(lockFile(path), Buffer.alloc(LOCK_BYTES))
}
