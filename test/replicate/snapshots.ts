import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MANIFEST_FILE, SCHEMA_VERSION } from '../../src/lookup/format/manifest.ts'
import { currentSnapshot } from '../../src/lookup/index.ts'
import { hashFiles } from '../../src/publish/manifest.ts'
import { movePointer } from '../../src/publish/pointer.ts'

/** The version that the invented publication of a day has. `by` distinguishes publications of one day. */
export function versionOn(day: number, by = 0): string {
  return `202606${String(day).padStart(2, '0')}T043000000Z-0000000${by}`
}

/** Files of a snapshot: nobody who copies it may know their names. */
const FILES = ['tables/people.parquet', 'lookup/shard=03/index.mdb', 'lookup/shard=03/columns/words', 'x.bin']

/** Makes an invented snapshot in a folder of snapshots, and the current one of it. */
export async function givenSnapshot(snapshots: string, version: string): Promise<void> {
  const folder = join(snapshots, version)
  for (const [at, file] of FILES.entries()) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), `${version} ${file} `.repeat(at * 1_000))
  }
  const files = await hashFiles(folder, new AbortController().signal)
  const manifest = {
    version,
    made_at: '2026-06-01',
    schema_version: SCHEMA_VERSION,
    rows: {},
    sources: [],
    files,
  }
  await writeFile(join(folder, MANIFEST_FILE), JSON.stringify(manifest))
  await movePointer(snapshots, version)
}

export const FILE_COUNT = FILES.length

/** Returns the current version of a folder, after comparing all its files with the given ones; null without a version. */
export async function servedVersion(snapshots: string): Promise<string | null> {
  const current = await currentSnapshot(snapshots)
  if (current === null) return null
  for (const [at, file] of FILES.entries()) {
    const text = await readFile(join(current.folder, file), 'utf8')
    if (text !== `${current.version} ${file} `.repeat(at * 1_000)) throw new Error(`${file} has changed`)
  }
  return current.version
}
