import type { Config } from '../config.ts'
import { type Log, openLog } from '../log.ts'
import type { CommandIo } from './io.ts'

/** The most log lines that are kept for the end of a run. A run with more warnings has another problem. */
const KEPT = 200

/** The log of a run, and the printer of its report. */
export interface RunLog {
  readonly log: Log
  /** Prints a line of the report. */
  out(line: string): void
  /** Prints the warnings and errors that the report does not contain. */
  finish(): void
}

/**
 * Opens the log of a run. Without a terminal it writes lines of JSON at once. On a terminal it keeps warnings until the report is
 * printed, so that no JSON appears inside the report.
 */
export function openRunLog(io: CommandIo, level: Config['LOG_LEVEL']): RunLog {
  if (!io.isTerminal) return { log: openLog({ LOG_LEVEL: level }), out: (line) => io.out(line), finish() {} }
  const kept: { fields: Record<string, unknown>; message: string }[] = []
  const printed: string[] = []
  let left = 0
  const keep = (fields: object, message: string): void => {
    if (kept.length < KEPT) kept.push({ fields: { ...fields }, message })
    else left += 1
  }
  return {
    log: { debug() {}, info() {}, warn: keep, error: keep },
    out(line) {
      printed.push(line)
      io.out(line)
    },
    finish() {
      const report = printed.join('\n')
      for (const { fields, message } of kept.splice(0)) {
        const { reason, file } = fields
        const fact = [reason, file].find((value) => typeof value === 'string')?.split('\n')[0]
        if (fact !== undefined && report.includes(fact)) continue
        const details = Object.values(fields).filter((value) => value !== null && typeof value !== 'object')
        io.err(`  note: ${[message, ...(details.length === 0 ? [] : [details.join(', ')])].join(': ')}`)
      }
      if (left > 0) io.err(`  note: ${left} more notes; a run without a terminal logs them all`)
    },
  }
}
