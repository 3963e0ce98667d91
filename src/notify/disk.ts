import { statfs } from 'node:fs/promises'

/** A disk with less free space than this is nearly full. */
export const LEAST_FREE_GIB = 5
/** From this free space on, a nearly full disk is fine again. The gap avoids repeated messages. */
export const FINE_FREE_GIB = 6

/** Returns the free space of the disk of `folder`; of the working folder's disk when `folder` does not exist. */
export async function freeGib(folder: string): Promise<number> {
  const disk = await statfs(folder).catch(() => statfs('.'))
  return (disk.bavail * disk.bsize) / 2 ** 30
}
