import { constants, existsSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'

const FOLDER = '/proc/self/fd'

/** Whether this system tells which files are open. */
export const tellsOpenFiles = existsSync(FOLDER)

/** Files in `folder` that this process has open. */
export async function openFiles(folder: string): Promise<string[]> {
  const all = await readdir(FOLDER)
  const files = await Promise.all(all.map((fd) => readlink(`${FOLDER}/${fd}`).catch(() => '')))
  return files.filter((file) => file.startsWith(folder))
}

/** Files in `folder` that this process may write to through a descriptor; not the lock files of LMDB's readers. */
export async function openForWriting(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const fd of await readdir(FOLDER)) {
    const file = await readlink(`${FOLDER}/${fd}`).catch(() => '')
    if (!file.startsWith(folder) || file.endsWith('-lock')) continue
    const info = await readFile(`/proc/self/fdinfo/${fd}`, 'utf8').catch(() => '')
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8)
    if ((flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0) found.push(file)
  }
  return found
}
