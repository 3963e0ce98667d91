import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * One connection to the state file. FULL: a commit that was answered survives a power cut.
 * Several processes share the file (server, `platbook keys`, schedule), so a writer waits for another one.
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
 * SQLite itself makes files with 0644 at most, so a group could never write; the WAL gets the modes of this file. A file that
 * is there is not opened: closing it would end the locks that other connections of this process have on it.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o666))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
