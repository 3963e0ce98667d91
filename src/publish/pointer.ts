import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CURRENT_FILE, VERSION } from '../lookup/format/current.ts'
import { syncFolder } from '../sync-files.ts'

const PARTIAL = '.partial'

/** Returns the folder in which a version is written or removed. Readers ignore it because of its name. */
export function partialFolder(snapshots: string, version: string): string {
  return join(snapshots, version + PARTIAL)
}

/** Removes what a killed publication left in the folder of snapshots. */
export async function removeLeftovers(snapshots: string): Promise<void> {
  for (const name of await readdir(snapshots)) {
    if (name.endsWith(PARTIAL) || name.startsWith(`${CURRENT_FILE}.`)) {
      await rm(join(snapshots, name), { recursive: true, force: true })
    }
  }
}

/**
 * Makes the file `current` name `version` in one step: readers see the old version or the new one, even after
 * a crash.
 */
export async function movePointer(snapshots: string, version: string): Promise<void> {
  // The name is unique because several processes may publish the invented people at the same time.
  const temporary = join(snapshots, `${CURRENT_FILE}.${randomUUID()}`)
  await writeFile(temporary, `${version}\n`, { flush: true })
  await rename(temporary, join(snapshots, CURRENT_FILE))
  await syncFolder(snapshots)
}

/** Removes the oldest snapshots so that `keep` remain, and returns their versions. Never removes `current`. */
export async function pruneSnapshots(snapshots: string, keep: number, current: string): Promise<string[]> {
  const versions = (await readdir(snapshots)).filter((name) => VERSION.test(name) && name !== current)
  const superfluous = versions.sort().slice(0, Math.max(0, versions.length + 1 - keep))
  for (const version of superfluous) await rm(join(snapshots, version), { recursive: true, force: true })
  return superfluous
}
