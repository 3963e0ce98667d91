import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError, messageOf } from '../errors.ts'
import { hashOfFile } from '../hash.ts'
import type { Log } from '../log.ts'
import { execute, inTransaction, insertRows, jsonRows, query } from '../warehouse/query.ts'
import { listMembers, unreadable } from './archives.ts'
import { Correction, CORRECTION_SUFFIX, readCorrectionHead } from './corrections.ts'
import { LEDGER_TABLES } from './ledger.ts'

/**
 * A file in landing. `members` are the paths in a zip, null for other files. `correction` is null except for a
 * correction file, whose first line names the lines that it corrects.
 */
export interface LandedFile {
  readonly path: string
  /** The path below the landing folder, with `/` as separator. */
  readonly name: string
  readonly byteCount: number
  readonly modifiedAtMs: number
  readonly sha256: string
  readonly members: readonly string[] | null
  readonly correction: Correction | null
  /** The reason why the file cannot be read, or cannot be opened as a zip. */
  readonly fault: AppError | null
}

const Known = z.object({
  file_name: z.string(),
  byte_count: z.number(),
  modified_at_ms: z.number(),
  sha256: z.string(),
  members: z.array(z.string()).nullable(),
  correction: z.string().nullable(),
})

/**
 * Returns each file below `landing`, sorted by path, with the hash of its bytes. A file whose size and modification
 * time equal those in `ledger.landing` is not read again, so a change that keeps both is not noticed.
 */
export async function landedFiles(options: {
  db: DuckDBConnection
  landing: string
  scratch: string
  signal: AbortSignal
  log: Log
}): Promise<LandedFile[]> {
  const { db, landing, scratch, signal, log } = options
  const known = new Map(
    (
      await query(
        db,
        'select file_name, byte_count::double as byte_count, modified_at_ms, sha256, members, correction from ledger.landing',
        Known,
      )
    ).map((row) => [row.file_name, row]),
  )
  const files: LandedFile[] = []
  const fresh: LandedFile[] = []
  for (const name of await namesBelow(landing)) {
    signal.throwIfAborted()
    const path = join(landing, name)
    const found = await stat(path).catch(() => null)
    if (found === null) {
      log.warn({ file: name }, 'the file was removed during the run, or is a broken link')
      continue
    }
    const { size, mtimeMs } = found
    const before = known.get(name)
    if (before?.byte_count === size && before.modified_at_ms === mtimeMs) {
      const { sha256, members } = before
      const correction = before.correction === null ? null : Correction.parse(JSON.parse(before.correction))
      files.push({
        path,
        name,
        byteCount: size,
        modifiedAtMs: mtimeMs,
        sha256,
        members,
        correction,
        fault: null,
      })
      continue
    }
    const file = await hashed(path, name, scratch)
    if (file === null) {
      log.warn({ file: name }, 'the file is still being written; the next run loads it')
      continue
    }
    files.push(file)
    if (file.fault === null) fresh.push(file)
  }
  if (fresh.length > 0) await recordLanded(db, fresh)
  return files
}

async function namesBelow(landing: string): Promise<string[]> {
  try {
    const entries = await readdir(landing, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) =>
        join(entry.parentPath, entry.name).slice(join(landing, sep).length).replaceAll(sep, '/'),
      )
      .filter((name) => !/(^|\/)(\.|__MACOSX\/)|\.partial$/.test(name))
      .sort()
  } catch (cause) {
    if (messageOf(cause).includes('ENOENT')) return []
    throw new AppError(
      'source_unreadable',
      `the landing folder ${landing} cannot be read (${messageOf(cause)}): check that it is a folder and that this user may read it`,
      {
        cause,
      },
    )
  }
}

async function hashed(path: string, name: string, scratch: string): Promise<LandedFile | null> {
  const before = await stat(path)
  const shape = { path, name, byteCount: before.size, modifiedAtMs: before.mtimeMs, correction: null }
  let sha256 = ''
  try {
    sha256 = await hashOfFile(path)
  } catch (cause) {
    return { ...shape, sha256, members: null, fault: unreadable(name, cause) }
  }
  const after = await stat(path)
  if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) return null
  const file = { ...shape, sha256 }
  const isCorrection = name.endsWith(CORRECTION_SUFFIX)
  if (!isCorrection && !/\.zip$/i.test(name)) return { ...file, members: null, fault: null }
  try {
    if (isCorrection) {
      return { ...file, members: null, correction: await readCorrectionHead(path, name), fault: null }
    }
    return { ...file, members: await listMembers(path, name, scratch), fault: null }
  } catch (error) {
    if (error instanceof AppError && error.code === 'source_unreadable') {
      return { ...file, members: [], fault: error }
    }
    throw error
  }
}

async function recordLanded(db: DuckDBConnection, files: LandedFile[]): Promise<void> {
  const rows = files.map((file) => ({
    file_name: file.name,
    byte_count: file.byteCount,
    modified_at_ms: file.modifiedAtMs,
    sha256: file.sha256,
    members: file.members,
    correction: file.correction === null ? null : JSON.stringify(file.correction),
  }))
  const columns = LEDGER_TABLES['ledger.landing']
  await inTransaction(db, async () => {
    await execute(
      db,
      `delete from ledger.landing where file_name in (select file_name from ${jsonRows('rows', columns)})`,
      { rows: JSON.stringify(rows) },
    )
    await insertRows(db, 'ledger.landing', columns, rows)
  })
}
