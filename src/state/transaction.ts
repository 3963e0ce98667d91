import type { DatabaseSync } from 'node:sqlite'

/** Runs `body` in one transaction: all of it, or nothing and the cause thrown. Inside of another one it is part of that. */
export function inTransaction<T>(db: DatabaseSync, body: () => T): T {
  if (db.isTransaction) return body()
  db.exec('begin immediate')
  try {
    const result = body()
    db.exec('commit')
    return result
  } catch (cause) {
    if (db.isTransaction) db.exec('rollback')
    throw cause
  }
}
