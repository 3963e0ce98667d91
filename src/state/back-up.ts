import { chmod } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { AppError, messageOf } from '../errors.ts'
import { isBusy } from './sqlite-faults.ts'

/**
 * Copies the state file while other processes read and write it, with what stands in its WAL. The copy is one file, of one moment,
 * checked, for its owner only.
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
    const fault = integrityFault(copied)
    if (fault !== null) throw damaged(path, fault)
    // Without a WAL it is one file.
    copied.exec('pragma journal_mode = delete')
  } finally {
    copied.close()
  }
}

/** @throws `state_damaged` when the file is no whole state file */
export function checkStateFile(path: string): void {
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(path, { readOnly: true })
    const fault = integrityFault(db)
    if (fault !== null) throw damaged(path, fault)
  } catch (cause) {
    throw cause instanceof AppError ? cause : damaged(path, messageOf(cause))
  } finally {
    db?.close()
  }
}

/** The first thing that is wrong with a state file, in SQLite's words; null when it is whole. Reads all of it. */
export function integrityFault(db: DatabaseSync): string | null {
  try {
    const found = String(db.prepare('pragma integrity_check(1)').get()?.['integrity_check'])
    if (found !== 'ok') return found
    const orphan = db.prepare('pragma foreign_key_check').get()
    if (orphan === undefined) return null
    return `a row of ${String(orphan['table'])} belongs to no row of ${String(orphan['parent'])}`
  } catch (cause) {
    // Some damage keeps SQLite from looking for damage.
    return messageOf(cause)
  }
}

/** Whether another process has the state file open: then its file must not be replaced. */
export function isStateInUse(path: string): boolean {
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(path, { timeout: 0 })
    // Leaving the WAL needs the file for oneself.
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
