import type { Config } from '../config.ts'
import { type Log, openLog } from '../log.ts'
import type { CommandIo } from './io.ts'

/** Lines that are kept; a run that has more to say has a fault of its own. */
const KEPT = 200

/** The log of a run and the way out of its report. */
export interface RunLog {
  readonly log: Log
  /** Prints a line of the report. */
  out(line: string): void
  /** Prints the warnings and errors that the report does not contain. */
  finish(): void
}

/** In a log file lines of JSON. On a terminal warnings wait for the report, so that no line of JSON cuts through it. */
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
