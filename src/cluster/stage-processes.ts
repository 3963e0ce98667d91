import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { AppError, messageOf } from '../errors.ts'
import type { StageCall, UnitResult } from './engine.ts'
import { parseUnitResults, stageName } from './unit-results.ts'

/** The command that runs a stage: the same Node and the same installation as this process. */
export const STAGE_COMMAND: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL('../cli/platbook.mjs', import.meta.url)),
  'stage',
]

/** A unit that fails this many times ends the run. */
const ATTEMPTS = 3
/** Most characters of the error output of a process that are kept. */
const KEPT_OUTPUT = 2000

export interface StageProcessesOptions {
  /** Number of processes that run at one time. */
  readonly processes: number
  /** Ends the processes when aborted. */
  readonly signal: AbortSignal
  readonly command?: readonly string[]
}

/**
 * Runs the units of a stage in processes of this machine. A process takes one unit after the other. When it ends, another
 * process tries its unit again.
 * @throws `stage_failed` when a unit has failed three times
 */
export async function runStageProcesses(
  stage: StageCall,
  { processes, signal, command = STAGE_COMMAND }: StageProcessesOptions,
): Promise<readonly UnitResult[]> {
  const waiting = Array.from({ length: stage.units }, (_, unit) => ({ unit, attempt: 1 }))
  const lines: string[] = []
  const failed = new AbortController()
  const stop = AbortSignal.any([signal, failed.signal])
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const running = new StageProcess(stage, command, stop)
      try {
        for (; next !== undefined; next = waiting.shift()) lines.push(await running.run(next.unit))
        await running.end()
      } catch (cause) {
        stop.throwIfAborted()
        if (next === undefined || next.attempt === ATTEMPTS) {
          failed.abort()
          throw cause
        }
        waiting.push({ unit: next.unit, attempt: next.attempt + 1 })
      } finally {
        running.kill()
      }
    }
  }
  const workers = Array.from({ length: Math.min(processes, stage.units) }, work)
  const ended = await Promise.allSettled(workers)
  signal.throwIfAborted()
  const failure = ended.find((one) => one.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return parseUnitResults(stage, lines)
}

class StageProcess {
  readonly #name: string
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #lines: AsyncIterator<string>
  readonly #closed: Promise<unknown>
  #errors = ''

  constructor(stage: StageCall, [program, ...before]: readonly string[], signal: AbortSignal) {
    this.#name = stageName(stage)
    this.#child = spawn(program!, [...before, ...stage.args], { stdio: ['pipe', 'pipe', 'pipe'], signal })
    // The process may end before it reads its units. `run` then finds no line.
    this.#child.stdin.on('error', () => undefined)
    this.#child.on('error', (error) => (this.#errors += messageOf(error)))
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-KEPT_OUTPUT)
    })
    this.#closed = once(this.#child, 'close').catch(() => undefined)
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /** Returns the line that the process prints for a unit. */
  async run(unit: number): Promise<string> {
    this.#child.stdin.write(`${unit}\n`)
    const { value, done } = await this.#lines.next()
    if (done === true) throw await this.#failure(`unit ${unit}`)
    return value
  }

  /** Ends the process after its last unit. */
  async end(): Promise<void> {
    this.#child.stdin.end()
    await this.#closed
    if (this.#child.exitCode !== 0) throw await this.#failure('its last unit')
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #failure(unit: string): Promise<AppError> {
    await this.#closed
    const { exitCode, signalCode } = this.#child
    const how = signalCode === null ? `ended with code ${exitCode}` : `was ended by ${signalCode}`
    return new AppError(
      'stage_failed',
      `stage ${this.#name}: the process ${how} at ${unit}: ${this.#errors.trim()}`,
    )
  }
}
