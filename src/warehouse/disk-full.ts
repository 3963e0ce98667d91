import { statSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../errors.ts'

const DISK_FULL = /no space left|disk (is )?full|max_temp_directory_size|MDB_MAP_FULL|quota exceeded/i
// The least space that a run is assumed to need. A first run has no warehouse file whose size could tell.
const LEAST_NEEDED = 256_000_000

/** Returns true when `error` is a full-disk error of the system, DuckDB, SQLite or LMDB. */
export function saysDiskFull(error: unknown): boolean {
  if (error instanceof AppError && error.code === 'disk_full') return true
  const { code } = error as { code?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT' || DISK_FULL.test(messageOf(error))
}

/**
 * Returns a `disk_full` error with the space that a run needs and the space that is free on the disk of the
 * warehouse file. Returns null when `cause` is another kind of error, and `cause` itself when it has such figures
 * already.
 */
export function warehouseDiskFull(path: string, cause: unknown): AppError | null {
  if (!saysDiskFull(cause)) return null
  if (cause instanceof AppError && cause.details['needed_bytes'] !== undefined) return cause
  const needed = Math.max(LEAST_NEEDED, sizeOf(path) + sizeOf(`${path}.wal`))
  const figures = `a run may need ${megabytes(needed)} of free space (it writes new tables before it drops the old ones), but ${megabytes(freeBytes(path))} are free`
  // Appends the first line of Platbook's own messages, which name a source or a file. The engine's message adds
  // nothing.
  const isOwn = cause instanceof AppError && !cause.message.startsWith('query failed')
  const [during = ''] = isOwn ? cause.message.split('\n') : []
  return new AppError(
    'disk_full',
    `the disk of ${dirname(path)} is full: ${figures}. ` +
      'Free that much space, or move PLATBOOK_DATA to a larger disk, then run again. Finished steps are kept, and nothing is damaged.' +
      (during === '' ? '' : ` (${during})`),
    { cause, details: { needed_bytes: needed } },
  )
}

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString('en-US')} MB`
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function freeBytes(path: string): number {
  const disk = statfsSync(dirname(path))
  return disk.bavail * disk.bsize
}
