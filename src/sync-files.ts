import { open } from 'node:fs/promises'

/** Flushes a file to the disk, so that its content survives a power failure. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

/** Flushes a folder to the disk, so that renames and new files in it survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, so nothing is flushed there.
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().finally(() => handle.close())
}
