import { statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from './errors.ts'

// LMDB's default number of readers (126) needs less than this.
const LOCK_BYTES = 16 * 1024
// The first pages of an LMDB file need less than this.
const LEAST_ROOM = 512 * 1024

/** Returns the path of the lock file in which LMDB registers the readers of the file at `path`. It is not part of a snapshot. */
export function lockFile(path: string): string {
  return `${path}-lock`
}

/**
 * Prepares the creation of an LMDB file: checks the free space, and writes the lock file in full. Without this, LMDB crashes the
 * process on a full disk: it writes its lock file through a memory map, and does not check the writes of its first pages.
 * @throws `disk_full`
 */
export function prepareLmdbFile(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < LEAST_ROOM)
    throw new AppError('disk_full', `no space left on device: ${path} needs more`)
  writeFileSync(lockFile(path), Buffer.alloc(LOCK_BYTES))
}
