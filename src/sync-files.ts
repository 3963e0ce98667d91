import { open } from 'node:fs/promises'

/** Makes what is in a file last through a power cut. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

/** Makes renames and new files in `folder` last through a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows can't open a folder; there, the rename itself is what there is.
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().finally(() => handle.close())
}
