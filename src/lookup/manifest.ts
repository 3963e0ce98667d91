import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, messageOf } from '../errors.ts'

/** Raised when a published table's columns or the index's layout change: a lookup refuses what it can't read. */
export const SCHEMA_VERSION = 8

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
      `${path} can't be read (${messageOf(cause)}): publish again, or point \`current\` at another snapshot`,
      { cause },
    )
  }
}
