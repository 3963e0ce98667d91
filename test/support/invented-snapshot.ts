import { cp, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { openState } from '../../src/state/open.ts'
import { prepared } from './prepared.ts'
import { publishedSnapshot } from './published.ts'

/** A data folder in which the invented world is published, once for a whole test run: read only. */
export function inventedData(): Promise<string> {
  return prepared('invented', async (folder) => {
    await openState(join(folder, 'state', 'state.sqlite')).close()
    await publishedSnapshot(join(folder, 'snapshots'))
  })
}

/**
 * Puts a copy of that snapshot into `snapshots`, with `current` pointing at it; gives its version. A data folder's gets an empty state
 * file beside it: without one, commands take it for lost.
 */
export async function inventedSnapshot(snapshots: string): Promise<string> {
  const data = await inventedData()
  await cp(join(data, 'snapshots'), snapshots, { recursive: true })
  if (basename(snapshots) === 'snapshots')
    await cp(join(data, 'state'), join(dirname(snapshots), 'state'), { recursive: true, force: false })
  return (await readFile(join(snapshots, 'current'), 'utf8')).trim()
}
