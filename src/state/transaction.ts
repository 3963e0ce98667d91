import type { DatabaseSync } from 'node:sqlite'

/** Runs `body` in a transaction and rolls back when it throws. Inside another transaction, `body` becomes part of that one. */
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
