import { statSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../errors.ts'

const DISK_FULL = /no space left|disk (is )?full|max_temp_directory_size|MDB_MAP_FULL|quota exceeded/i
// A first run has no warehouse to go by.
const LEAST_NEEDED = 256_000_000

/** Whether `error` says in the words of the system, DuckDB, SQLite or LMDB that a disk is full. */
export function saysDiskFull(error: unknown): boolean {
  if (error instanceof AppError && error.code === 'disk_full') return true
  const { code } = error as { code?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT' || DISK_FULL.test(messageOf(error))
}

/**
 * The error of a run that found the disk of the warehouse at `path` full, with what it needs and what is free; null when
 * `cause` says something else. An error that has figures of its own comes back as it is.
 */
export function warehouseDiskFull(path: string, cause: unknown): AppError | null {
  if (!saysDiskFull(cause)) return null
  if (cause instanceof AppError && cause.details['needed_bytes'] !== undefined) return cause
  const needed = Math.max(LEAST_NEEDED, sizeOf(path) + sizeOf(`${path}.wal`))
  const figures = `a run needs up to about ${megabytes(needed)} beside the warehouse (it writes tables anew before it drops the old ones), free are ${megabytes(freeBytes(path))}`
  // The words of the engine say no more than this; those of Platbook name a source or a file.
  const isOwn = cause instanceof AppError && !cause.message.startsWith('query failed')
  const [during = ''] = isOwn ? cause.message.split('\n') : []
  return new AppError(
    'disk_full',
    `the disk of ${dirname(path)} is full: ${figures}. ` +
      'Free that much, or put PLATBOOK_DATA on a larger disk, then run again. What was finished stays; nothing is damaged.' +
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
