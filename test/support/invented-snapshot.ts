import { constants } from 'node:fs'
import { copyFile, cp, mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { openState } from '../../src/state/open.ts'
import { prepared } from './prepared.ts'
import { publishedSnapshot } from './published.ts'

/** A data folder in which the invented world is published, once for a whole test run: read only. */
export function inventedData(): Promise<string> {
  return prepared('invented', async (folder) => {
    await (await openState(join(folder, 'state', 'state.sqlite'))).close()
    await publishedSnapshot(join(folder, 'snapshots'))
  })
}

/**
 * Puts a copy of that snapshot into `snapshots`, with `current` pointing at it; returns its version. A folder named
 * `snapshots` belongs to a data folder, so an empty state file is put beside it: commands report a missing one as lost.
 */
export async function inventedSnapshot(snapshots: string): Promise<string> {
  const data = await inventedData()
  await cp(join(data, 'snapshots'), snapshots, { recursive: true })
  if (basename(snapshots) === 'snapshots') await addState(data, join(dirname(snapshots), 'state'))
  return (await readFile(join(snapshots, 'current'), 'utf8')).trim()
}

// Copies the database file alone. SQLite creates and removes its other files whenever a test opens the shared one.
async function addState(data: string, state: string): Promise<void> {
  await mkdir(state, { recursive: true })
  const file = 'state.sqlite'
  try {
    await copyFile(join(data, 'state', file), join(state, file), constants.COPYFILE_EXCL)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
