import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { prepared } from './prepared.ts'
import { publishedSnapshot } from './published.ts'

/** A data folder in which the invented world is published, once for a whole test run: read only. */
export function inventedData(): Promise<string> {
  return prepared('invented', (folder) => publishedSnapshot(join(folder, 'snapshots')))
}

/** Puts a copy of that snapshot into `snapshots`, with `current` pointing at it; gives its version. */
export async function inventedSnapshot(snapshots: string): Promise<string> {
  await cp(join(await inventedData(), 'snapshots'), snapshots, { recursive: true })
  return (await readFile(join(snapshots, 'current'), 'utf8')).trim()
}
