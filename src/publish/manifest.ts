import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { type Manifest, MANIFEST_FILE } from '../lookup/format/manifest.ts'
import { hashOfFile } from '../hash.ts'

/**
 * Returns size and SHA-256 of every file below `folder` except the manifest, by path with forward slashes,
 * sorted by path.
 */
export async function hashFiles(folder: string, signal: AbortSignal): Promise<Manifest['files']> {
  const files: Manifest['files'] = {}
  for (const path of await filesBelow(folder)) {
    signal.throwIfAborted()
    const name = relative(folder, path).split(sep).join('/')
    if (name !== MANIFEST_FILE)
      files[name] = { bytes: (await stat(path)).size, sha256: await hashOfFile(path) }
  }
  return files
}

/** Returns the paths of a folder and of all folders below it, each after the folders in it. */
export async function foldersBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory())
  return [folder, ...folders.map((entry) => join(entry.parentPath, entry.name)).sort()].reverse()
}

/** Returns the paths of all files below a folder, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
