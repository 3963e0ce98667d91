import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isTruthName } from '../../../src/link-file/fields.ts'
import { loadFiles, openFiles } from '../../../src/link-file/load-files.ts'
import type { LinkSet } from './sets.ts'

/** Loads files that nobody has described into `link.records` and `truth`, as `platbook link-file` reads them. */
export async function loadAnySet(
  db: DuckDBConnection,
  paths: readonly string[],
  isDuplicateFree: boolean,
  today: string,
): Promise<LinkSet> {
  const options = { map: new Map(), encoding: undefined, today }
  const [first] = await openFiles(paths.slice(0, 1), { ...options, truth: undefined })
  const truth = first!.proposal.header.find(isTruthName)
  const files = await openFiles(paths, { ...options, truth })
  const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  try {
    await loadFiles(db, files, {
      folder,
      truth,
      isDuplicateFree,
      today,
      signal: new AbortController().signal,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  // FEBRL keeps the truth in its record ids: rec-17-org and rec-17-dup-0 are one.
  const cluster = truth === undefined ? `split_part(id, '-', 2)` : 'truth'
  await db.run(`create or replace table truth as select record_id, ${cluster} as cluster from link.file_rows`)
  const name = files.map(({ source }) => source).join('-')
  return { name, files: [], ...(isDuplicateFree ? { isDuplicateFree: true } : {}) }
}
