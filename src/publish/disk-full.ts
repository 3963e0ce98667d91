import { stat, statfs } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import { megabytes, saysDiskFull } from '../warehouse/disk-full.ts'
import { filesBelow } from './manifest.ts'

/** Whether `error` says that the disk of `snapshots` is full, whoever raised it: the file system, DuckDB or LMDB. To be asked before anything is removed. */
export async function isDiskFull(error: unknown, snapshots: string): Promise<boolean> {
  const { code } = error as { code?: unknown }
  if (code === ENOSPC || saysDiskFull(error)) return true
  // LMDB gives a write that was cut short as an input/output error.
  return code === EIO && (await freeBytes(snapshots)) < ALMOST_NOTHING
}

/** What to tell of it, when what was half written is gone. */
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

/** What a snapshot will take, from the rows it is made of (measured at a million people), or from the one before it. */
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
