import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'

const STATUS_FILE = 'fetched.json'

const FetchStatus = z.object({
  /** The store that the snapshots of this folder are fetched from. */
  store: z.string(),
  /** Why the newest snapshot of the store is not served; null when it is. `version` is null when the store cannot be read. */
  fault: z.object({ version: z.string().nullable(), reason: z.string(), since: z.string() }).nullable(),
})
export type FetchStatus = z.output<typeof FetchStatus>

/** Returns what the last fetch reported about a folder of snapshots; null when its snapshots are not fetched from a store. */
export async function fetchStatus(snapshots: string): Promise<FetchStatus | null> {
  try {
    return FetchStatus.parse(JSON.parse(await readFile(join(snapshots, STATUS_FILE), 'utf8')))
  } catch (cause) {
    // The folder of snapshots may be missing, or be a file. The publication then reports its own error.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return null
    return { store: 'a store', fault: null }
  }
}

/** Returns the version that the store has but this folder cannot serve; null when there is none. */
export async function withheldVersion(snapshots: string): Promise<string | null> {
  return (await fetchStatus(snapshots))?.fault?.version ?? null
}

export async function writeFetchStatus(snapshots: string, status: FetchStatus): Promise<void> {
  const path = join(snapshots, STATUS_FILE)
  await writeFile(`${path}.new`, `${JSON.stringify(status)}\n`)
  await rename(`${path}.new`, path)
}

/**
 * Checks that no service fetches the snapshots of this folder, because it would replace what a publication writes there.
 * @throws `conflict`
 */
export async function requireNotFetched(snapshots: string): Promise<void> {
  const status = await fetchStatus(snapshots)
  if (status === null) return
  throw new AppError(
    'conflict',
    `${snapshots} has snapshots that \`platbook serve --snapshots\` fetches from ${status.store}: run this where they are published, or remove ${join(snapshots, STATUS_FILE)} if nothing is fetched any more`,
  )
}
