import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'

const FOLDER = '/proc/self/fd'

/** Whether this system tells which files are open. */
export const tellsOpenFiles = existsSync(FOLDER)

/** Files in `folder` that this process has open. */
export async function openFiles(folder: string): Promise<string[]> {
  const all = await readdir(FOLDER)
  const files = await Promise.all(all.map((fd) => readlink(`${FOLDER}/${fd}`).catch(() => '')))
  return files.filter((file) => file.startsWith(folder))
}
