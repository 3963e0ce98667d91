import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'

/** What a command may use of the world: handed down by `main.ts`, doubled by tests. */
export interface CommandIo {
  readonly config: Config
  /** What the command answers, a line at a time (stdout). */
  out(line: string): void
  /** What it says while it works (stderr). */
  err(line: string): void
  readonly isTerminal: boolean
  readonly now: Clock
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

/** A file of `commands/`. `run` resolves to the exit code: 0 done, 1 failed, 2 usage, 3 done with failures, 75 the warehouse is in use: try again later. */
export interface Command {
  readonly summary: string
  readonly usage: string
  run(argv: string[], io: CommandIo): Promise<number>
}
