import { pino } from 'pino'
import type { Config } from './config.ts'

/** The log of a job: one line per step with counts. Lines never contain names, phone numbers, addresses or keys. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Opens a log that writes lines of JSON to standard error, because standard output is for results. */
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
