import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, messageOf } from '../../errors.ts'

/** Raised when a published table's columns or the index's layout change: a lookup refuses what it can't read. */
export const SCHEMA_VERSION = 9

export const MANIFEST_FILE = 'manifest.json'

export const Manifest = z.object({
  version: z.string(),
  made_at: z.string(),
  schema_version: z.number().int(),
  /** Rows of each published table. */
  rows: z.record(z.string(), z.number().int()),
  /** Every file of the snapshot but the manifest, by its path in it. */
  files: z.record(z.string(), z.object({ bytes: z.number().int(), sha256: z.string() })),
  sources: z.array(z.looseObject({ source_id: z.string() })),
})
export type Manifest = z.output<typeof Manifest>

/** @throws `bad_snapshot` when there is none, or it can't be read. */
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
 * Returns which version made a snapshot that this one cannot read, and what to do; null for a snapshot of this version.
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

export interface FileProblem {
  readonly file: string
  readonly problem: 'missing' | 'changed'
}

/** Compares the size of every file with the manifest: an empty list means that each has the size that was published. */
export function checkSizes(snapshotFolder: string, { files }: Pick<Manifest, 'files'>): FileProblem[] {
  return Object.entries(files).flatMap(([file, { bytes }]): FileProblem[] => {
    const found = statSync(join(snapshotFolder, file), { throwIfNoEntry: false })
    if (found === undefined) return [{ file, problem: 'missing' }]
    return found.size === bytes ? [] : [{ file, problem: 'changed' }]
  })
}

/** Whether answers are made of the file. Tables are for analysts: a service neither reads nor needs them. */
export function isServed({ file }: Pick<FileProblem, 'file'>): boolean {
  return !file.startsWith('tables/')
}

/** Damaged files in words, at most five of them: "lookup/index.mdb is missing, lookup/columns/word_text has changed". */
export function problemText(problems: readonly FileProblem[]): string {
  const named = problems
    .slice(0, 5)
    .map(({ file, problem }) => `${file} ${problem === 'missing' ? 'is missing' : 'has changed'}`)
  return [...named, ...(problems.length > 5 ? [`${problems.length - 5} more`] : [])].join(', ')
}

/**
 * The manifest of a snapshot of this version whose files have their sizes.
 * @throws `other_version`, `bad_snapshot`
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
