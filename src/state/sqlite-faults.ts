// SQLite's result codes. `node:sqlite` reports extended codes, whose low byte is one of these.
const BUSY = 5
const FULL = 13

/** Returns whether the error means that another connection has locked the file. The statement can be tried again. */
export function isBusy(cause: unknown): boolean {
  return resultCode(cause) === BUSY
}

/** Returns whether the error means that the disk is full. */
export function isFull(cause: unknown): boolean {
  return resultCode(cause) === FULL
}

// Returns null for an error that does not come from SQLite.
function resultCode(cause: unknown): number | null {
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : null
}
