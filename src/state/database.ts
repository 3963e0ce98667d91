import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * One connection to the state file. FULL: a commit that was answered survives a power cut.
 * Several processes share the file (server, `platbook keys`, schedule), so a writer waits for another one.
 */
export function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(path, { timeout: 5_000 })
  try {
    db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  } catch (error) {
    db.close()
    throw error
  }
  return db
}
