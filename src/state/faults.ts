// SQLite's result codes. `node:sqlite` reports extended codes, whose low byte is one of these.
const BUSY = 5
const FULL = 13
const CONSTRAINT_UNIQUE = 2067
const CONSTRAINT_PRIMARY_KEY = 1555

/** Returns whether the error means that another connection has locked the file. The statement can be tried again. */
export function isBusy(cause: unknown): boolean {
  return resultCode(cause) === BUSY
}

/** Returns whether the error means that the disk is full. */
export function isFull(cause: unknown): boolean {
  return resultCode(cause) === FULL || sqlState(cause) === DISK_FULL
}

/** Returns whether the error means that a row with the same unique values exists. */
export function isDuplicate(cause: unknown): boolean {
  const code = extendedCode(cause)
  return code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARY_KEY || sqlState(cause) === UNIQUE_VIOLATION
}

/** Returns whether PostgreSQL has ended a transaction because of another one, so that it can be run again. */
export function isConflict(cause: unknown): boolean {
  const state = sqlState(cause)
  return state === SERIALIZATION_FAILURE || state === DEADLOCK
}

const DISK_FULL = '53100'
const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

// Returns null for an error that does not come from PostgreSQL.
function sqlState(cause: unknown): string | null {
  const { code, severity } = cause as { code?: unknown; severity?: unknown }
  return typeof code === 'string' && typeof severity === 'string' ? code : null
}

// Returns null for an error that does not come from SQLite.
function extendedCode(cause: unknown): number | null {
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode : null
}

function resultCode(cause: unknown): number | null {
  const code = extendedCode(cause)
  return code === null ? null : code & 0xff
}
