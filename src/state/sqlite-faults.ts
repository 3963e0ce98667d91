// SQLite's result codes. `node:sqlite` reports extended codes, whose low byte is one of these.
const BUSY = 5
const FULL = 13

/** Whether another connection has the file locked: the statement can be tried again. */
export function isBusy(cause: unknown): boolean {
  return resultCode(cause) === BUSY
}

/** Whether the disk has no room for what was written. */
export function isFull(cause: unknown): boolean {
  return resultCode(cause) === FULL
}

// Null for an error that SQLite did not report.
function resultCode(cause: unknown): number | null {
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : null
}
