import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Manifest, MANIFEST_FILE, readManifest } from '../lookup/manifest.ts'

export interface FileProblem {
  readonly file: string
  readonly problem: 'missing' | 'changed'
}

/** Compares every file of a snapshot with its manifest, byte for byte; an empty list means that all are as published. */
export async function verifySnapshot(snapshotFolder: string): Promise<FileProblem[]> {
  const manifest = readManifest(snapshotFolder)
  const problems: FileProblem[] = []
  for (const [file, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const path = join(snapshotFolder, file)
    const found = await stat(path).catch(() => null)
    if (found === null) problems.push({ file, problem: 'missing' })
    else if (found.size !== bytes || (await hashOf(path)) !== sha256)
      problems.push({ file, problem: 'changed' })
  }
  return problems
}

/** Size and SHA-256 of every file below `folder`, by path with forward slashes, in the order of paths. */
export async function hashFiles(folder: string, signal: AbortSignal): Promise<Manifest['files']> {
  const files: Manifest['files'] = {}
  for (const path of await filesBelow(folder)) {
    signal.throwIfAborted()
    const name = relative(folder, path).split(sep).join('/')
    if (name !== MANIFEST_FILE) files[name] = { bytes: (await stat(path)).size, sha256: await hashOf(path) }
  }
  return files
}

export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}
