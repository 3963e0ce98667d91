import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, messageOf } from '../../errors.ts'
import { MOST_SHARDS } from './shards.ts'

/**
 * The version of the published tables and of the lookup index. Raise it with every change of their columns or
 * layout: a lookup refuses snapshots of another version.
 */
export const SCHEMA_VERSION = 10

export const MANIFEST_FILE = 'manifest.json'

export const Manifest = z.object({
  version: z.string(),
  made_at: z.string(),
  schema_version: z.number().int(),
  /** The number of rows of each published table. */
  rows: z.record(z.string(), z.number().int()),
  /** The number of lookup indexes into which the people and properties are divided (format/shards.ts). */
  shards: z.number().int().min(1).max(MOST_SHARDS).default(1),
  /** Size and hash of every file of the snapshot except the manifest, by its path inside the snapshot. */
  files: z.record(z.string(), z.object({ bytes: z.number().int(), sha256: z.string() })),
  sources: z.array(z.looseObject({ source_id: z.string() })),
})
export type Manifest = z.output<typeof Manifest>

/** Reads the manifest of a snapshot. @throws `bad_snapshot` when the file is missing or cannot be read. */
export function readManifest(snapshotFolder: string): Manifest {
  const path = join(snapshotFolder, MANIFEST_FILE)
  try {
    return Manifest.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new AppError(
      'bad_snapshot',
      `${path} can't be read (${messageOf(cause)}): run \`platbook nightly\`, which publishes anew`,
      { cause },
    )
  }
}

/**
 * Returns which version made a snapshot that this version cannot read, and what to do. Returns null for a
 * snapshot of this version.
 */
export function versionFault({
  schema_version: schema,
}: Pick<Manifest, 'schema_version'>): { made: string; next: string } | null {
  if (schema === SCHEMA_VERSION) return null
  const [age, next] =
    schema < SCHEMA_VERSION
      ? ['an older', 'run `platbook nightly`, which publishes it anew']
      : ['a newer', 'start the newer one, or run `platbook nightly`, which publishes it anew']
  const made = `made by ${age} version of Platbook (schema ${schema}, this one reads ${SCHEMA_VERSION})`
  return { made, next }
}

/** A file of a snapshot that differs from what was published. */
export interface FileProblem {
  readonly file: string
  readonly problem: 'missing' | 'changed'
}

/**
 * Compares the size of every file with the manifest. Returns the files with another size; an empty list when
 * all agree.
 */
export function checkSizes(snapshotFolder: string, { files }: Pick<Manifest, 'files'>): FileProblem[] {
  return Object.entries(files).flatMap(([file, { bytes }]): FileProblem[] => {
    const found = statSync(join(snapshotFolder, file), { throwIfNoEntry: false })
    if (found === undefined) return [{ file, problem: 'missing' }]
    return found.size === bytes ? [] : [{ file, problem: 'changed' }]
  })
}

/** Returns whether a service reads the file. It needs no file of `tables/`, which is there for analysts. */
export function isServed({ file }: Pick<FileProblem, 'file'>): boolean {
  return !file.startsWith('tables/')
}

/**
 * Describes damaged files, at most five by name: "lookup/index.mdb is missing, lookup/columns/word_text has
 * changed".
 */
export function problemText(problems: readonly FileProblem[]): string {
  const named = problems
    .slice(0, 5)
    .map(({ file, problem }) => `${file} ${problem === 'missing' ? 'is missing' : 'has changed'}`)
  return [...named, ...(problems.length > 5 ? [`${problems.length - 5} more`] : [])].join(', ')
}

/**
 * Reads the manifest of a snapshot and checks its version and the sizes of the files that a service reads.
 * @throws `other_version` for a snapshot of another version; `bad_snapshot` when a file is missing or has another size.
 */
export function readOurManifest(snapshotFolder: string): Manifest {
  const manifest = readManifest(snapshotFolder)
  const fault = versionFault(manifest)
  if (fault !== null)
    throw new AppError('other_version', `${snapshotFolder} was ${fault.made}: ${fault.next}`, {
      details: { schema: manifest.schema_version },
    })
  const damaged = checkSizes(snapshotFolder, manifest).filter(isServed)
  if (damaged.length === 0) return manifest
  throw new AppError(
    'bad_snapshot',
    `${snapshotFolder} is damaged: ${problemText(damaged)}; run \`platbook nightly\`, which publishes it anew`,
  )
}
