import { stat, statfs } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import { megabytes, saysDiskFull } from '../warehouse/disk-full.ts'
import { filesBelow } from './manifest.ts'

/**
 * Returns whether `error` means that the disk of `snapshots` is full, no matter whether the file system,
 * DuckDB or LMDB raised it. Call it before files are removed, because it may look at the free space.
 */
export async function isDiskFull(error: unknown, snapshots: string): Promise<boolean> {
  const { code } = error as { code?: unknown }
  if (code === ENOSPC || saysDiskFull(error)) return true
  // LMDB reports an incomplete write as an input/output error.
  return code === EIO && (await freeBytes(snapshots)) < ALMOST_NOTHING
}

/** Returns the error to show. Call it after the incomplete files were removed: it reports the free space. */
export async function diskFull(cause: unknown, snapshots: string, needed: number): Promise<AppError> {
  return new AppError(
    'disk_full',
    `the disk of ${snapshots} is full: a snapshot of these tables needs about ${megabytes(needed)}, free are ${megabytes(await freeBytes(snapshots))}. ` +
      'Free that much, lower SNAPSHOT_KEEP_COUNT, or put PLATBOOK_DATA on a larger disk, then publish again. ' +
      'Nothing was published; the snapshot before keeps serving.',
    { cause, details: { needed_bytes: Math.ceil(needed) } },
  )
}

const ENOSPC = 28
const EIO = 5
const ALMOST_NOTHING = 64 * 2 ** 20

async function freeBytes(folder: string): Promise<number> {
  const disk = await statfs(folder)
  return disk.bavail * disk.bsize
}

/**
 * Returns the expected size of a snapshot in bytes. It is estimated from the numbers of rows, and is at
 * least a tenth more than the size of the previous snapshot.
 */
export async function neededBytes(
  rows: Readonly<Record<string, number>>,
  previousFolder: string | null,
): Promise<number> {
  let needed = 1_000_000
  for (const [table, bytes] of Object.entries(BYTES_PER_ROW)) needed += bytes * (rows[table] ?? 0)
  if (previousFolder === null) return needed
  let previous = 0
  for (const path of await filesBelow(previousFolder).catch(() => [])) previous += (await stat(path)).size
  return Math.max(needed, previous * 1.1)
}

const BYTES_PER_ROW: Readonly<Record<string, number>> = {
  people: 1_900,
  properties: 2_600,
  phones: 450,
  addresses: 150,
}
