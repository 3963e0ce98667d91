import type { OnProgress } from '../progress.ts'
import type { CommandIo } from './io.ts'
import { printable } from '../printable.ts'

/**
 * The display of a long job. It shows the rows, rate and time of each step, never the content of rows. On a terminal the line of the
 * current step is redrawn after each part; elsewhere a line is printed when the step ends.
 */
export interface ProgressDisplay {
  readonly report: OnProgress
  /** Prints the line of the current step, if there is one. */
  finish(): void
}

interface Step {
  name: string
  parts: number
  rows: number
  seconds: number
  last: string
}

export function openProgress(io: Pick<CommandIo, 'err' | 'isTerminal'>): ProgressDisplay {
  let step: Step | null = null
  const finish = () => {
    if (step === null) return
    if (io.isTerminal) process.stderr.write('\r\u001b[K')
    const { name, parts, rows, seconds } = step
    const detail = `${String(parts).padStart(4)} ${parts === 1 ? 'part ' : 'parts'}`
    io.err(
      `  ${name.padEnd(10)} ${detail} ${count(rows).padStart(12)} rows ${rate(rows, seconds).padStart(13)} ${time(seconds).padStart(8)}`,
    )
    step = null
  }
  return {
    report({ step: name, detail, rows, seconds }) {
      if (step?.name !== name) {
        finish()
        step = { name, parts: 0, rows: 0, seconds: 0, last: '' }
      }
      step.parts += 1
      step.rows += rows
      step.seconds += seconds
      step.last = detail
      if (!io.isTerminal) return
      const line = `  ${name.padEnd(10)} ${count(step.rows)} rows, ${time(step.seconds)}  ${detail}`
      process.stderr.write(`\r\u001b[K${printable(line).slice(0, (process.stderr.columns ?? 100) - 1)}`)
    },
    finish,
  }
}

/** Returns a number such as `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** Returns a number with its noun: `1 file`, `2,345 files`. */
export function several(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** Returns a duration such as `850 ms`, `12.3 s` or `4 min 05 s`. */
export function time(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${String(Math.round(seconds % 60)).padStart(2, '0')} s`
}

function rate(rows: number, seconds: number): string {
  return seconds > 0 ? `${count(Math.round(rows / seconds))}/s` : ''
}
