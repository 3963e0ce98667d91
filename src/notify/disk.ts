import { statfs } from 'node:fs/promises'

/** Less free space than this is nearly full. */
export const LEAST_FREE_GIB = 5
/** A disk that was nearly full is fine again from here on, so that a figure at the limit is told once. */
export const FINE_FREE_GIB = 6

/** Free space of the disk on which `folder` lies; of the working folder's disk where there is no such folder. */
export async function freeGib(folder: string): Promise<number> {
  const disk = await statfs(folder).catch(() => statfs('.'))
  return (disk.bavail * disk.bsize) / 2 ** 30
}
