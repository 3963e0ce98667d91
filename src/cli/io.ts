import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'

/** The parts of the process that a command may use. `main.ts` passes them to a command; tests pass their own. */
export interface CommandIo {
  readonly config: Config
  /** The options of the command line that every command takes, as given: `--data DIR`, `--shared`, `--no-shared`. */
  readonly common?: readonly string[]
  /** Prints a line of the result to standard output. */
  out(line: string): void
  /** Prints a progress line or a message to standard error. */
  err(line: string): void
  readonly isTerminal: boolean
  readonly now: Clock
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

/** The exports of a file in `commands/`. `run` gets the arguments without `CommandIo.common` and resolves to an exit code (`README.md`). */
export interface Command {
  readonly summary: string
  readonly usage: string
  run(argv: string[], io: CommandIo): Promise<number>
}
