import { pino } from 'pino'
import type { Config } from './config.ts'

/** What a job says while it works: one line with counts, never a name, number, address or key. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Lines of JSON on stderr, so that stdout stays what a command answers. */
export function openLog(config: Pick<Config, 'LOG_LEVEL'>): Log {
  return pino(
    { level: config.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  )
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
}
