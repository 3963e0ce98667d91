import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Opens a connection to the state file and creates the file if needed. With `synchronous = full`, a finished commit survives
 * a power cut. Several processes share the file (server, `platbook keys`, schedule): a writer waits up to five seconds for
 * the lock.
 */
export function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  createFile(path)
  const db = new DatabaseSync(path, { timeout: 5_000 })
  try {
    db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

/**
 * Creates the file with the mode that the umask allows. SQLite creates files with mode 0644 at most, which would never let a
 * group write; the WAL gets the mode of this file. An existing file is not opened, because closing it would release the locks
 * that other connections of this process hold on it (POSIX locks).
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o666))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
