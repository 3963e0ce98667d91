import type { Dirent } from 'node:fs'
import { chmod, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DataPaths } from '../config.ts'

/** Modes that let only the account that runs Platbook (PRIVATE), or its group as well (SHARED), read and write the data. */
export interface Access {
  readonly umask: number
  readonly folder: number
  readonly file: number
}

export const PRIVATE: Access = { umask: 0o077, folder: 0o700, file: 0o600 }
/** The bit 2000 of a folder gives new files in it the group of the folder. */
export const SHARED: Access = { umask: 0o007, folder: 0o2770, file: 0o660 }

/** The number of files and folders whose modes were changed, for the operator. */
export interface Tightened {
  readonly folders: readonly string[]
  readonly count: number
  /** The number of files and folders that belong to other accounts, whose modes this account cannot change. */
  readonly refused: number
}

function dataFolders(paths: DataPaths): string[] {
  return [
    dirname(paths.state),
    dirname(paths.warehouse),
    paths.snapshots,
    paths.landing,
    paths.out,
    paths.work,
  ]
}

/**
 * Returns the requested access. Without a request (undefined) it returns the access of the first existing data folder: shared when the
 * folder is open to its group and to nobody else, otherwise private.
 */
export async function wantedAccess(paths: DataPaths, isShared: boolean | undefined): Promise<Access> {
  if (isShared !== undefined) return isShared ? SHARED : PRIVATE
  for (const folder of dataFolders(paths)) {
    const found = await stat(folder).catch(() => null)
    if (found !== null) return (found.mode & 0o077) === 0o070 ? SHARED : PRIVATE
  }
  return PRIVATE
}

/** Gives every file and folder of the data folder the modes of `access`. Version 0.1.0 left them readable by all accounts. */
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
  // Windows does not have these modes.
  if (process.platform === 'win32') return { count: 0, refused: 0 }
  const total = { count: 0, refused: 0 }
  const change = async (path: string, mode: number): Promise<void> => {
    // Another process may remove a file meanwhile, for example a nightly run.
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

/** Returns the lines that report the changes of `tighten` to the operator; no lines when nothing changed. */
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
