import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hashOfFile } from '../../hash.ts'
import { checkSizes, type FileProblem, readManifest } from '../format/manifest.ts'

export interface VerifyOptions {
  /** The highest reading speed; unlimited by default. */
  readonly bytesPerSecond?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Compares the size and hash of every file of a snapshot with its manifest. Returns the files that differ; an
 * empty list means that all are as published.
 * @throws `bad_snapshot` when there is no manifest to compare with.
 */
export async function verifySnapshot(
  snapshotFolder: string,
  { bytesPerSecond = Infinity, signal }: VerifyOptions = {},
): Promise<FileProblem[]> {
  const manifest = readManifest(snapshotFolder)
  const bySize = new Map(checkSizes(snapshotFolder, manifest).map((problem) => [problem.file, problem]))
  const problems: FileProblem[] = []
  const started = performance.now()
  let read = 0
  const pace = async (bytes: number): Promise<void> => {
    signal?.throwIfAborted()
    read += bytes
    const ahead = (read / bytesPerSecond) * 1000 - (performance.now() - started)
    if (ahead > 0) await delay(ahead, undefined, { signal })
  }
  for (const [file, { sha256 }] of Object.entries(manifest.files)) {
    const problem = bySize.get(file)
    if (problem !== undefined) problems.push(problem)
    else if ((await hashOfFile(join(snapshotFolder, file), pace).catch(unreadable)) !== sha256)
      problems.push({ file, problem: 'changed' })
  }
  return problems
}

// A disk sector that cannot be read counts as damage. An abort is passed on.
function unreadable(error: NodeJS.ErrnoException): string {
  if (error.name === 'AbortError') throw error
  return ''
}
