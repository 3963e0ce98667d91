import type { Dirent } from 'node:fs'
import { chmod, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DataPaths } from '../config.ts'

/** The accounts that may read and write the data: the account that runs Platbook, or its group as well. */
export interface Access {
  readonly umask: number
  readonly folder: number
  readonly file: number
}

export const PRIVATE: Access = { umask: 0o077, folder: 0o700, file: 0o600 }
/** New files in a folder with 2000 get the folder's group. */
export const SHARED: Access = { umask: 0o007, folder: 0o2770, file: 0o660 }

/** The changes, for one line of the terminal. */
export interface Tightened {
  readonly folders: readonly string[]
  readonly count: number
  /** Files and folders of other accounts: only these accounts can change them. */
  readonly refused: number
}

function dataFolders(paths: DataPaths): string[] {
  return [dirname(paths.state), dirname(paths.warehouse), paths.snapshots, paths.landing, paths.out]
}

/**
 * The access that was asked for; else that of the first data folder found: shared when it is open to the group and to nobody else,
 * otherwise private.
 */
export async function wantedAccess(paths: DataPaths, isShared: boolean | undefined): Promise<Access> {
  if (isShared !== undefined) return isShared ? SHARED : PRIVATE
  for (const folder of dataFolders(paths)) {
    const found = await stat(folder).catch(() => null)
    if (found !== null) return (found.mode & 0o077) === 0o070 ? SHARED : PRIVATE
  }
  return PRIVATE
}

/** Gives every file and folder of the data folder the modes of `access`. An older installation left them readable by everyone. */
export async function tighten(paths: DataPaths, access: Access): Promise<Tightened> {
  const folders: string[] = []
  let count = 0
  let refused = 0
  for (const folder of dataFolders(paths)) {
    const changed = await tightenFolder(folder, access)
    if (changed.count > 0) folders.push(folder)
    count += changed.count
    refused += changed.refused
  }
  return { folders, count, refused }
}

/** Gives `folder` and everything below it the modes of `access`. Symbolic links below it are left alone. */
export async function tightenFolder(
  folder: string,
  access: Access,
): Promise<Pick<Tightened, 'count' | 'refused'>> {
  // Windows has no such modes.
  if (process.platform === 'win32') return { count: 0, refused: 0 }
  const total = { count: 0, refused: 0 }
  const change = async (path: string, mode: number): Promise<void> => {
    // A file may go while it is looked at: runs go on beside this.
    const found = await stat(path).catch(() => null)
    if (found === null || (found.mode & 0o7777) === mode) return
    const error = await chmod(path, mode).then(
      () => null,
      (cause: NodeJS.ErrnoException) => cause,
    )
    if (error === null) total.count += 1
    else if (error.code === 'EPERM') total.refused += 1
    else if (error.code !== 'ENOENT') throw error
  }
  const walk = async (path: string): Promise<void> => {
    await change(path, access.folder)
    const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const child = join(path, entry.name)
      if (entry.isDirectory()) await walk(child)
      else if (entry.isFile()) await change(child, access.file)
    }
  }
  await walk(folder)
  return total
}

/** Returns the changes of `tighten` in words for the operator; nothing when there were none. */
export function tightenedLines({ folders, count, refused }: Tightened, access: Access): string[] {
  const who = access === SHARED ? 'the account and its group only (2770, 0660)' : 'this account only (0700, 0600; --shared opens them to the group)' // prettier-ignore
  return [
    ...(count === 0
      ? []
      : [
          `platbook: ${itemsOf(count)} of ${folders.join(', ')} ${count === 1 ? 'is' : 'are'} now open to ${who}`,
        ]),
    ...(refused === 0
      ? []
      : [
          `platbook: ${itemsOf(refused)} of the data folder ${refused === 1 ? 'belongs to another account, and its mode stays' : 'belong to other accounts, and their modes stay'}: run chown there, or run Platbook as the owner`,
        ]),
  ]
}

function itemsOf(count: number): string {
  return count === 1 ? '1 file or folder' : `${count} files and folders`
}
