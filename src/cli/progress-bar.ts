import type { CommandIo } from './io.ts'
import { count, time } from './progress.ts'
import type { RunProgress } from '../enrich/run/options.ts'

export interface ProgressBar {
  readonly report: (progress: RunProgress) => void
  finish(): void
}

const REDRAW_MS = 100
const WIDTH = 24
/** Without a terminal, a line is printed for each tenth. */
const TENTHS = 10

/** Opens the display of an enrichment's rows, rate and time left: a bar on a terminal, a line per tenth elsewhere. */
export function openProgressBar(io: Pick<CommandIo, 'err' | 'isTerminal'>): ProgressBar {
  const started = performance.now()
  let drawnAt = 0
  let tenth = 0
  return {
    report({ rows, share }) {
      const now = performance.now()
      const seconds = (now - started) / 1000
      const rate = `${count(Math.round(rows / seconds))} rows/s`
      const left =
        share === null || share === 0 || share >= 1 ? '' : `, ${time((seconds * (1 - share)) / share)} left`
      if (io.isTerminal) {
        if (now - drawnAt < REDRAW_MS) return
        drawnAt = now
        const full = Math.round((share ?? 0) * WIDTH)
        const bar =
          share === null
            ? ''
            : `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${Math.floor(share * 100)} %  `
        process.stderr.write(`\r\u001b[K${bar}${count(rows)} rows, ${rate}${left}`)
      } else if (share !== null && Math.floor(share * TENTHS) > tenth) {
        tenth = Math.floor(share * TENTHS)
        io.err(`${tenth * 10} %: ${count(rows)} rows, ${rate}${left}`)
      }
    },
    finish() {
      if (io.isTerminal && drawnAt > 0) process.stderr.write('\r\u001b[K')
    },
  }
}
