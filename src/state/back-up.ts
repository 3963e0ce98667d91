import { chmod } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { AppError, messageOf } from '../errors.ts'
import type { Database } from './database.ts'
import { isBusy } from './faults.ts'
import { SqliteDatabase } from './sqlite.ts'

/**
 * Copies the state file while other processes read and write it. The copy is one consistent file that includes the changes in
 * the WAL. The function checks the copy and makes it readable for its owner only.
 */
export async function copyState(path: string, copy: string): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    await backup(db, copy)
  } catch (cause) {
    throw new AppError('state_damaged', `the state file ${path} cannot be copied: ${messageOf(cause)}`, {
      cause,
    })
  } finally {
    db.close()
  }
  await chmod(copy, 0o600)
  const copied = new DatabaseSync(copy)
  try {
    const fault = await integrityFault(new SqliteDatabase(copied))
    if (fault !== null) throw damaged(path, fault)
    // Leaving WAL mode merges the WAL, so the copy is a single file.
    copied.exec('pragma journal_mode = delete')
  } finally {
    copied.close()
  }
}

/** Checks the whole state file. @throws `state_damaged` */
export async function checkStateFile(path: string): Promise<void> {
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(path, { readOnly: true })
    const fault = await integrityFault(new SqliteDatabase(db))
    if (fault !== null) throw damaged(path, fault)
  } catch (cause) {
    throw cause instanceof AppError ? cause : damaged(path, messageOf(cause))
  } finally {
    db?.close()
  }
}

/** Reads the whole file and returns the first fault in SQLite's words; null when the file is intact. */
export async function integrityFault(db: Database): Promise<string | null> {
  try {
    const found = String((await db.get('pragma integrity_check(1)'))?.['integrity_check'])
    if (found !== 'ok') return found
    const orphan = await db.get('pragma foreign_key_check')
    if (orphan === undefined) return null
    return `a row of ${String(orphan['table'])} belongs to no row of ${String(orphan['parent'])}`
  } catch (cause) {
    // Some damage makes the check itself fail.
    return messageOf(cause)
  }
}

/** Returns whether another process has the state file open. If so, the file must not be replaced. */
export function isStateInUse(path: string): boolean {
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(path, { timeout: 0 })
    // SQLite leaves WAL mode only when no other connection is open.
    db.exec('pragma journal_mode = delete')
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    db?.close()
  }
}

function damaged(path: string, reason: string): AppError {
  return new AppError(
    'state_damaged',
    `the state file ${path} is damaged (${reason}): restore it with \`platbook restore --from DIR|s3://BUCKET/PREFIX --force\``,
  )
}
