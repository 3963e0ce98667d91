import { AppError, type ErrorCode, messageOf } from '../errors.ts'
import { warehouseDiskFull } from './disk-full.ts'

// DuckDB raises the same class of error for all of these, so only the message distinguishes them. The patterns
// avoid the bare word "lock", because "block" contains it.
const KINDS: readonly { pattern: RegExp; code: ErrorCode; advice: (path: string, line: string) => string }[] =
  [
    {
      pattern: /could not set lock on file|conflicting lock is held/i,
      code: 'warehouse_locked',
      advice: (path, line) =>
        `${path} is in use by another process: wait for its run to end, or end it (${line})`,
    },
    {
      pattern:
        /trying to read a database file with version number|created with a newer version|storage version/i,
      code: 'warehouse_unusable',
      advice: (path, line) =>
        `${path} was written by another version of DuckDB (${line}): use the version of Platbook that wrote it, or run \`platbook rebuild\`, which builds the warehouse again from landing`,
    },
    {
      pattern: /permission denied|read-only file system|operation not permitted/i,
      code: 'warehouse_unusable',
      advice: (path, line) =>
        `${path} cannot be opened by this user (${line}): check owner and permissions of the file and of its folder`,
    },
    {
      pattern:
        /corrupt database file|not a valid duckdb database|could not read enough bytes|checksum|failure while replaying wal|serialization error|failed to load metadata|database has been invalidated|INTERNAL Error/i,
      code: 'warehouse_damaged',
      advice: (path, line) =>
        `${path} is damaged (${line}): run \`platbook rebuild\`, which moves the file aside and builds a new one from landing with the same person ids`,
    },
  ]

/**
 * Returns an error for an operator when `cause` shows that DuckDB cannot open or read the warehouse file `path`.
 * Returns null for any other cause.
 */
export function warehouseFault(path: string, cause: unknown): AppError | null {
  // Disk space is tested first: after a checkpoint without space, every statement fails with "database has been
  // invalidated".
  const full = warehouseDiskFull(path, cause)
  if (full !== null) return full
  const message = messageOf(cause)
  const [line = ''] = message.replace(/^query failed: /, '').split('\n')
  const kind = KINDS.find(({ pattern }) => pattern.test(line))
  return kind === undefined ? null : new AppError(kind.code, kind.advice(path, line), { cause })
}

/**
 * Returns an error for an operator when a statement met a damaged warehouse file or a full disk. Returns null for
 * any other cause.
 */
export function statementFault(path: string, cause: unknown): AppError | null {
  const fault = warehouseFault(path, cause)
  return fault?.code === 'warehouse_damaged' || fault?.code === 'disk_full' ? fault : null
}
