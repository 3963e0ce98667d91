import { statfs } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import { megabytes } from '../warehouse/disk-full.ts'

/**
 * Checks that the disk of the existing `folder` has `bytes` free. `task` begins the error message, for example `restoring /backups`.
 * @throws `disk_full`
 */
export async function requireFree(folder: string, bytes: number, task: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (bytes <= free) return
  throw new AppError(
    'disk_full',
    `${task} needs about ${megabytes(bytes)} on the disk of ${folder}, and ${megabytes(free)} are free: free more space and run the command again. Nothing was changed`,
    { details: { needed_bytes: bytes } },
  )
}
